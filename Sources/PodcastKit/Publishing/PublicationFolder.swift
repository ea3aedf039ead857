internal import CFiles
import FoundationEssentials
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// A folder that a web server serves, and into which podget publishes.
///
/// Each file gets its name complete and in one step. First the record names all that will be there, then
/// files are written, then stale ones are removed: after a kill the next run knows every file of podget.
struct PublicationFolder {
  /// The file that is being written. There is one at a time, since the folder is locked.
  static let temporaryName = ".podget-publish.new"

  /// The folder's path, for messages.
  let path: String
  /// The folder; nil for one that a dry run does not create.
  private let root: OpenFile?
  private let isDryRun: Bool
  private let earlier: PublicationRecord
  private var folders: [String: OpenFile] = [:]

  /// Opens the folder, which must be neither the library nor in it nor above it, and locks it.
  ///
  /// - Throws: a ``PodgetError``.
  init(_ path: String, for library: Library, isDryRun: Bool) throws(PodgetError) {
    self.path = path
    self.isDryRun = isDryRun
    do throws(DiskError) {
      // Before anything is created: what is above the new folder is where it will be.
      let above = try Self.nearest(path)
      try Self.require(above.folder, outside: library, at: path, exists: above.isWhole)
      guard above.isWhole || !isDryRun else {
        root = nil
        earlier = PublicationRecord()
        return
      }
      root = try OpenFile.folder(path, creating: !isDryRun)
    } catch {
      throw error.at(error.operation, path).podgetError
    }
    guard let root else { throw PodgetError(.disk, "Cannot open \(path).") }
    do throws(DiskError) {
      try Self.require(root, outside: library, at: path, exists: true)
    } catch {
      throw error.podgetError
    }
    if !isDryRun, flock(root.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw PodgetError(.disk, "Another podget is publishing into \(path).")
    }
    earlier = try PublicationRecord(in: root, at: path)
    if !isDryRun { unlinkat(root.number, Self.temporaryName, 0) }
  }

  /// Makes sure that no file of another origin has one of the names.
  ///
  /// - Throws: a ``PodgetError`` that names the first one.
  mutating func requireFree(_ paths: some Sequence<String>) throws(PodgetError) {
    for wanted in paths where !earlier.paths.contains(wanted) {
      guard try status(of: wanted) != nil else { continue }
      throw PodgetError(
        .disk, "\(path)/\(wanted) is not a file of podget; move it away, or choose another folder.")
    }
  }

  /// Records what will be there, before it is.
  func begin(_ paths: Set<String>) throws(PodgetError) {
    try record(PublicationRecord(earlier.paths.union(paths)), insteadOf: earlier)
  }

  /// Removes what podget published earlier and is not among the paths.
  ///
  /// - Returns: how many files were removed, or would be.
  mutating func end(_ paths: Set<String>, of begun: Set<String>) throws(PodgetError) -> Int {
    var count = 0
    for stale in earlier.paths.union(begun).subtracting(paths).sorted() {
      guard let status = try status(of: stale), status.is_regular else { continue }
      count += 1
      let (folder, name) = LibraryPath.split(stale)
      guard !isDryRun, let parent = folder.isEmpty ? root : folders[folder] else { continue }
      guard unlinkat(parent.number, name, 0) == 0 || errno == ENOENT else {
        throw DiskError(errno, "remove", LibraryPath.join(path, stale)).podgetError
      }
    }
    guard let root, !isDryRun else { return count }
    for folder in folders.values { try? folder.synchronize(path) }
    let kept = Set(paths.map { LibraryPath.split($0).folder })
    for folder in Set(earlier.paths.map { LibraryPath.split($0).folder }).subtracting(kept)
    where !folder.isEmpty {
      // One with files of another origin stays.
      unlinkat(root.number, folder, AT_REMOVEDIR)
    }
    try record(
      PublicationRecord(paths), insteadOf: PublicationRecord(earlier.paths.union(begun)))
    return count
  }

  private func record(
    _ new: PublicationRecord, insteadOf old: PublicationRecord
  ) throws(PodgetError) {
    guard new != old, let root, !isDryRun else { return }
    do throws(DiskError) {
      try put(new.bytes, as: PublicationRecord.name, in: root)
      try root.synchronize(path)
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, PublicationRecord.name)).podgetError
    }
  }
}

extension PublicationFolder {
  /// Writes a file, unless it has these bytes.
  ///
  /// - Returns: whether it was written, or would be.
  mutating func write(_ bytes: [UInt8], to wanted: String) throws(PodgetError) -> Bool {
    let (folder, name) = LibraryPath.split(wanted)
    do throws(DiskError) {
      guard let parent = try self.folder(folder, creating: !isDryRun) else { return true }
      if parent.status(of: name)?.size == Int64(bytes.count),
        let there = try? OpenFile.ownContents(name, in: parent, limit: Int64(bytes.count)),
        there.elementsEqual(bytes)
      {
        return false
      }
      if !isDryRun { try put(bytes, as: name, in: parent) }
      return true
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
    }
  }

