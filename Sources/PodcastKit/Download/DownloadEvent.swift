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

/// A file that is whole and durable under its final name.
public struct FinishedFile: Sendable, Hashable {
  /// The path relative to the library.
  public var path: String
  /// The size in bytes.
  public var bytes: Int64
  /// The SHA-256 of the content in lower-case hex; nil when checksums were turned off.
  public var sha256: String?

  /// Makes a description of a finished file.
  public init(path: String, bytes: Int64, sha256: String?) {
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
  }
}
