/// Paragraphs made of captions and of single words.
struct TranscriptParagraphs {
  /// A caption, or a part of one.
  struct Part {
    /// Where it is spoken, in milliseconds.
    var start: Int?
    var end: Int?
    /// Who speaks; nil for the same one.
    var speaker: String?
    var text: String
  }

  /// From how many bytes on a paragraph ends with its sentence, and ends in any case.
  private static let enough = 280
  private static let most = 1200
  /// A silence that ends a paragraph, in milliseconds.
  private static let silence = 3000
  /// The most bytes of all texts, and the most paragraphs. Twenty hours of speech are one megabyte;
  /// more would make the screen wait while its lines are wrapped.
  private static let mostBytes = 1 << 20
  private static let mostCount = 100_000

  private(set) var list: [TranscriptParagraph] = []

  private var bytes = 0
  /// Whether something did not fit: what follows it is left out too.
  private var isFull = false
  private var speaker: String?
  private var last: Part?
  /// Whether the last paragraph has the end of a sentence in it.
  private var hasEndMark = false

  /// Adds a caption.
  mutating func add(_ part: Part) {
    // Captions that move up line by line repeat the line before.
    guard !part.text.isEmpty, !repeats(part), take(part.text.utf8.count) else { return }
    let speaks = part.speaker ?? speaker
    if let place = list.indices.last, let last, speaks == speaker, !ends(list[place], last, part) {
      if !Self.isMark(part.text) { list[place].text += " " }
      list[place].text += part.text
    } else {
      hasEndMark = false
      list.append(
        TranscriptParagraph(
          start: part.start.map { .milliseconds($0) }, speaker: speaks, text: part.text))
    }
    hasEndMark = hasEndMark || part.text.unicodeScalars.contains(where: Self.isEndMark)
    speaker = speaks
    last = part
  }

  /// Adds a line of a text that has no captions.
  mutating func add(line: some Collection<UInt8>) {
    guard let text = FeedText.line(line, maximumBytes: Self.mostBytes), take(text.utf8.count) else {
      return
    }
    list.append(TranscriptParagraph(text: text))
  }

  private mutating func take(_ count: Int) -> Bool {
    isFull = isFull || bytes + count > Self.mostBytes || list.count >= Self.mostCount
    bytes += isFull ? 0 : count + 1
    return !isFull
  }

  private func repeats(_ part: Part) -> Bool {
    guard let last, part.text.utf8.count > 1, part.speaker == nil || part.speaker == speaker else {
      return false
    }
    return last.text == part.text && part.text.contains(" ")
  }

  /// Whether a paragraph is complete before a caption.
  private func ends(_ paragraph: TranscriptParagraph, _ last: Part, _ next: Part) -> Bool {
    let count = paragraph.text.utf8.count
    if count >= Self.most { return true }
    if let end = last.end ?? last.start, let start = next.start, start - end >= Self.silence {
      return true
    }
    // Some transcripts have no full stops at all.
    let hasEnded = paragraph.text.unicodeScalars.last.map(Self.isEndMark) ?? false
    return count >= Self.enough && (hasEnded || !hasEndMark)
  }

  /// Whether a character ends a sentence.
  private static func isEndMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", "!", "?", "…", "。", "！", "？", "\"", "”", "»": true
    default: false
    }
  }

  /// Whether a text goes to the word before without a space: punctuation alone.
  private static func isMark(_ text: String) -> Bool {
    text.utf8.count <= 3 && text.first.map { ".,;:!?…%)]".contains($0) } == true
  }
}
