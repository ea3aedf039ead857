package import PodcastModel

extension TranscriptParagraph {
  /// A transcript as it is stored: clean UTF-8 in its own form. Of a web page only the words are stored.
  ///
  /// - Parameters:
  ///   - bytes: the document.
  ///   - format: what the feed says that it is.
  ///   - charset: the encoding that the server names, if it does.
  /// - Returns: the content, and the ending of the file's name with its dot.
  /// - Throws: ``PodgetError/Code/decoding`` for what is no transcript, such as an error page.
  package static func stored(
    _ bytes: some Sequence<UInt8>, format: TranscriptFormat, charset: String?
  ) throws(PodgetError) -> (bytes: [UInt8], ending: String) {
    let text = DocumentText.decoded(bytes, charset: charset, maximumBytes: maximumBytes)
    if format != .html, DocumentText.isWebPage(text) {
      throw PodgetError(.decoding, "There is a web page instead of the transcript.")
    }
    let paragraphs = try list(in: text, format: format)
    let form = form(of: text, announced: format)
    let hasMark = text.drop(while: MarkupTag.isSpace).starts(with: "WEBVTT".utf8)
    switch form {
    case .webVTT where !hasMark:
      throw PodgetError(.decoding, "The transcript is not one of WebVTT, which the feed announces.")
    case .webVTT: return (text, ".vtt")
    case .subRip: return (text, ".srt")
    case .json: return (text, ".json")
    case .text: return (text, ".txt")
    case .html:
      return (Array((paragraphs.map(\.text).joined(separator: "\n\n") + "\n").utf8), ".txt")
    }
  }

  /// The form of a stored transcript, by the ending of its name; nil for another file.
  package static func form(ofEnding ending: String) -> TranscriptFormat? {
    switch ending {
    case ".vtt": .webVTT
    case ".srt": .subRip
    case ".json": .json
    case ".txt": .text
    default: nil
    }
  }
}

extension EpisodeDetails {
  /// The transcript to store: of the language that the feed names first, the one with times that most
  /// players read.
  package var storedTranscript: (transcript: Transcript, format: TranscriptFormat)? {
    let order: [TranscriptFormat] = [.webVTT, .subRip, .json, .text, .html]
    let readable = transcripts.compactMap { transcript in
      TranscriptFormat(type: transcript.type, url: transcript.url).map { (transcript, $0) }
    }
    guard let language = readable.first.map(\.0.language) else { return nil }
    return readable.filter { $0.0.language == language }
      .min { (order.firstIndex(of: $0.1) ?? 0) < (order.firstIndex(of: $1.1) ?? 0) }
  }
}
