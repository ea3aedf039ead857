package import CFiles
import Glibc
import PodcastModel

/// An open file or folder that is closed when its last owner lets go.
package final class FileDescriptor: Sendable {
  /// The descriptor's number.
  package let number: Int32
  /// Whether it belongs to a library that a group shares, so that the group may read and write what
  /// podget makes there for itself.
  package let isShared: Bool

  private init(_ number: Int32, isShared: Bool) {
    self.number = number
    self.isShared = isShared
  }

  deinit { close(number) }

  /// Opens a path, relative to `folder` when one is given.
  package static func open(
    _ path: String, in folder: FileDescriptor? = nil, flags: Int32, mode: UInt32 = 0
  ) throws(DiskError) -> FileDescriptor {
    let base = folder?.number ?? AT_FDCWD
    let number = try retryingInterrupts("open", path) {
      openat(base, path, flags | O_CLOEXEC, mode)
    }
    return FileDescriptor(number, isShared: folder?.isShared ?? false)
  }

  /// The same folder as that of a library, whose mode says whether a group shares it.
  package func asLibrary() throws(DiskError) -> FileDescriptor {
    let copy = try retryingInterrupts("open", ".") { fcntl(number, F_DUPFD_CLOEXEC, 0) }
    let permissions = status?.permissions ?? 0
    return FileDescriptor(copy, isShared: permissions & UInt32(S_IWGRP) != 0)
  }

  /// Opens a folder that the user named, making it and those above it when missing.
  package static func folder(_ path: String, creating: Bool) throws(DiskError) -> FileDescriptor {
    do throws(DiskError) {
      return try open(path.isEmpty ? "." : path, flags: O_RDONLY | O_DIRECTORY)
    } catch {
      guard creating, error.number == ENOENT else { throw error }
    }
    let start = LibraryPath.isAbsolute(path) ? "/" : "."
    var parent = try open(start, flags: O_RDONLY | O_DIRECTORY)
    for part in LibraryPath.parts(path) {
      let isNew = mkdirat(parent.number, part, 0o755) == 0
      guard isNew || errno == EEXIST else { throw DiskError(errno, "create the folder", path) }
      let child = try open(part, in: parent, flags: O_RDONLY | O_DIRECTORY)
      // Also where it was there: whoever made it may have been killed before the sync. That a folder
      // above the library may not be synced by us is no reason to refuse it.
      if isNew { try parent.synchronize(path) } else { try? parent.synchronize(path) }
      parent = child
    }
    return parent
  }

  /// What the system knows of a file.
  package typealias Status = podget_file_status

  /// What the system knows of the open file; nil, with errno set, when it does not tell.
  package var status: podget_file_status? {
    var status = podget_file_status()
    return podget_file_status_get(number, &status) == 0 ? status : nil
  }

  /// What the system knows of a name in this folder; nil, with errno set, when there is none.
  package func status(of name: String) -> podget_file_status? {
    var status = podget_file_status()
    return podget_name_status_get(number, name, &status) == 0 ? status : nil
  }

  /// Makes the folder's entries, or the file, survive a power cut. File systems that cannot sync a
  /// folder say EINVAL, and there is nothing more to do on them.
  package func synchronize(_ name: String) throws(DiskError) {
    do throws(DiskError) {
      _ = try retryingInterrupts("sync", name) { fsync(number) }
    } catch {
      guard error.number == EINVAL else { throw error }
    }
  }
}

extension FileDescriptor {
  /// Removes a name from this folder, if what has it is still the file of an earlier look, unchanged.
  ///
  /// - Returns: whether nothing has the name any more.
  package func remove(
    _ name: String, ifStill earlier: podget_file_status
  ) throws(DiskError) -> Bool {
    guard let now = status(of: name) else {
      guard errno == ENOENT else { throw DiskError(errno, "examine", name) }
      return true
    }
    guard now.isUnchanged(since: earlier) else { return false }
    guard unlinkat(number, name, 0) == 0 || errno == ENOENT else {
      throw DiskError(errno, "remove", name)
    }
    return true
  }
}

extension FileDescriptor {
  /// Waits for the lock of an open file or folder. The process that holds it may be stopped, and then a
  /// wait in the kernel could not be ended.
  package func waitForLock(_ name: String, _ isCancelled: () -> Bool) throws(DiskError) {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw DiskError(errno, "lock", name) }
      if isCancelled() { throw .cancelled("lock", name) }
      usleep(2000)
    }
  }
}

extension podget_file_status {
  /// Whether both are of one file, whatever it is called.
  package func isSameFile(as other: podget_file_status) -> Bool {
    inode == other.inode && device == other.device
  }

  /// Whether both are of one file with the same content, as far as its length and its time tell.
  package func hasSameContent(as other: podget_file_status) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }

  /// Whether nothing at all about the file has changed since an earlier look, its names included.
  package func isUnchanged(since earlier: podget_file_status) -> Bool {
    hasSameContent(as: earlier) && changed == earlier.changed
  }
}
