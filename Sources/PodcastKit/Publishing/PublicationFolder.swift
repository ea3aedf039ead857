internal import CFiles
import FoundationEssentials
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// A folder that a web server serves, and into which podget publishes.
///
/// Each file gets its name complete and in one step. First the record says what may be there, then
/// files are written, then stale ones are removed: after a kill the next run knows every file of podget.
///
/// What is published is for everybody, so that files and folders can be read by everybody, whatever the
/// umask. Only the record is not for others.
struct PublicationFolder {
  /// The file that is being written. There is one at a time, since the folder is locked.
  static let temporaryName = ".podget-publish.new"

  /// The folder's path, for messages.
  let path: String
  /// The folder; nil for one that a dry run does not create.
  let root: OpenFile?
  let isDryRun: Bool
  /// What was published before.
  let earlier: PublicationRecord
  /// What the record in the folder says now.
  private var recorded: PublicationRecord
  private var folders: [String: OpenFile] = [:]

  /// Opens the folder, which must be neither the library nor in it nor above it, and locks it.
  ///
  /// - Parameter topFolders: the folders in the library, which may be links to others.
  /// - Throws: a ``PodgetError``.
  init(
    _ path: String, for library: Library, _ topFolders: Set<String>, isDryRun: Bool
  ) throws(PodgetError) {
    self.path = path
    self.isDryRun = isDryRun
    let libraries = [library.root] + library.linked(topFolders)
    do throws(DiskError) {
      // Before anything is created: what is above the new folder is where it will be.
      let above = try Self.nearest(path)
      try Self.require(above.folder, outside: libraries, at: path, exists: above.isWhole)
      guard above.isWhole || !isDryRun else {
        root = nil
        (earlier, recorded) = (PublicationRecord(), PublicationRecord())
        return
      }
      root = try OpenFile.folder(path, creating: !isDryRun)
      if !above.isWhole, let root { fchmod(root.number, 0o755) }
    } catch {
      throw error.at(error.operation, path).podgetError
    }
    guard let root else { throw PodgetError(.disk, "Cannot open \(path).") }
    do throws(DiskError) {
      try Self.require(root, outside: libraries, at: path, exists: true)
    } catch {
      throw error.podgetError
    }
    if !isDryRun, flock(root.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw PodgetError(.disk, "Another podget is publishing into \(path).")
    }
    earlier = try PublicationRecord(in: root, at: path)
    recorded = earlier
    if !isDryRun { unlinkat(root.number, Self.temporaryName, 0) }
  }

  /// Records what may be there besides, before it is.
  mutating func announce(_ more: PublicationRecord) throws(PodgetError) {
    var new = recorded
    new.formUnion(more)
    try record(new)
  }

  /// Removes what podget published earlier and is not there any more.
  ///
  /// - Parameter final: the files that are there.
  /// - Returns: how many files were removed, or would be, and the paths of those that are not as podget
  ///   wrote them, which stay.
  mutating func end(
    _ final: PublicationRecord
  ) throws(PodgetError) -> (removed: Int, changed: [String]) {
    var removed = 0
    var changed: [String] = []
    for (stale, file) in recorded.files.sorted(by: { $0.key < $1.key })
    where final.files[stale] == nil {
      let name = LibraryPath.split(stale).name
      let parent: OpenFile?
      do throws(PodgetError) {
        parent = try self.parent(of: stale)
      } catch {
        // Something else is in the place of the podcast's folder.
        changed.append(stale)
        continue
      }
      guard let parent, parent.status(of: name) != nil else { continue }
      guard file.prints.contains(where: { $0.isFile(name, in: parent) }) else {
        changed.append(stale)
        continue
      }
      removed += 1
      guard !isDryRun else { continue }
      guard unlinkat(parent.number, name, 0) == 0 || errno == ENOENT else {
        throw DiskError(errno, "remove", LibraryPath.join(path, stale)).podgetError
      }
    }
    guard let root, !isDryRun else { return (removed, changed) }
    for folder in folders.values { try? folder.synchronize(path) }
    let kept = Set(final.files.keys.map { LibraryPath.split($0).folder })
    for folder in Set(recorded.files.keys.map { LibraryPath.split($0).folder }).subtracting(kept)
    where !folder.isEmpty {
      // One with files of another origin stays.
      unlinkat(root.number, folder, AT_REMOVEDIR)
    }
    try record(final)
    return (removed, changed)
  }

