internal import CFiles
import Glibc
import PodcastTransfer

extension Library {
  /// How often a folder is opened that another process removes at that moment.
  private static let openings = 3
  /// `F_OFD_SETLK` and `F_OFD_GETLK`, which Glibc does not export to Swift.
  private static let (setLock, getLock): (Int32, Int32) = (37, 36)
  /// The lock of the list of subscriptions, which stays when nothing is followed after all.
  private static let listLock = "subscriptions.opml.lock"

  /// Opens the folder of a library, and creates it if there is none.
  ///
  /// Who opens a library without an index holds a shared lock on its folder, so that the process that
  /// created it does not remove it.
  static func created(_ path: String) throws(DiskError) -> Library {
    var library = try createdOnce(path)
    for _ in 1..<openings where library.root.status?.links == 0 {
      library = try createdOnce(path)
    }
    return library
  }

  private static func createdOnce(_ path: String) throws(DiskError) -> Library {
    var isNew = false
    let folder: OpenFile
    do throws(DiskError) {
      folder = try OpenFile.folder(path, creating: false)
    } catch {
      guard error.number == ENOENT else { throw error }
      isNew = true
      folder = try OpenFile.folder(path, creating: true)
    }
    let root = try folder.asLibrary()
    // A file system without locks has no other process that could tell.
    if isNew || root.status(of: ".podget/\(LibraryDatabase.fileName)") == nil {
      _ = lock(root, setLock, F_RDLCK)
    }
    return Library(path: path, root: root, isNew: isNew)
  }

  /// Removes the library's folder if it was created when this one was opened, nothing came into it,
  /// no other process works in it, and it still has its name. Folders above it stay.
  package func removeIfUnused() {
    guard isNew, Self.lock(root, Self.getLock, F_WRLCK) == Int16(F_UNLCK) else { return }
    let own = (try? ownFolder(creating: false)) ?? nil
    guard let named = try? OpenFile.folder(path, creating: false), named.isSameFolder(as: root),
      root.entries().allSatisfy({ $0 == ".podget" }),
      own?.entries().allSatisfy({ $0 == "partial" || $0 == Self.listLock }) ?? true
    else { return }
    // A folder with something in it is not removed.
    if unlinkat(root.number, ".podget/partial", AT_REMOVEDIR) == 0 || errno == ENOENT {
      if let own { unlinkat(own.number, Self.listLock, 0) }
      unlinkat(root.number, ".podget", AT_REMOVEDIR)
      rmdir(path)
    }
  }

  /// Takes a lock of the folder, or asks who would be in its way. flock(2) has another meaning for
  /// folders, and neither sees the other.
  ///
  /// - Returns: the kind of lock that is in its way, `F_UNLCK` for none; nil on failure.
  private static func lock(_ folder: OpenFile, _ command: Int32, _ kind: Int32) -> Int16? {
    var lock = Glibc.flock()
    (lock.l_type, lock.l_whence) = (Int16(kind), Int16(SEEK_SET))
    return fcntl(folder.number, command, &lock) == 0 ? lock.l_type : nil
  }
}
