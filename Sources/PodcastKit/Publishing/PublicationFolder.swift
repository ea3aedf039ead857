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
  /// The podcast's folder that was used last: there may be more of them than descriptors.
  private var last: (name: String, folder: OpenFile)?
  /// The folders in which something may have changed.
  private var touched: Set<String> = []

  /// Opens the folder, which must be neither the library nor in it nor above it, and locks it.
  ///
  /// - Parameter topFolders: the folders in the library, which may be links to others.
  /// - Throws: a ``PodgetError``.
  init(
    _ path: String, for library: Library, _ topFolders: Set<EntryName>, isDryRun: Bool
  ) throws(PodgetError) {
    self.path = path
    self.isDryRun = isDryRun
    let root: OpenFile
    do throws(DiskError) {
      // Before anything is created: what is above the new folder is where it will be.
      let above = try Self.nearest(path)
      let exists = above.missing.isEmpty
      try library.requireOutside(above.folder, topFolders, at: path, exists: exists)
      guard exists || !isDryRun else {
        self.root = nil
        (earlier, recorded) = (PublicationRecord(), PublicationRecord())
        return
      }
      root = try Self.creating(above.missing, in: above.folder)
      try library.requireOutside(root, topFolders, at: path, exists: true)
    } catch {
      throw error.at(error.operation, path).podgetError
    }
    self.root = root
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
  /// - Returns: how many files were removed, or would be, and why others stay, which the record keeps: a
  ///   later run may remove them.
  mutating func end(
    _ final: PublicationRecord
  ) throws(PodgetError) -> (removed: Int, errors: [PodgetError]) {
    var final = final
    var removed = 0
    var errors: [PodgetError] = []
    for (stale, file) in recorded.files.sorted(by: { $0.key < $1.key })
    where final.files[stale] == nil {
      do throws(PodgetError) {
        if try remove(stale, file) { removed += 1 }
      } catch {
        final.files[stale] = file
        errors.append(error)
      }
    }
    guard let root, !isDryRun else { return (removed, errors) }
    for name in touched { try? folder(name, creating: false)?.synchronize(path) }
    let kept = Set(final.files.keys.map { LibraryPath.split($0).folder })
    for folder in Set(recorded.files.keys.map { LibraryPath.split($0).folder }).subtracting(kept)
    where !folder.isEmpty {
      // One with files of another origin stays.
      unlinkat(root.number, folder, AT_REMOVEDIR)
    }
    try record(final)
    return (removed, errors)
  }

  /// Removes a stale file, or looks whether it would be; false if it is gone.
  ///
  /// - Throws: a ``PodgetError`` if it is not what podget wrote, or cannot be removed.
  private mutating func remove(
    _ stale: String, _ file: PublicationRecord.File
  ) throws(PodgetError) -> Bool {
    guard let (parent, _) = try there(stale) else { return false }
    guard try match(file.prints, at: stale, in: parent) != nil else {
      throw foreign(stale, keeps: true)
    }
    guard !isDryRun else { return true }
    touched.insert(LibraryPath.split(stale).folder)
    guard unlinkat(parent.number, LibraryPath.split(stale).name, 0) == 0 || errno == ENOENT else {
      throw DiskError(errno, "remove", LibraryPath.join(path, stale)).podgetError
    }
    return true
  }

  /// Records only what is there, after a failure, and what was recorded before and cannot be read.
  mutating func endEarly() {
    var left = recorded
    for (path, file) in recorded.files.sorted(by: { $0.key < $1.key }) {
      do throws(PodgetError) {
        guard let (parent, _) = try there(path) else {
          left.files[path] = nil
          continue
        }
        var prints: Set<FilePrint> = []
        for print in file.prints where try match([print], at: path, in: parent) != nil {
          prints.insert(print)
        }
        left.files[path]?.prints = prints
        if prints.isEmpty { left.files[path] = earlier.files[path] }
      } catch {
        // Nobody knows what it is now, so that it may be all of it.
        continue
      }
    }
    // The failure itself is what the user is told.
    try? record(left)
  }

  private mutating func record(_ new: PublicationRecord) throws(PodgetError) {
    guard new != recorded else { return }
    recorded = new
    guard let root, !isDryRun else { return }
    let bytes = new.bytes
    do throws(DiskError) {
      guard bytes.count <= PublicationRecord.maximumBytes else {
        throw DiskError(EFBIG, "write", "", reason: "the list of published files would be too long")
      }
      try put(as: PublicationRecord.name, in: root, mode: 0o600) { (file) throws(DiskError) in
        try file.writeAll(Data(bytes), PublicationRecord.name)
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
    if creating { touched.insert(name) }
    if let last, last.name == name { return last.folder }
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
      last = (name, folder)
      return folder
    } catch {
      if error.number == ENOENT, !creating { return nil }
      guard root.status(of: name)?.is_link == true else { throw error.at("publish into", name) }
      throw DiskError(
        error.number, "publish into", name,
        reason: "it is a link; remove it, or move the folder that it leads to here")
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
