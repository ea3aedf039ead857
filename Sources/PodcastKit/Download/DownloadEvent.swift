import PodcastLibrary
public import PodcastModel
import PodcastTransfer

/// Something that happened to one planned episode.
///
/// For each plan, on every path: first ``Kind/planned(total:)``, unless there is nothing to download
/// or the plan cannot be recorded, then any number of others, then exactly one of finished, skipped,
/// failed and cancelled.
public struct DownloadEvent: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// The episode is recorded as planned, or would be in a dry run. `total` is its size in bytes, if
    /// known.
    case planned(total: Int64?)
    /// The first attempt begins, with this many bytes from an earlier one.
    case started(resumedFrom: Int64)
    /// The bytes on disk and, if known, the total. At most ten a second for each episode.
    case progress(received: Int64, total: Int64?)
    /// It was paused. What arrived before is written a little later, and its progress comes after this.
    case paused
    /// It continues after a pause.
    case resumed
    /// Another attempt follows after the delay; `attempt` is its number, 2 for the first retry.
    case retrying(attempt: Int, delay: Duration, reason: PodgetError.Code)
    /// The partial file could not be continued, and the file restarts.
    case restarted(RestartReason)
    /// The file is complete, on disk, under its final name.
    case finished(FinishedFile)
    /// There is nothing to do.
    case skipped(path: String, reason: SkipReason)
    /// It failed; the received bytes are kept if they can be continued.
    case failed(PodgetError)
    /// It was stopped with this many bytes kept.
    case cancelled(received: Int64)

    /// Whether this is the last event of the episode.
    public var isTerminal: Bool {
      switch self {
      case .finished, .skipped, .failed, .cancelled: true
      case .planned, .started, .progress, .paused, .resumed, .retrying, .restarted: false
      }
    }
  }

  /// The episode's plan.
  public var plan: DownloadPlan
  /// What happened.
  public var kind: Kind

  /// Creates an event.
  public init(_ plan: DownloadPlan, _ kind: Kind) {
    self.plan = plan
    self.kind = kind
  }
}

/// Why nothing was downloaded; the raw values are the contract with scripts.
public enum SkipReason: String, Sendable, Hashable, CaseIterable {
  /// The library has it.
  case alreadyDownloaded
  /// Another podget is downloading it, and the user did not want to wait.
  case inProgressElsewhere
  /// It was removed before and is not named now.
  case removed
  /// The user gave it up: its plan and what arrived of it are deleted.
  case forgotten
  /// The run has brought as many bytes as it may. It stays planned.
  case maxBytes
  /// It would take of the space that stays free on the disk. It stays planned.
  case keepFree

  /// Whether it was left for a later run.
  public var isPostponed: Bool {
    switch self {
    case .maxBytes, .keepFree: true
    case .alreadyDownloaded, .inProgressElsewhere, .removed, .forgotten: false
    }
  }
}
