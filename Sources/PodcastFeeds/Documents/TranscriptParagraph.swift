public import PodcastModel

/// A paragraph of a transcript.
public struct TranscriptParagraph: Sendable, Hashable {
  /// Where it is spoken, if that is known.
  public var start: Duration?
  /// Who speaks, if that is known.
  public var speaker: String?
  /// What is said; never empty.
  public var text: String

  /// The most bytes of a transcript.
  package static let maximumBytes = 8 << 20

  /// Makes a paragraph.
  public init(start: Duration? = nil, speaker: String? = nil, text: String) {
    self.start = start
    self.speaker = speaker
    self.text = text
  }

  /// Reads a transcript. Captions of a few words become paragraphs. One that is cut gives what came
  /// before the cut, and of a very long one the first megabyte of text is read.
  ///
  /// - Parameters:
  ///   - bytes: the document.
  ///   - format: what the feed says that it is; what it begins with is believed more.
  ///   - charset: the encoding that the server names, if it does.
  /// - Throws: ``PodgetError/Code/decoding`` when nothing in it can be read.
  public static func list(
    in bytes: some Sequence<UInt8>, format: TranscriptFormat, charset: String? = nil
  ) throws(PodgetError) -> [TranscriptParagraph] {
    let text = DocumentText.decoded(bytes, charset: charset, maximumBytes: maximumBytes)
    var paragraphs = TranscriptParagraphs()
    let form = form(of: text, announced: format)
    text.withUnsafeBufferPointer { text in
      switch form {
      case .webVTT, .subRip: TranscriptCues.read(text, named: form == .subRip, &paragraphs)
      case .json: TranscriptSegments.read(text, &paragraphs)
      case .html:
        let words = DescriptionText.text(String(decoding: text, as: UTF8.self)) ?? ""
        addLines(Array(words.utf8), &paragraphs)
      case .text: addLines(text, &paragraphs)
      }
    }
    guard paragraphs.list.isEmpty else { return paragraphs.list }
    throw PodgetError(
      .decoding,
      form != .html && DocumentText.isWebPage(text)
        ? "There is a web page instead of the transcript." : "The transcript is not readable.")
  }

  /// What a document is by its beginning.
  static func form(
    of text: [UInt8], announced format: TranscriptFormat
  ) -> TranscriptFormat {
    let start = text.drop(while: MarkupTag.isSpace)
    if start.starts(with: "WEBVTT".utf8) { return .webVTT }
    if format == .text {
      if DocumentText.isWebPage(start) { return .html }
      let head = start.prefix(512)
      let lines = head.split(separator: 0x0A).prefix(4)
      if lines.contains(where: { TranscriptCues.times($0) != nil }) { return .subRip }
    }
    let isCues = format == .webVTT || format == .subRip
    if isCues || format == .text, start.first == UInt8(ascii: "{") { return .json }
    return format
  }

  private static func addLines(
    _ text: some Collection<UInt8>, _ paragraphs: inout TranscriptParagraphs
  ) {
    var rest = text[...]
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
      rest = rest[line.endIndex...].dropFirst()
      paragraphs.add(line: line)
    }
  }
}
