internal import CFiles
import Glibc

/// The unfinished bytes of one episode: an open, locked file in the library's `partial` folder.
///
/// The lock is on the file itself and dies with the process. The type keeps no state beside the
/// descriptor, so any thread may use it; who writes where is its owner's business.
final class PartFile: Sendable {
  /// The name within the folder of partial files.
  let name: String
  private let folder: FileDescriptor
  private let file: FileDescriptor

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

  /// Gives the file its final name unless that name is taken.
  ///
  /// - Returns: false when the name is taken.
  func rename(to newName: String, in newFolder: FileDescriptor) throws(DiskError) -> Bool {
    let noReplace: UInt32 = 1
    if renameat2(folder.number, name, newFolder.number, newName, noReplace) == 0 { return true }
    switch errno {
    case EEXIST: return false
    case EXDEV: return try copy(to: newName, in: newFolder)
    case EINVAL, ENOSYS: return try link(to: newName, in: newFolder)
    default: throw DiskError(errno, "rename the finished file to", newName)
    }
  }

  /// Gives the file a name whatever has it, in one step.
  func replace(_ newName: String, in newFolder: FileDescriptor) throws(DiskError) {
    _ = try retryingInterrupts("rename the finished file to", newName) {
      renameat(folder.number, name, newFolder.number, newName)
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

extension PartFile {
  /// For file systems whose rename knows no flags.
  private func link(to newName: String, in newFolder: FileDescriptor) throws(DiskError) -> Bool {
    if linkat(folder.number, name, newFolder.number, newName, 0) == 0 {
      remove()
      return true
    }
    switch errno {
    case EEXIST: return false
    case EPERM, EOPNOTSUPP, ENOSYS, EMLINK: return try claim(newName, in: newFolder)
    default: throw DiskError(errno, "rename the finished file to", newName)
    }
  }

  /// For file systems without links either: an empty file claims the name and is renamed over.
  private func claim(_ newName: String, in newFolder: FileDescriptor) throws(DiskError) -> Bool {
    let placeholder = openat(newFolder.number, newName, O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard placeholder >= 0 else {
      if errno == EEXIST { return false }
      throw DiskError(errno, "create", newName)
    }
    close(placeholder)
    guard renameat(folder.number, name, newFolder.number, newName) == 0 else {
      let number = errno
      unlinkat(newFolder.number, newName, 0)
      throw DiskError(number, "rename the finished file to", newName)
    }
    return true
  }

  /// For a podcast's folder that is a mount of its own: copied there under a hidden name, synced,
  /// and renamed there.
  private func copy(to newName: String, in newFolder: FileDescriptor) throws(DiskError) -> Bool {
    let hidden = ".\(name)"
    unlinkat(newFolder.number, hidden, 0)
    guard let copy = try PartFile.open(hidden, in: newFolder) else { return false }
    do throws(DiskError) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
      defer { buffer.deallocate() }
      var offset: Int64 = 0
      while case let count = try read(into: buffer, at: offset), count > 0 {
        try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
        offset += Int64(count)
      }
      podget_copy_times(file.number, copy.file.number)
      try copy.synchronize()
      guard try copy.rename(to: newName, in: newFolder) else {
        copy.remove()
        return false
      }
    } catch {
      copy.remove()
      throw error
    }
    remove()
    return true
  }
}
