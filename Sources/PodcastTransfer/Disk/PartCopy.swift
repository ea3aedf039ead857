internal import CFiles
import Glibc
internal import PodcastSystem

/// The temporary files into which podget copies files that move to another file system.
///
/// Several processes may copy into one folder at the same time, and files with the same name: each
/// copy has its own random name and is locked while it is written. A copy without a lock was left
/// by a killed process.
extension PartFile {
  private static let copyPrefix = ".podget-copy-"
  private static let copySuffix = ".part"
  private static let copyDigits = 16

  /// Creates a file with a unique hidden name, and locks it.
  package static func newCopy(in folder: OpenFile) throws(DiskError) -> PartFile {
    while true {
      let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
      let zeros = String(repeating: "0", count: copyDigits - digits.count)
      let name = "\(copyPrefix)\(zeros)\(digits)\(copySuffix)"
      let file: OpenFile
      do throws(DiskError) {
        file = try OpenFile.writableOwnFile(name, in: folder, flags: O_RDWR | O_EXCL)
      } catch {
        guard error.number == EEXIST else { throw error }
        continue
      }
      let copy = PartFile(name: name, folder: folder, file: file)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        let number = errno
        copy.removeOwn()
        // Another process removed it as a leftover.
        if number == EWOULDBLOCK { continue }
        throw DiskError(number, "lock", name)
      }
      if try copy.hasItsName() { return copy }
    }
  }

  /// Fills the file with the bytes of another one, which share their room where the file system can do
  /// that.
  ///
  /// - Returns: the length.
  package func fill(from other: PartFile, isCancelled: () -> Bool) throws(DiskError) -> Int64 {
    if OperatingSystem.clone(other.file.number, to: file.number) == 0 { return try size() }
    var offset: Int64 = 0
    while case let bytes = try other.bytes(Block.size, at: offset), !bytes.isEmpty {
      if isCancelled() { throw DiskError.cancelled("copy", other.name) }
      try write(bytes, at: offset)
      offset += Int64(bytes.count)
    }
    return offset
  }

  /// Gives the file the times, the mode, the owner and the group of another one. Errors are ignored,
  /// because some file systems have no modes.
  ///
  /// - Returns: whether it has the owner and the group.
  package func takeAttributes(of other: PartFile) -> Bool {
    podget_copy_times(other.file.number, file.number)
    let wanted = other.file.status
    // Who owns the file may give it to any of his groups; only root gives it to somebody else.
    if let wanted, fchown(file.number, wanted.owner, wanted.group) != 0 {
      fchown(file.number, uid_t.max, wanted.group)
    }
    fchmod(file.number, mode_t((wanted?.permissions ?? 0o600) & 0o777))
    let now = file.status
    return now?.owner == wanted?.owner && now?.group == wanted?.group
  }

  /// Removes the copies that killed processes left in a folder.
  package static func removeLeftCopies(in folder: OpenFile) {
    for name in folder.entries() where isCopyName(name) {
      // A process that still writes to one has its lock.
      if let copy = try? PartFile.existing(name, in: folder) { copy.removeOwn() }
    }
  }

  private static func isCopyName(_ name: String) -> Bool {
    guard name.hasPrefix(copyPrefix), name.hasSuffix(copySuffix) else { return false }
    let digits = name.utf8.dropFirst(copyPrefix.utf8.count).dropLast(copySuffix.utf8.count)
    return digits.count == copyDigits
      && digits.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  /// Whether the name still belongs to this very file.
  package func hasItsName() throws(DiskError) -> Bool {
    let opened = try status()
    return folder.status(of: name)?.isSameFile(as: opened) ?? false
  }

  /// Removes the name, unless another file has it by now.
  package func removeOwn() {
    if (try? hasItsName()) == true { remove() }
  }

  /// Locks a file that was opened for reading, if its file system allows that.
  ///
  /// - Throws: EBUSY if another process has the lock, ENOENT if the file lost its name before it
  ///   was locked.
  package func lock() throws(DiskError) {
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      throw DiskError(EBUSY, "lock", name, reason: "another podget is using it")
    }
    guard try hasItsName() else { throw DiskError(ENOENT, "lock", name) }
  }
}
