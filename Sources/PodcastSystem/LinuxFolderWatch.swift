#if os(Linux)

  import Glibc
  import Synchronization

  /// Tells when another program changes the entries of folders, by inotify(7).
  ///
  /// On a file system of another machine nothing may come.
  package final class FolderWatch: Sendable {
    /// What has happened.
    package enum Event: Sendable, Hashable {
      /// An entry of a folder was written, created by a rename, renamed, or removed.
      case changed(folder: String, name: String)
      /// The folder is gone, or is somewhere else; it is not watched any more.
      case gone(folder: String)
      /// More has happened than the system kept.
      case missed
    }

    private static let mask = UInt32(
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_MOVE_SELF | IN_ONLYDIR)

    private let descriptor: Int32
    private let watches = Mutex<(names: [Int32: String], ids: [String: Int32])>(([:], [:]))

    /// A watch without a folder; nil if the system has no room for one.
    package init?() {
      descriptor = inotify_init1(Int32(IN_CLOEXEC))
      guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Watches more folders, as far as the system has room for it.
    ///
    /// - Returns: those that were not watched before.
    package func add(_ folders: some Sequence<String>) -> [String] {
      watches.withLock { watches in
        var added: [String] = []
        for folder in folders where watches.ids[folder] == nil {
          let id = inotify_add_watch(descriptor, folder, Self.mask)
          if id < 0, errno == ENOSPC { break }
          guard id >= 0 else { continue }
          watches.names[id] = folder
          watches.ids[folder] = id
          added.append(folder)
        }
        return added
      }
    }

    /// Events that came; nil when none can come any more.
    ///
    /// - Parameter waits: whether to block until there are some. Some may be of no interest, and the
    ///   result is empty then.
    package func next(waits: Bool) -> [Event]? {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if !waits, poll(&request, 1, 0) <= 0 { return [] }
      let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
      }
      guard !bytes.isEmpty else { return nil }
      var events: [Event] = []
      bytes.withUnsafeBytes { bytes in
        var place = 0
        while place + MemoryLayout<inotify_event>.size <= bytes.count {
          let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let start = place + MemoryLayout<inotify_event>.size
          place = start + Int(event.len)
          guard place <= bytes.count else { break }
          let name = bytes[start..<place].prefix { $0 != 0 }
          if let event = take(event, String(decoding: name, as: UTF8.self)) { events.append(event) }
        }
      }
      return events
    }

    private func take(_ event: inotify_event, _ name: String) -> Event? {
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .missed }
      return watches.withLock { watches in
        guard let folder = watches.names[event.wd] else { return nil }
        if event.mask & UInt32(IN_MOVE_SELF) != 0 { inotify_rm_watch(descriptor, event.wd) }
        guard event.mask & UInt32(IN_MOVE_SELF | IN_IGNORED) != 0 else {
          return .changed(folder: folder, name: name)
        }
        watches.names[event.wd] = nil
        watches.ids[folder] = nil
        return .gone(folder: folder)
      }
    }
  }

#endif
