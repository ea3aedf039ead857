import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

extension PodgetError {
  /// The content is some kind of text, which is never an episode.
  static func notAudio(_ kind: FileCheck.TextKind) -> PodgetError {
    let what =
      switch kind {
      case .html: "a web page"
      case .xml: "an XML document"
      case .json: "JSON data"
      case .plain: "plain text"
      }
    return PodgetError(
      .notAudio, "The server sends \(what) instead of an episode; the publisher's link is broken.")
  }

  /// The failure of an episode whose host sent a Retry-After that is longer than podget waits.
  static func rateLimited(for duration: Duration, now: Date, httpStatus: Int? = nil) -> PodgetError
  {
    let seconds = min(duration.inSeconds.rounded(.up), 1e10)
    let moment = now.addingTimeInterval(seconds).timestamp
    return PodgetError(
      .httpStatus, "The server is rate-limited until \(moment); try again then.",
      httpStatus: httpStatus)
  }

  /// Whether a retry in a later run is pointless unless the user asks for it by name.
  var isForGood: Bool {
    switch code {
    case .httpStatus: httpStatus.map { !RetryPolicy.isTransient(status: $0) } ?? false
    case .notAudio, .emptyBody, .notFound: true
    case .network, .timeout, .tls, .redirect, .rangeProtocol, .incomplete, .diskFull, .disk,
      .decoding:
      false
    }
  }
}