  /// Gives an episode's file a name here too: by a hard link, so that it takes no space, or as a copy.
  ///
  /// - Returns: whether that was done, or would be; false for what is there already.
  mutating func place(
    _ file: OpenFile, as wanted: String, copying: Bool
  ) throws(PodgetError) -> Bool {
    let (folder, name) = LibraryPath.split(wanted)
    do throws(DiskError) {
      guard let parent = try self.folder(folder, creating: !isDryRun) else { return true }
      guard let status = file.status else { throw DiskError(errno, "examine", wanted) }
      if let there = parent.status(of: name), there.is_regular {
        let isSame = there.isSameFile(as: status)
        if isSame != copying,
          isSame || there.size == status.size && there.modified == status.modified
        {
          return false
        }
      }
      guard !isDryRun, let root else { return true }
      if copying {
        try put(as: name, in: parent) { (new) throws(DiskError) in
          try new.copyAll(of: file, wanted)
          podget_copy_times(file.number, new.number)
        }
      } else {
        // The very file that was opened, whatever has its name by now.
        guard
          linkat(
            AT_FDCWD, "/proc/self/fd/\(file.number)", root.number, Self.temporaryName,
            AT_SYMLINK_FOLLOW) == 0
        else {
          let isImpossible = [EXDEV, EPERM, EMLINK, EOPNOTSUPP].contains(errno)
          throw DiskError(errno, "link", wanted, remedy: isImpossible ? .copyFiles : nil)
        }
        try rename(as: name, in: parent)
      }
      return true
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
    }
  }

  private func put(
    _ bytes: [UInt8], as name: String, in folder: OpenFile
  ) throws(DiskError) {
    try put(as: name, in: folder) { (new) throws(DiskError) in
      try new.writeAll(Data(bytes), name)
    }
  }

  private func put(
    as name: String, in folder: OpenFile, _ fill: (OpenFile) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard let root else { return }
    let new = try OpenFile.open(
      Self.temporaryName, in: root, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o666)
    do throws(DiskError) {
      try fill(new)
      try new.synchronize(name)
      try rename(as: name, in: folder)
    } catch {
      unlinkat(root.number, Self.temporaryName, 0)
      throw error
    }
  }

  private func rename(as name: String, in folder: OpenFile) throws(DiskError) {
    guard let root else { return }
    guard renameat(root.number, Self.temporaryName, folder.number, name) == 0 else {
      let error = DiskError(errno, "replace", name)
      unlinkat(root.number, Self.temporaryName, 0)
      throw error
    }
    // Two names of one file stay two names.
    unlinkat(root.number, Self.temporaryName, 0)
  }

  private mutating func status(of wanted: String) throws(PodgetError) -> OpenFile.Status? {
    let (folder, name) = LibraryPath.split(wanted)
    do throws(DiskError) {
      return try self.folder(folder, creating: false)?.status(of: name)
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
    }
  }

  /// A podcast's folder, or the whole one; nil if there is none and none is created.
  private mutating func folder(_ name: String, creating: Bool) throws(DiskError) -> OpenFile? {
    guard let root, !name.isEmpty else { return root }
    if let known = folders[name] { return known }
    if creating, mkdirat(root.number, name, 0o755) != 0, errno != EEXIST {
      throw DiskError(errno, "create the folder", name)
    }
    do throws(DiskError) {
      let folder = try OpenFile.open(
        name, in: root, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      folders[name] = folder
      return folder
    } catch {
      guard error.number == ENOENT, !creating else { throw error }
      return nil
    }
  }
}

extension PublicationFolder {
  /// The folder at a path, or the nearest one above it that exists.
  private static func nearest(
    _ path: String
  ) throws(DiskError) -> (folder: OpenFile, isWhole: Bool) {
    var (rest, isWhole) = (path, true)
    while true {
      do throws(DiskError) {
        return (try OpenFile.folder(rest, creating: false), isWhole)
      } catch {
        guard error.number == ENOENT, !rest.isEmpty, rest != "/" else { throw error }
        let parent = LibraryPath.split(rest).folder
        rest = parent.isEmpty && LibraryPath.isAbsolute(rest) ? "/" : parent
        isWhole = false
      }
    }
  }

  /// A server that serves a library serves its records too, with the addresses of private feeds.
  private static func require(
    _ folder: OpenFile, outside library: Library, at path: String, exists: Bool
  ) throws(DiskError) {
    let hasRecords = [".podget", ".podget.ndjson"].contains { folder.status(of: $0) != nil }
    if folder.lies(in: library.root) || exists && (hasRecords || library.root.lies(in: folder)) {
      throw DiskError(
        EINVAL, "publish into", path,
        reason: "it is a library, or in one or above one, and its records would be served too; "
          + "choose a folder beside it")
    }
  }
}

extension OpenFile {
  /// Writes all bytes of another file at the descriptor's own position.
  fileprivate func copyAll(of other: OpenFile, _ name: String) throws(DiskError) {
    let before = other.status
    var buffer = [UInt8](repeating: 0, count: Block.size)
    var offset: Int64 = 0
    while true {
      let count = try retryingInterrupts("read", name) {
        pread(other.number, &buffer, buffer.count, off_t(offset))
      }
      guard count > 0 else { break }
      try writeAll(Data(buffer[..<count]), name)
      offset += Int64(count)
    }
    guard let before, let after = other.status, after.hasSameContent(as: before),
      offset == before.size
    else { throw DiskError(EBUSY, "copy", name, reason: "the file is being changed") }
  }
}
