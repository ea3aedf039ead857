import Glibc
import Synchronization

/// Tells when another program changes the records of a library, by inotify(7).
///
/// On a file system of another machine nothing may come.
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

  private static let mask = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | IN_ONLYDIR)

  private let descriptor: Int32
  private let own: String
  private let watches = Mutex<(names: [Int32: String], ids: [String: Int32])>(([:], [:]))

  /// Begins to watch the folders of a library that every podget writes to.
  ///
  /// - Parameter path: the library's path.
  init?(library path: String) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    own = "\(path)/.podget"
    guard descriptor >= 0 else { return nil }
    _ = add([own, "\(own)/partial"], since: nil)
  }

  deinit { close(descriptor) }

  /// Watches more folders, as far as the system has room for it.
  ///
  /// - Parameter time: since when changes must not be missed.
  /// - Returns: whether a record of a folder that was not watched has changed since then.
  func add(_ folders: some Sequence<String>, since time: timespec?) -> Bool {
    watches.withLock { watches in
      var isStale = false
      for folder in folders where watches.ids[folder] == nil {
        let id = inotify_add_watch(descriptor, folder, Self.mask)
        if id < 0, errno == ENOSPC { break }
        guard id >= 0 else { continue }
        watches.names[id] = folder
        watches.ids[folder] = id
        var status = stat()
        guard let time, stat("\(folder)/.podget.ndjson", &status) == 0 else { continue }
        let changed = status.st_mtim
        isStale = isStale || (changed.tv_sec, changed.tv_nsec) >= (time.tv_sec, time.tv_nsec)
      }
      return isStale
    }
  }

  /// Changes that came; nil when none can come any more.
  ///
  /// - Parameter waits: whether to block until there are some.
  func next(waits: Bool = true) -> Changes? {
    var changes: Changes = []
    while changes.isEmpty {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if !waits, poll(&request, 1, 0) <= 0 { return changes }
      let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
      }
      guard !bytes.isEmpty else { return nil }
      bytes.withUnsafeBytes { bytes in
        var place = 0
        while place + MemoryLayout<inotify_event>.size <= bytes.count {
          let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let start = place + MemoryLayout<inotify_event>.size
          place = start + Int(event.len)
          guard place <= bytes.count else { break }
          let name = bytes[start..<place].prefix { $0 != 0 }
          changes.formUnion(take(event, String(decoding: name, as: UTF8.self)))
        }
      }
    }
    return changes
  }

  private func take(_ event: inotify_event, _ name: String) -> Changes {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .all }
    let folder = watches.withLock { watches in
      let folder = watches.names[event.wd]
      if event.mask & UInt32(IN_MOVE_SELF) != 0 { inotify_rm_watch(descriptor, event.wd) }
      // The folder is gone, or is somewhere else.
      if event.mask & UInt32(IN_MOVE_SELF | IN_IGNORED) != 0, let folder {
        watches.names[event.wd] = nil
        watches.ids[folder] = nil
      }
      return folder
    }
    guard let folder, event.mask & UInt32(IN_IGNORED) == 0 else { return [] }
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
