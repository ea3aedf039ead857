import CFiles
import Glibc
import PodcastSystem

/// Tells when another program changes the records of a library.
final class RecordWatch: Sendable {
  /// What has changed.
  struct Changes: OptionSet, Sendable {
    let rawValue: Int
    /// Episodes: a record, a file, or a plan.
    static let episodes = Changes(rawValue: 1)
    /// The subscriptions, or what is known of their feeds.
    static let subscriptions = Changes(rawValue: 2)
    /// What feeds list.
    static let lists = Changes(rawValue: 4)
    static let all: Changes = [.episodes, .subscriptions, .lists]
  }

  private let watch: FolderWatch
  private let own: String

  /// Begins to watch the folders of a library that every podget writes to.
  ///
  /// - Parameter path: the library's path.
  init?(library path: String) {
    guard let watch = FolderWatch() else { return nil }
    self.watch = watch
    own = "\(path)/.podget"
    _ = watch.add([own, "\(own)/partial"])
  }

  /// Watches more folders, as far as the system has room for it.
  ///
  /// - Parameter time: since when changes must not be missed.
  /// - Returns: whether a record of a folder that was not watched has changed since then.
  func add(_ folders: some Sequence<String>, since time: timespec) -> Bool {
    watch.add(folders).reduce(false) { isStale, folder in
      var status = podget_file_status()
      let record = "\(folder)/.podget.ndjson"
      guard podget_name_status_get(AT_FDCWD, record, &status) == 0 else { return isStale }
      return isStale || status.modified >= podget_nanoseconds(time)
    }
  }

  /// Changes that came; nil when none can come any more.
  ///
  /// - Parameter waits: whether to block until there are some.
  func next(waits: Bool = true) -> Changes? {
    while true {
      guard let events = watch.next(waits: waits) else { return nil }
      let changes = events.reduce(into: Changes()) { $0.formUnion(meaning(of: $1)) }
      if !changes.isEmpty || !waits { return changes }
    }
  }

  private func meaning(of event: FolderWatch.Event) -> Changes {
    switch event {
    case .missed: return .all
    case .gone(let folder): return folder == own ? [] : .episodes
    case .changed(let folder, let name):
      guard folder == own else {
        // A file that grows is no news.
        return name.hasSuffix(".part") ? [] : .episodes
      }
      switch name {
      case "subscriptions.opml": return .all
      case "podcasts.ndjson": return [.episodes, .subscriptions]
      case "feeds.ndjson": return .subscriptions
      case "listed.db": return .lists
      default: return []
      }
    }
  }
}
