internal import PodcastModel

/// Reads WebVTT and SubRip, which differ in little: a line with two times, and the lines of the
/// caption up to an empty one (WebVTT, W3C, section 4). All else is ignored: numbers, names of
/// captions, notes, styles and regions.
struct TranscriptCues {
  /// The most bytes of one caption; the rest of it is ignored.
  private static let captionBytes = 8192

  /// Whether a name before a colon is the speaker's, as in SubRip.
  private let isNamed: Bool
  private var times: (start: Int, end: Int)?
  private var caption: [UInt8] = []
  /// Where the last line of the caption begins.
  private var lastLine = 0

  /// Reads all captions.
  ///
  /// - Parameter named: whether a name before a colon is the speaker's.
  static func read(
    _ text: UnsafeBufferPointer<UInt8>, named: Bool, _ paragraphs: inout TranscriptParagraphs
  ) {
    var cues = TranscriptCues(isNamed: named)
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
      cues.take(text[start..<end], &paragraphs)
      let isPair = end + 1 < text.count && text[end] == 0x0D && text[end + 1] == 0x0A
      start = end + (isPair ? 2 : 1)
    }
    cues.flush(&paragraphs)
  }

  private init(isNamed: Bool) { self.isNamed = isNamed }

  /// The two times of a line, in milliseconds; nil for any other line.
  static func times(_ line: some Collection<UInt8>) -> (start: Int, end: Int)? {
    guard line.count <= 1024, let arrow = arrow(in: line),
      let start = MediaTime.milliseconds(line[..<arrow])
    else { return nil }
    let rest = line[line.index(arrow, offsetBy: 3)...].drop(while: MarkupTag.isSpace)
    guard let end = MediaTime.milliseconds(rest.prefix { !MarkupTag.isSpace($0) }) else {
      return nil
    }
    return (start, end)
  }

  private static func arrow<Line: Collection<UInt8>>(in line: Line) -> Line.Index? {
    line.indices.first { line[$0] == 0x2D && line[$0...].starts(with: "-->".utf8) }
  }

  private mutating func take(
    _ line: Slice<UnsafeBufferPointer<UInt8>>, _ paragraphs: inout TranscriptParagraphs
  ) {
    if let times = Self.times(line) {
      // Without an empty line between, the number of the next caption is behind this one.
      let number = caption[lastLine...]
      if !number.isEmpty, number.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x20 }) {
        caption.removeSubrange(lastLine...)
      }
      flush(&paragraphs)
      self.times = times
    } else if line.allSatisfy(MarkupTag.isSpace) {
      flush(&paragraphs)
    } else if times != nil {
      lastLine = caption.count
      caption += line.prefix(max(0, Self.captionBytes - caption.count))
      caption.append(0x20)
    }
  }

  private mutating func flush(_ paragraphs: inout TranscriptParagraphs) {
    if let times {
      let (voice, words) = Self.words(caption)
      var part = TranscriptParagraphs.Part(
        start: times.start, end: times.end, speaker: voice,
        text: FeedText.line(words, maximumBytes: Self.captionBytes) ?? "")
      if isNamed, voice == nil { Self.takeName(&part) }
      paragraphs.add(part)
    }
    times = nil
    caption.removeAll(keepingCapacity: true)
    lastLine = 0
  }
}

extension TranscriptCues {
  /// The words of a caption without tags and references, and the voice that speaks them
  /// (`<v Name>`).
  private static func words(_ caption: [UInt8]) -> (voice: String?, words: [UInt8]) {
    var voice: String?
    var output: [UInt8] = []
    caption.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if let end = endOfTag(bytes, at: index) {
          voice = voice ?? self.voice(bytes[(index + 1)..<end])
          index = end + 1
        } else {
          index = CharacterReference.decode(bytes, at: index, to: &output)
        }
      }
    }
    return (voice, output)
  }

  /// The end of a tag, or of a command in braces such as `{\an8}`; nil where there is none.
  private static func endOfTag(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
    guard index + 1 < bytes.count else { return nil }
    let next = bytes[index + 1]
    let closing: UInt8
    switch bytes[index] {
    case UInt8(ascii: "<"):
      let begins = (0x61...0x7A).contains(next | 0x20) || (0x30...0x39).contains(next)
      guard begins || next == UInt8(ascii: "/") else { return nil }
      closing = UInt8(ascii: ">")
    case UInt8(ascii: "{"):
      guard next == UInt8(ascii: "\\") else { return nil }
      closing = UInt8(ascii: "}")
    default: return nil
    }
    return bytes[index..<min(bytes.count, index + 256)].firstIndex(of: closing)
  }

  private static func voice(_ tag: Slice<UnsafeBufferPointer<UInt8>>) -> String? {
    guard tag.first == UInt8(ascii: "v"), let space = tag.firstIndex(where: MarkupTag.isSpace),
      space == tag.startIndex + 1 || tag[tag.startIndex + 1] == UInt8(ascii: ".")
    else { return nil }
    let name = CharacterReference.decoded(UnsafeBufferPointer(rebasing: tag[space...]))
    return FeedText.line(name.utf8, maximumBytes: 128)
  }

  /// Takes the name from the beginning of a caption: at most four words, the first with a capital
  /// letter, and a colon.
  private static func takeName(_ part: inout TranscriptParagraphs.Part) {
    let head = part.text.utf8.prefix(48)
    guard let colon = head.firstIndex(of: UInt8(ascii: ":")), let first = part.text.first,
      first.isUppercase
    else { return }
    let name = part.text[..<colon]
    let rest = part.text[colon...].dropFirst()
    guard rest.first == " ", name.split(separator: " ").count <= 4 else { return }
    part.speaker = String(name)
    part.text = String(rest.dropFirst())
  }
}
