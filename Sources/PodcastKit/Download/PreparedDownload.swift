import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// An episode before its turn: its part file may be opened early, so that a free slot does not wait
/// for the disk.
struct PreparedDownload: Sendable {
  /// What is there when a download begins.
  enum State: Sendable {
    /// Another download has the episode, in this process or another.
    case taken
    /// Another one has finished or removed it since it was planned.
    case settled(LocalEpisode)
    /// A killed process left the complete file, which is recorded now.
    case recovered(FinishedFile)
    /// The part file is open and locked.
    case opened(BodyWriter)
  }

  typealias Opening = Task<Result<State, DiskError>, Never>

  let plan: DownloadPlan
  /// Tells running file work that the download was cancelled.
  let flag = CancelFlag()
  /// Opens the part file; nil if nothing does so yet.
  private(set) var opening: Opening?

  /// Creates a prepared download without opening anything.
  init(_ plan: DownloadPlan) { self.plan = plan }

  /// Begins to open the part file.
  mutating func begin(_ context: DownloadContext) {
    let (plan, flag) = (plan, flag)
    opening = Task {
      await context.disk.perform {
        Result { () throws(DiskError) in try Self.open(plan, context, flag) }
      }
    }
  }

  /// The result of the early opening; nil if nothing was opened. What may have changed since, such
  /// as a lock of another download or a full disk, is checked again.
  static func found(
    by opening: Opening?
  ) async throws(DownloadStop) -> State? {
    switch await opening?.value {
    case nil, .success(.taken)?: return nil
    case .success(let found)?: return found
    case .failure(let error)? where error.isCancelled: throw .cancelled
    case .failure?: return nil
    }
  }

  /// Opens the part file of an episode; it blocks on the disk.
  static func open(
    _ plan: DownloadPlan, _ context: DownloadContext, _ flag: CancelFlag
  ) throws(DiskError) -> State {
    let opening = try PartialDownload.open(
      plan, in: context.library, context.partials, context.committer,
      isForced: context.options.isForced,
      hashing: context.options.computesChecksums
        ? PartialDownload.Hashing(disk: context.disk, blocks: context.blocks) : nil,
      flag: flag)
    switch consume opening {
    case .taken: return .taken
    case .settled(let local): return .settled(local)
    case .recovered(let file): return .recovered(file)
    case .opened(let partial):
      return .opened(
        BodyWriter(
          partial, resumesByOverlap: context.options.resumesByOverlap,
          longestUnknownLength: context.options.longestUnknownLength, blocks: context.blocks))
    }
  }
}
