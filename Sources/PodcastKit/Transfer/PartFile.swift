internal import CFiles
import Glibc

/// The unfinished bytes of one episode: an open, locked file in the library's `partial` folder.
///
/// The lock is on the file itself and dies with the process. The type keeps no state beside the
/// descriptor, so any thread may use it; who writes where is its owner's business.
final class PartFile: Sendable {
  /// The name within the folder of partial files.
  let name: String
  let folder: FileDescriptor
  let file: FileDescriptor

  /// Opens or makes the file and locks it.
  ///
  /// - Returns: nil when another process, or another download of this one, holds the lock.
  static func open(_ name: String, in folder: FileDescriptor) throws(DiskError) -> PartFile? {
    while true {
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
      let file = try FileDescriptor.open(name, in: folder, flags: flags, mode: 0o644)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        guard errno == EWOULDBLOCK else { throw DiskError(errno, "lock", name) }
        return nil
      }
      // Whoever held the lock before may have renamed or removed the file meanwhile.
      if let opened = file.status, let named = folder.status(of: name),
        opened.inode == named.inode, opened.device == named.device
      {
        return PartFile(name: name, folder: folder, file: file)
      }
    }
  }

  /// Opens a finished file to give it another name; without a lock, since nobody writes to it.
  ///
  /// - Returns: nil when there is no such file.
  static func opened(_ name: String, in folder: FileDescriptor) throws(DiskError) -> PartFile? {
    let file = try FileDescriptor.open(name, in: folder, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard file.status?.is_regular == true else { return nil }
    return PartFile(name: name, folder: folder, file: file)
  }

  /// The same open and locked file by a second name, in any folder of its file system.
  ///
  /// - Returns: nil where a file cannot have two names, or not in both folders.
  func linked(
    as newName: String, in newFolder: FileDescriptor
  ) throws(DiskError) -> PartFile? {
    if linkat(folder.number, name, newFolder.number, newName, 0) == 0 {
      return PartFile(name: newName, folder: newFolder, file: file)
    }
    switch errno {
    case EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK: return nil
    default: throw DiskError(errno, "link", name)
    }
  }

  private init(name: String, folder: FileDescriptor, file: FileDescriptor) {
    self.name = name
    self.folder = folder
    self.file = file
  }

  /// The size in bytes.
  func size() throws(DiskError) -> Int64 { try status().size }

  /// The number by which the file system knows the file.
  func inode() throws(DiskError) -> UInt64 { try status().inode }

  /// Writes all bytes at the offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DiskError) {
    var done = 0
    while done < bytes.count {
      let count = try retryingInterrupts("write", name) {
        pwrite(
          file.number, bytes.baseAddress.map { $0 + done }, bytes.count - done,
          off_t(offset) + off_t(done))
      }
      // A regular file takes at least one byte or fails; zero would loop for ever.
      guard count > 0 else { throw DiskError(ENOSPC, "write", name) }
      done += count
    }
  }

  /// Writes all bytes at the offset.
  func write(_ bytes: [UInt8], at offset: Int64) throws(DiskError) {
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
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DiskError) -> Int {
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
  func bytes(_ count: Int, at offset: Int64) throws(DiskError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    let read = try self.read(into: buffer, at: offset)
    return Array(buffer[..<read])
  }

  /// Asks the file system for room up to `total` bytes without changing the size; that makes large
  /// writes cheap and a full disk known before the first byte.
  func reserve(_ total: Int64) throws(DiskError) {
    let keepSize: Int32 = 1
    guard fallocate(file.number, keepSize, 0, off_t(total)) != 0 else { return }
    let number = errno
    guard number == ENOSPC || number == EDQUOT || number == EFBIG else { return }
    // What was reserved before the room ran out is given back.
    ftruncate(file.number, off_t(try size()))
    throw DiskError(number, "reserve room for", name)
  }

  /// Cuts the file, or the room reserved beyond its end, to the length.
  func truncate(to length: Int64) throws(DiskError) {
    _ = try retryingInterrupts("shorten", name) { ftruncate(file.number, off_t(length)) }
  }

  /// Makes the bytes, and the size where it matters, survive a power cut.
  func synchronizeData() throws(DiskError) {
    _ = try retryingInterrupts("sync", name) { fdatasync(file.number) }
  }

  /// Makes everything about the file survive a power cut.
  func synchronize() throws(DiskError) {
    _ = try retryingInterrupts("sync", name) { fsync(file.number) }
  }

  /// Sets the modification time, in seconds since 1970 UTC.
  func setModificationTime(_ seconds: Double) throws(DiskError) {
    let whole = seconds.rounded(.down)
    let fraction = Int((seconds - whole) * 1e9)
    _ = try retryingInterrupts("set the time of", name) {
      podget_set_times(file.number, Int(whole), fraction)
    }
  }

  /// Removes the name; the open file stays usable until it is closed.
  func remove() {
    unlinkat(folder.number, name, 0)
  }

  private func status() throws(DiskError) -> podget_file_status {
    guard let status = file.status else { throw DiskError(errno, "examine", name) }
    return status
  }
}