  /// Records only what is there, after a failure.
  mutating func endEarly() {
    var left = PublicationRecord(identities: recorded.identities)
    for (path, file) in recorded.files {
      let name = LibraryPath.split(path).name
      guard let parent = try? parent(of: path) else { continue }
      for print in file.prints where print.isFile(name, in: parent) {
        left.insert(path, print, hasKeyAsGUID: file.hasKeyAsGUID)
      }
    }
    // The failure itself is what the user is told.
    try? record(left)
  }

  private mutating func record(_ new: PublicationRecord) throws(PodgetError) {
    guard new != recorded else { return }
    recorded = new
    guard let root, !isDryRun else { return }
    do throws(DiskError) {
      try put(as: PublicationRecord.name, in: root, mode: 0o600) { (file) throws(DiskError) in
        try file.writeAll(Data(new.bytes), PublicationRecord.name)
      }
      try root.synchronize(path)
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, PublicationRecord.name)).podgetError
    }
  }
}

extension PublicationFolder {
  /// The folder in which a path is; nil if there is none.
  mutating func parent(of wanted: String) throws(PodgetError) -> OpenFile? {
    do throws(DiskError) {
      return try folder(LibraryPath.split(wanted).folder, creating: false)
    } catch {
      throw error.at(error.operation, LibraryPath.join(path, wanted)).podgetError
    }
  }

  /// A podcast's folder, or the whole one; nil if there is none and none is created.
  mutating func folder(_ name: String, creating: Bool) throws(DiskError) -> OpenFile? {
    guard let root, !name.isEmpty else { return root }
    if let known = folders[name] { return known }
    let isNew = creating && mkdirat(root.number, name, 0o755) == 0
    if creating, !isNew, errno != EEXIST { throw DiskError(errno, "create the folder", name) }
    do throws(DiskError) {
      let folder = try OpenFile.open(
        name, in: root, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      // Some file systems have no modes.
      if isNew { fchmod(folder.number, 0o755) }
      if Self.hasRecords(folder) {
        throw DiskError(EINVAL, "publish into", name, reason: "it has records of a library")
      }
      folders[name] = folder
      return folder
    } catch {
      guard error.number == ENOENT, !creating else { throw error.at("publish into", name) }
      return nil
    }
  }

  /// Writes a file and gives it its name.
  func put(
    as name: String, in folder: OpenFile, mode: UInt32 = 0o644,
    _ fill: (OpenFile) throws(DiskError) -> Void
  ) throws(DiskError) {
    guard let root else { return }
    let new: OpenFile
    do throws(DiskError) {
      new = try OpenFile.open(
        Self.temporaryName, in: root, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    } catch {
      throw error.at("create", name)
    }
    do throws(DiskError) {
      try fill(new)
      fchmod(new.number, mode)
      try new.synchronize(name)
      try rename(as: name, in: folder)
    } catch {
      unlinkat(root.number, Self.temporaryName, 0)
      throw error
    }
  }

  /// Gives the file that was written its name.
  func rename(as name: String, in folder: OpenFile) throws(DiskError) {
    guard let root else { return }
    guard renameat(root.number, Self.temporaryName, folder.number, name) == 0 else {
      let error = DiskError(errno, "replace", name)
      unlinkat(root.number, Self.temporaryName, 0)
      throw error
    }
    // Two names of one file stay two names.
    unlinkat(root.number, Self.temporaryName, 0)
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
  ///
  /// - Parameter libraries: the library, and the folders elsewhere that links in it lead to.
  private static func require(
    _ folder: OpenFile, outside libraries: [OpenFile], at path: String, exists: Bool
  ) throws(DiskError) {
    if exists && hasRecords(folder)
      || libraries.contains(where: { folder.lies(in: $0) || exists && $0.lies(in: folder) })
    {
      throw DiskError(
        EINVAL, "publish into", path,
        reason: "it is a library, or in one or above one, and its records would be served too; "
          + "choose a folder beside it")
    }
  }

  private static func hasRecords(_ folder: OpenFile) -> Bool {
    [".podget", ".podget.ndjson"].contains { folder.status(of: $0) != nil }
  }
}

extension Library {
  /// The folders elsewhere to which links in the library's own folder lead.
  fileprivate func linked(_ names: Set<String>) -> [OpenFile] {
    names.filter { root.status(of: $0)?.is_link == true }.compactMap {
      try? OpenFile.folder($0, in: root, creating: false)
    }
  }
}
