package import CFiles
import Glibc
internal import PodcastSystem

/// The partial bytes of one episode: an open, locked file in the library's `partial` folder.
///
/// The lock is on the file itself and ends with the process. The type has no state beside the
/// descriptor, so any thread may use it; its owner decides who writes where.
package final class PartFile: Sendable {
  /// The name within the folder of partial files.
  package let name: String
  package let folder: OpenFile
  package let file: OpenFile
  /// Whether it is a second name of a file that somebody else created, which keeps its mode.
  private let isLinked: Bool

  /// Opens or creates the file and locks it.
  ///
  /// - Returns: nil when another process, or another download of this one, has the lock.
  package static func open(_ name: String, in folder: OpenFile) throws(DiskError) -> PartFile? {
    while true {
      let file = try OpenFile.writableOwnFile(name, in: folder, flags: O_RDWR)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        guard errno == EWOULDBLOCK else { throw DiskError(errno, "lock", name) }
        return nil
      }
      // The last holder of the lock may have renamed or removed the file in the meantime.
      if let opened = file.status, let named = folder.status(of: name),
        opened.inode == named.inode, opened.device == named.device
      {
        return PartFile(name: name, folder: folder, file: file)
      }
    }
  }

  /// Opens and locks an existing file, to read it or to give it another name; a missing file is not
  /// created, and a read-only file is accepted.
  ///
  /// - Returns: nil when another process has the lock.
  /// - Throws: ENOENT if there is no such file, or if it lost its name before it was locked.
  package static func existing(_ name: String, in folder: OpenFile) throws(DiskError)
    -> PartFile?
  {
    let flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    var file = try OpenFile.open(name, in: folder, flags: O_RDONLY | flags)
    guard file.status?.is_regular == true else {
      throw DiskError(EINVAL, "open", name, reason: "it is not a regular file")
    }
    var isLocked = flock(file.number, LOCK_EX | LOCK_NB) == 0
    if !isLocked, errno == EBADF {
      // NFS locks only files that are open for writing.
      file = try OpenFile.open(name, in: folder, flags: O_RDWR | flags)
      isLocked = flock(file.number, LOCK_EX | LOCK_NB) == 0
    }
    guard isLocked else {
      guard errno == EWOULDBLOCK else { throw DiskError(errno, "lock", name) }
      return nil
    }
    guard let opened = file.status, opened.is_regular, let named = folder.status(of: name),
      opened.inode == named.inode, opened.device == named.device
    else { throw DiskError(ENOENT, "open", name) }
    return PartFile(name: name, folder: folder, file: file)
  }

  /// Opens a finished file to give it another name, without locking it.
  ///
  /// - Returns: nil when there is no such file.
  package static func opened(_ name: String, in folder: OpenFile) throws(DiskError)
    -> PartFile?
  {
    let file = try folder.mediaFile(name)
    guard file.status?.is_regular == true else { return nil }
    return PartFile(name: name, folder: folder, file: file)
  }

  /// The same file, open for reading only: for what must not be able to change it.
  package func forReading() throws(DiskError) -> PartFile {
    guard let other = try Self.opened(name, in: folder),
      try other.status().isSameFile(as: try status())
    else { throw DiskError(ENOENT, "open", name) }
    return other
  }

  /// The same open and locked file by a second name, in any folder of its file system.
  ///
  /// - Returns: nil if the file system has no hard links, or none between these folders.
  package func linked(
    as newName: String, in newFolder: OpenFile
  ) throws(DiskError) -> PartFile? {
    if linkat(folder.number, name, newFolder.number, newName, 0) == 0 {
      return PartFile(name: newName, folder: newFolder, file: file, isLinked: true)
    }
    switch errno {
    case EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK: return nil
    default: throw DiskError(errno, "link", name)
    }
  }

  package init(
    name: String, folder: OpenFile, file: OpenFile, isLinked: Bool = false
  ) {
    self.name = name
    self.folder = folder
    self.file = file
    self.isLinked = isLinked
  }

  /// The size in bytes.
  package func size() throws(DiskError) -> Int64 { try status().size }

  /// The inode number.
  package func inode() throws(DiskError) -> UInt64 { try status().inode }

  /// Writes all bytes at the offset.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DiskError) {
    var done = 0
    while done < bytes.count {
      let count = try retryingInterrupts("write", name) {
        pwrite(
          file.number, bytes.baseAddress.map { $0 + done }, bytes.count - done,
          off_t(offset) + off_t(done))
      }
      // A regular file accepts at least one byte or fails; zero would loop forever.
      guard count > 0 else { throw DiskError(ENOSPC, "write", name) }
      done += count
    }
  }

  /// Writes all bytes at the offset.
  package func write(_ bytes: [UInt8], at offset: Int64) throws(DiskError) {
    let failure = bytes.withUnsafeBytes { buffer -> DiskError? in
      do throws(DiskError) {
        try write(buffer, at: offset)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Reads up to the buffer's size at the offset; fewer bytes mean the end of the file.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DiskError)
    -> Int
  {
    var done = 0
    while done < buffer.count {
      let count = try retryingInterrupts("read", name) {
        pread(
          file.number, buffer.baseAddress.map { $0 + done }, buffer.count - done,
          off_t(offset) + off_t(done))
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Up to `count` bytes from the offset.
  package func bytes(_ count: Int, at offset: Int64) throws(DiskError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    let read = try self.read(into: buffer, at: offset)
    return Array(buffer[..<read])
  }

  /// How much space is reserved beyond the written bytes: more than nearly all episodes need, and
  /// no more than a wrong length may take from others for a while.
  static let reservationStep: Int64 = 1 << 30

  /// Reserves space in the file system for a file of `total` bytes, without changing the size; this
  /// makes large writes cheap and detects a full disk before the first byte.
  ///
  /// - Parameter written: how many bytes exist already. No more than ``reservationStep`` beyond
  ///   them is reserved; for the rest, the free space of the disk is only checked.
  /// - Returns: the end of the reserved space.
  @discardableResult
  package func reserve(_ total: Int64, after written: Int64 = 0) throws(DiskError) -> Int64 {
    let (next, overflows) = written.addingReportingOverflow(Self.reservationStep)
    let end = overflows ? total : min(total, next)
    guard end > 0 else { return 0 }
    if end < total {
      let (allocated, free) = (try status().allocated, podget_free_bytes(file.number))
      guard free < 0 || total - min(total, max(0, allocated)) <= free else {
        // The disk may be nearly empty, and the length a lie.
        throw DiskError(
          ENOSPC, "reserve room for", name,
          reason: "the server announces \(total) bytes, more than the disk has room for")
      }
    }
    guard OperatingSystem.reserve(file.number, to: end) != 0 else { return end }
    let number = errno
    // Some file systems cannot reserve; then a full disk shows when it is full.
    guard number == ENOSPC || number == EDQUOT || number == EFBIG else { return end }
    release()
    let free = podget_free_bytes(file.number)
    guard number == ENOSPC, free >= 0 else { throw DiskError(number, "reserve room for", name) }
    throw DiskError(
      number, "reserve room for", name,
      reason:
        "the disk is full: the file needs \(total - min(total, written)) bytes more, and \(free) are free"
    )
  }

  /// Releases the space that was reserved beyond the end of the file.
  ///
  /// If that fails, only the space is lost: the next run tries it again.
  package func release() {
    guard let status = try? status() else { return }
    _ = try? truncate(to: status.size)
  }

  /// Whether the file system keeps noticeably more space for the file than it has bytes.
  package var hasReservation: Bool { file.status?.hasReservation == true }

  /// Truncates the file, or the space reserved beyond its end, to the length.
  package func truncate(to length: Int64) throws(DiskError) {
    _ = try retryingInterrupts("shorten", name) { ftruncate(file.number, off_t(length)) }
  }

  /// Makes the bytes, and the size if necessary, survive a power failure.
  package func synchronizeData() throws(DiskError) {
    _ = try retryingInterrupts("sync", name) {
      OperatingSystem.synchronizeData(file.number)
    }
  }

  /// Makes everything about the file survive a power failure.
  package func synchronize() throws(DiskError) {
    _ = try retryingInterrupts("sync", name) { OperatingSystem.synchronize(file.number) }
  }

  /// Sets the modification time, in seconds since 1970 UTC, if the file system allows it.
  ///
  /// A file without its date is as good as one with it, so a refusal is not an error: exFAT has no
  /// dates before 1980, ext4 with small inodes none outside of 1901 to 2038, and a user cannot set
  /// the date of another user's file. A failing disk reports that when the file is synced.
  ///
  /// - Returns: whether the file has the time now, or the nearest one that its file system
  ///   supports.
  @discardableResult
  package func setModificationTime(_ seconds: Double) -> Bool {
    let whole = seconds.rounded(.down)
    // The years 0 to 9999: publishers mean no other, and some file systems store any value.
    guard (-62_167_219_200...253_402_300_799).contains(whole) else { return false }
    let fraction = min(999_999_999, max(0, Int((seconds - whole) * 1e9)))
    return podget_set_times(file.number, Int(whole), fraction) == 0
  }

  /// Gives the file the mode of media files, which the umask alone decides; as a part it was for
  /// the user only. Errors are ignored, because some file systems have no modes.
  package func takeMediaMode() {
    if !isLinked { fchmod(file.number, 0o666 & ~OpenFile.creationMask) }
  }

  /// Removes the name; the open file stays usable until it is closed.
  package func remove() {
    unlinkat(folder.number, name, 0)
  }

  /// The status of the file.
  package func status() throws(DiskError) -> podget_file_status {
    guard let status = file.status else { throw DiskError(errno, "examine", name) }
    return status
  }
}

extension podget_file_status {
  /// Whether the file system keeps noticeably more space for the file than its length. File systems
  /// allocate blocks, and some allocate a little ahead.
  package var hasReservation: Bool { allocated - max(0, min(size, allocated)) > 1 << 20 }
}
