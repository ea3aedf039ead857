internal import PodcastModel

/// The forms of transcripts that podget reads, those with the most to show first.
public enum TranscriptFormat: Sendable, Hashable, CaseIterable {
  /// WebVTT, which has times and voices.
  case webVTT
  /// The JSON of the podcast namespace, which has times and speakers.
  case json
  /// SubRip (SRT), which has times.
  case subRip
  /// A web page.
  case html
  /// Plain text.
  case text

  /// The form that a feed announces; nil for one that podget does not read.
  ///
  /// - Parameters:
  ///   - type: the media type; some feeds have none, or the same one for all.
  ///   - url: the address, whose extension decides where the type says little.
  public init?(type: String?, url: String) {
    let type = type?.prefix { $0 != ";" }.lowercased().trimmingWhitespace() ?? ""
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    switch type {
    case "text/vtt", "application/vtt", "application/x-vtt": self = .webVTT
    case "application/srt", "application/x-srt", "application/x-subrip", "text/srt", "text/x-srt":
      self = .subRip
    case "application/json", "text/json": self = .json
    case "text/html", "application/xhtml+xml": self = .html
    case "", "text/plain", "application/octet-stream":
      switch ending {
      case "vtt": self = .webVTT
      case "srt": self = .subRip
      case "json": self = .json
      case "html", "htm": self = .html
      case "txt": self = .text
      default:
        guard type == "text/plain" else { return nil }
        self = .text
      }
    default: return nil
    }
  }
}

extension EpisodeDetails {
  /// The transcript with the most to show, in the language that the feed names first; nil if podget
  /// reads none of them.
  public var bestTranscript: (transcript: Transcript, format: TranscriptFormat)? {
    let readable = transcripts.compactMap { transcript in
      TranscriptFormat(type: transcript.type, url: transcript.url).map { (transcript, $0) }
    }
    let language = readable.first?.0.language
    for format in TranscriptFormat.allCases {
      if let best = readable.first(where: { $0.1 == format && $0.0.language == language }) {
        return best
      }
    }
    return nil
  }
}
