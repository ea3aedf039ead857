import PodcastLibrary
public import PodcastModel
import PodcastTransfer

/// Something that happened to one planned episode.
///
/// For each plan, on every path: first ``Kind/planned(total:)``, then any number of others, then
/// exactly one of finished, skipped, failed and cancelled.
public struct DownloadEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// The episode is recorded as planned. `total` is its size in bytes, when it is known.
    case planned(total: Int64?)
    /// The first attempt begins, keeping this many bytes of an earlier one.
    case started(resumedFrom: Int64)
    /// Bytes on hand and, when known, in all. At most ten a second for each episode.
    case progress(received: Int64, total: Int64?)
    /// It was paused.
    case paused
    /// It goes on after a pause.
    case resumed
    /// Another attempt follows after the delay; `attempt` is its number, 2 for the first retry.
    case retrying(attempt: Int, delay: Duration, reason: PodgetError.Code)
    /// What had arrived could not be continued, and the file begins again.
    case restarted(RestartReason)
    /// The file is whole, on the disk, under its final name.
    case finished(FinishedFile)
    /// Nothing had to be done, or must be.
    case skipped(path: String, reason: SkipReason)
    /// It failed; what arrived is kept where it can be continued.
    case failed(PodgetError)
    /// It was stopped with this many bytes kept.
    case cancelled(received: Int64)

    /// Whether nothing follows for this episode.
    public var isTerminal: Bool {
      switch self {
      case .finished, .skipped, .failed, .cancelled: true
      case .planned, .started, .progress, .paused, .resumed, .retrying, .restarted: false
      }
    }
  }

  /// Whose event it is.
  public var plan: DownloadPlan
  /// What happened.
  public var kind: Kind

  /// Makes an event.
  public init(_ plan: DownloadPlan, _ kind: Kind) {
    self.plan = plan
    self.kind = kind
  }
}

/// Why nothing was fetched; the raw values are the contract with scripts.
public enum SkipReason: String, Sendable, Hashable, CaseIterable {
  /// The library holds it.
  case alreadyDownloaded
  /// Another podget is fetching it, and waiting was not wanted.
  case inProgressElsewhere
  /// It was removed before and not named now.
  case removed
}
