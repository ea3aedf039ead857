import PodcastBrowse

/// The order of changes: each waits for earlier ones of the same episode, and for no other.
///
/// A star must not overtake the one before. What waits for a server holds up nothing else.
struct BrowseChanges {
  /// The last change of each episode and podcast.
  private var last: [String: Task<Void, Never>] = [:]
  /// The last quick change of each episode.
  private var quick: [String: Task<Void, Never>] = [:]

  /// Waits for the quick changes that were added.
  func finish() async { for task in quick.values { await task.value } }

  /// Begins the work of an effect when its turn comes.
  ///
  /// - Returns: what waits for its end; cancelling that ends the work, and what has not begun never
  ///   does.
  mutating func add(
    _ effect: BrowseEffect, _ work: @escaping @Sendable () async -> Void
  ) -> @Sendable () async -> Void {
    guard let changed = effect.changed else { return work }
    let before = Set(changed.compactMap { last[$0] })
    let task = Task {
      for task in before { await task.value }
      guard !Task.isCancelled else { return }
      await work()
    }
    for key in changed {
      last[key] = task
      if effect.isQuick { quick[key] = task }
    }
    return {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}
