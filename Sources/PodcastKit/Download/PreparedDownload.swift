import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// An episode on its way to its turn: its part file may be opened before that, so that a slot that
/// comes free waits for no disk.
struct PreparedDownload: Sendable {
  /// What is there when a download begins.
  enum Found: Sendable {
    /// Another download holds the episode, in this process or another.
    case taken
    /// Another one has dealt with it since it was planned.
    case settled(LocalEpisode)
    /// A killed process left the complete file, which is on record now.
    case recovered(FinishedFile)
    /// The part file is open and locked.
    case opened(BodyWriter)
  }

  typealias Opening = Task<Result<Found, DiskError>, Never>

  let plan: DownloadPlan
  /// Tells file work that looks for it that the download was cancelled.
  let flag = CancelFlag()
  /// What opens the part file; nil where nothing does yet.
  private(set) var opening: Opening?

  /// Prepares a download without opening anything.
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

  /// What was found beforehand; nil where nothing was opened. What may have changed since, such as
  /// another download that held it or a full disk, is looked at again.
  static func found(
    by opening: Opening?
  ) async throws(DownloadStop) -> Found? {
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
  ) throws(DiskError) -> Found {
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
          partial, resumesByOverlap: context.options.resumesByOverlap, blocks: context.blocks))
    }
  }
}
