import Glibc
import PodcastBrowse
import PodcastKit

/// What other programs change in the library is seen without a key.
extension BrowseEngine {
  /// How long changes are collected, and how long at least the next reading waits after one that took a
  /// second: a sync beside the screen changes much, and keys come first.
  private static let collected = Duration.milliseconds(150)
  private static let restFactor = 8.0

  /// Reads again what changes, until the process ends.
  func watch(_ watch: RecordWatch) async {
    self.watch = watch
    while var changes = await BlockingWork.run({ watch.next() }) ?? nil {
      try? await Task.sleep(for: Self.collected)
      changes.formUnion(watch.next(waits: false) ?? [])
      let begin = ContinuousClock.now
      if changes.contains(.subscriptions) { await perform(.loadSubscriptions) }
      if changes.contains(.episodes) || isNewWanted { await loadLibrary() }
      try? await Task.sleep(for: begin.duration(to: .now) * Self.restFactor)
    }
  }

  /// Watches the folders of episodes; whether one changed while they were read.
  ///
  /// - Parameter begin: when the reading began.
  func watch(_ episodes: [LocalEpisode], since begin: timespec) async -> Bool {
    guard let watch else { return false }
    let path = library.path
    return await disk.perform {
      let folders = Set(episodes.lazy.map(\.plan.file.folder.text))
      return watch.add(
        folders.lazy.map { $0.isEmpty ? path : "\(path)/\($0)" }, since: begin)
    }
  }
}
