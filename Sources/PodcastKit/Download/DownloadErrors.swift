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

  /// A complete file that is not the one whose hashes the feed announces.
  static func mismatch(_ algorithm: MediaIntegrity.Algorithm) -> PodgetError {
    var error = PodgetError(
      .incomplete,
      "The file is not the one that the feed announces: its \(algorithm.rawValue.uppercased()) is another one."
    )
    error.circumstance = .mismatch
    return error
  }

  /// A body without an announced length that is longer than podget accepts.
  static func endless(limit: Int64) -> PodgetError {
    var error = PodgetError(
      .incomplete,
      "The server announces no length and sends more than \(limit) bytes, as a live stream does.",
      remedy: .acceptMore)
    error.circumstance = .endless
    return error
  }

  /// A body that a radio station sends, which has no end.
  static var liveStream: PodgetError {
    var error = PodgetError(
      .incomplete, "The address leads to a live stream, which has no end.", remedy: .acceptMore)
    error.circumstance = .endless
    return error
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
    case .incomplete: circumstance == .endless || circumstance == .mismatch
    case .network, .timeout, .tls, .redirect, .rangeProtocol, .diskFull, .disk, .decoding, .command:
      false
    }
  }
}
