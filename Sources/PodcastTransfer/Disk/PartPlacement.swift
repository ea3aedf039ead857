internal import CFiles
import Glibc
internal import PodcastSystem

/// Gives a finished part its final name, on every file system that podget may find.
extension PartFile {
  /// The result of giving the file a name.
  package enum Placement: Sendable {
    /// The file has the name now, and no other.
    case renamed
    /// A copy on another file system has the name; the part must be removed once that is recorded.
    case copied
    /// Another file has the name.
    case taken
  }

  /// Gives the file its final name.
  ///
  /// - Parameters:
  ///   - replacing: whether an existing file with the name is replaced, in one step.
  ///   - isCancelled: called repeatedly while files are copied or compared; true stops that, and
  ///     nothing has changed.
  package func place(
    as newName: String, in newFolder: OpenFile, replacing: Bool,
    isCancelled: () -> Bool = { false }
  ) throws(DiskError) -> Placement {
    let status =
      replacing
      ? renameat(folder.number, name, newFolder.number, newName)
      : OperatingSystem.rename(name, in: folder.number, toFree: newName, in: newFolder.number)
    if status == 0 { return .renamed }
    switch errno {
    case EEXIST: return try takeOver(newName, in: newFolder, isCancelled)
    case EXDEV: return try copy(to: newName, in: newFolder, replacing: replacing, isCancelled)
    case EINVAL, ENOSYS:
      return replacing
        ? try replace(newName, in: newFolder)
        : try link(to: newName, in: newFolder, isCancelled)
    default: throw DiskError(errno, "rename the finished file to", newName)
    }
  }

  private func replace(
    _ newName: String, in newFolder: OpenFile
  ) throws(DiskError) -> Placement {
    _ = try retryingInterrupts("rename the finished file to", newName) {
      renameat(folder.number, name, newFolder.number, newName)
    }
    return .renamed
  }

  /// For file systems whose rename supports no flags.
  private func link(
    to newName: String, in newFolder: OpenFile, _ isCancelled: () -> Bool
  ) throws(DiskError) -> Placement {
    if linkat(folder.number, name, newFolder.number, newName, 0) == 0 {
      remove()
      return .renamed
    }
    switch errno {
    case EEXIST: return try takeOver(newName, in: newFolder, isCancelled)
    case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
      return try renameInTurn(newName, in: newFolder, isCancelled)
    default: throw DiskError(errno, "rename the finished file to", newName)
    }
  }

  /// For file systems that also have no hard links. Processes of podget use a lock on the folder in
  /// turn; an empty file as a placeholder would stay there after a kill.
  private func renameInTurn(
    _ newName: String, in newFolder: OpenFile, _ isCancelled: () -> Bool
  ) throws(DiskError) -> Placement {
    var isLocked = true
    do throws(DiskError) {
      try newFolder.waitForLock(newName, isCancelled)
    } catch {
      if error.isCancelled { throw error }
      // If folders cannot be locked, the check of the name just before must be enough.
      isLocked = false
    }
    defer { if isLocked { flock(newFolder.number, LOCK_UN) } }
    guard newFolder.status(of: newName) == nil else {
      return try takeOver(newName, in: newFolder, isCancelled)
    }
    guard errno == ENOENT else { throw DiskError(errno, "examine", newName) }
    return try replace(newName, in: newFolder)
  }

  /// For a podcast's folder that is a mount of its own: the file is copied there under a hidden
  /// name, synced, and renamed there.
  private func copy(
    to newName: String, in newFolder: OpenFile, replacing: Bool, _ isCancelled: () -> Bool
  ) throws(DiskError) -> Placement {
    if !replacing, newFolder.status(of: newName) != nil {
      return try takeOver(newName, in: newFolder, isCancelled)
    }
    PartFile.removeLeftCopies(in: newFolder)
    let copy = try PartFile.newCopy(in: newFolder)
    do throws(DiskError) {
      let before = try status()
      var offset: Int64 = 0
      while case let bytes = try bytes(Block.size, at: offset), !bytes.isEmpty {
        if isCancelled() { throw DiskError.cancelled("copy", newName) }
        try copy.write(bytes, at: offset)
        offset += Int64(bytes.count)
      }
      guard offset == before.size, try status().isUnchanged(since: before) else {
        throw DiskError(EBUSY, "copy", "\(name), which is being changed")
      }
      podget_copy_times(file.number, copy.file.number)
      fchmod(copy.file.number, mode_t((file.status?.permissions ?? 0o600) & 0o777))
      try copy.synchronize()
      // Only the file that was copied here may get the final name.
      guard try copy.hasItsName() else {
        throw DiskError(
          EBUSY, "copy", newName, reason: "another file has replaced the copy")
      }
      switch try copy.place(
        as: newName, in: newFolder, replacing: replacing, isCancelled: isCancelled)
      {
      case .renamed, .copied: return .copied
      case .taken:
        copy.removeOwn()
        return .taken
      }
    } catch {
      copy.removeOwn()
      throw error
    }
  }

  /// The file with this name may be this very file: a killed process may have copied it there, or
  /// the power may have failed before the record of a finished file was durable. Equal bytes are
  /// the same file.
  private func takeOver(
    _ newName: String, in newFolder: OpenFile, _ isCancelled: () -> Bool
  ) throws(DiskError) -> Placement {
    guard
      let there = try? OpenFile.open(
        newName, in: newFolder, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      try hasSameBytes(as: there, newName, isCancelled)
    else { return .taken }
    try there.synchronize(newName)
    return .copied
  }

  /// Whether a file has the same bytes; false when it is no regular file or cannot be opened.
  package func hasSameBytes(
    as otherName: String, in otherFolder: OpenFile, isCancelled: () -> Bool
  ) throws(DiskError) -> Bool {
    guard
      let other = try? OpenFile.open(
        otherName, in: otherFolder, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      other.status?.is_regular == true
    else { return false }
    return try hasSameBytes(as: other, otherName, isCancelled)
  }

  private func hasSameBytes(
    as other: OpenFile, _ otherName: String, _ isCancelled: () -> Bool
  ) throws(DiskError) -> Bool {
    guard try size() == other.status?.size else { return false }
    var offset: Int64 = 0
    while case let bytes = try bytes(Block.size, at: offset), !bytes.isEmpty {
      if isCancelled() { throw .cancelled("compare", otherName) }
      var others = [UInt8](repeating: 0, count: bytes.count)
      let count = try retryingInterrupts("read", otherName) {
        pread(other.number, &others, others.count, off_t(offset))
      }
      guard count == bytes.count, others == bytes else { return false }
      offset += Int64(count)
    }
    return true
  }
}
