package import CFiles
import Glibc
import PodcastModel
internal import PodcastSystem

/// An open file or folder that is closed when its last owner releases it.
package final class OpenFile: Sendable {
  /// The descriptor's number.
  package let number: Int32
  /// Whether it belongs to a library that a group shares, so that the group may read and write
  /// podget's own files there.
  package let isShared: Bool

  private init(_ number: Int32, isShared: Bool) {
    self.number = number
    self.isShared = isShared
  }

  deinit { close(number) }

  /// Opens a path, relative to `folder` when one is given.
  package static func open(
    _ path: String, in folder: OpenFile? = nil, flags: Int32, mode: UInt32 = 0
  ) throws(DiskError) -> OpenFile {
    let base = folder?.number ?? AT_FDCWD
    let number = try retryingInterrupts("open", path) {
      openat(base, path, flags | O_CLOEXEC, mode)
    }
    return OpenFile(number, isShared: folder?.isShared ?? false)
  }

  /// The same folder as that of a library, whose mode shows whether a group shares it.
  package func asLibrary() throws(DiskError) -> OpenFile {
    let copy = try retryingInterrupts("open", ".") { fcntl(number, F_DUPFD_CLOEXEC, 0) }
    let permissions = status?.permissions ?? 0
    return OpenFile(copy, isShared: permissions & UInt32(S_IWGRP) != 0)
  }

  /// Opens a folder that the user named, and creates it and its parents if they are missing.
  package static func folder(_ path: String, creating: Bool) throws(DiskError) -> OpenFile {
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
      // Also if it existed: the process that created it may have been killed before the sync. If
      // the parent of the library cannot be synced by this user, that is not an error.
      if isNew { try parent.synchronize(path) } else { try? parent.synchronize(path) }
      parent = child
    }
    return parent
  }

  /// The status of a file.
  package typealias Status = podget_file_status

  /// The status of the open file; nil, with errno set, on failure.
  package var status: podget_file_status? {
    var status = podget_file_status()
    return podget_file_status_get(number, &status) == 0 ? status : nil
  }

  /// The status of a name in this folder; nil, with errno set, when there is none.
  package func status(of name: String) -> podget_file_status? {
    var status = podget_file_status()
    return podget_name_status_get(number, name, &status) == 0 ? status : nil
  }

  /// Whether this is the same folder, by any path.
  package func isSameFolder(as other: OpenFile) -> Bool {
    guard let here = status, let there = other.status else { return false }
    return here.isSameFile(as: there)
  }

  /// Makes the folder's entries, or the file, survive a power failure. File systems that cannot
  /// sync a folder return EINVAL, and nothing more can be done on them.
  package func synchronize(_ name: String) throws(DiskError) {
    do throws(DiskError) {
      _ = try retryingInterrupts("sync", name) { OperatingSystem.synchronize(number) }
    } catch {
      guard error.number == EINVAL else { throw error }
    }
  }
}

extension OpenFile {
  /// Removes a name from this folder, if it is still the same, unchanged file as before.
  ///
  /// - Returns: whether the name is gone.
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

extension OpenFile {
  /// Waits for the lock of an open file or folder. The process that has it may be stopped, and then
  /// a wait in the kernel could not be ended.
  package func waitForLock(_ name: String, _ isCancelled: () -> Bool) throws(DiskError) {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw DiskError(errno, "lock", name) }
      if isCancelled() { throw .cancelled("lock", name) }
      usleep(2000)
    }
  }
}

extension podget_file_status {
  /// Whether both are the same file, under any name.
  package func isSameFile(as other: podget_file_status) -> Bool {
    inode == other.inode && device == other.device
  }

  /// Whether both are the same file with the same content, by its length and its modification time.
  package func hasSameContent(as other: podget_file_status) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }

  /// Whether nothing at all about the file has changed, including its names.
  package func isUnchanged(since earlier: podget_file_status) -> Bool {
    hasSameContent(as: earlier) && changed == earlier.changed
  }
}
