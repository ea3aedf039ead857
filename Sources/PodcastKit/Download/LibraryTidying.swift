import PodcastLibrary

/// Repairs what killed runs left in a library, and deletes expired files from its trash: once in each
/// round of a run.
actor LibraryTidying {
  private var work: Task<Void, Never>?
  private var isDone = false
  private var isCancelled = false

  /// Begins, unless that was done, and waits for the end.
  func run(_ context: DownloadContext) async { await begin(context).value }

  /// Begins once more for a new round, without waiting. What takes longer than a round is not begun
  /// twice.
  func runAgain(_ context: DownloadContext) {
    if isDone { (work, isDone) = (nil, false) }
    _ = begin(context)
  }

  /// Ends the work early, now and later.
  func cancel() {
    isCancelled = true
    work?.cancel()
  }

  private func begin(_ context: DownloadContext) -> Task<Void, Never> {
    let work =
      work
      ?? Task {
        let now = context.now()
        _ = await context.disk.look {
          context.partials.sweep()
          context.committer.finishAdoptions()
          context.library.emptyTrash(at: now)
        }
        isDone = true
      }
    self.work = work
    if isCancelled { work.cancel() }
    return work
  }
}
