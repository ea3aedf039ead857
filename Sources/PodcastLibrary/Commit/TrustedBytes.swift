internal import CFiles
package import PodcastTransfer

/// How much of an existing part file can be trusted to be of the version in its record.
package struct TrustedBytes {
  /// The trusted bytes; the file is no longer than that now.
  package private(set) var held = HeldBytes()
  /// The new content of the record; nil if it has none.
  package private(set) var state: ResumeState?
  /// Whether there were bytes that nothing proved.
  package private(set) var lostBytes = false

  /// Checks a locked part file, and cuts off what cannot be trusted; it blocks on the disk.
  package init(
    _ part: PartFile, _ recorded: ResumeState?, runID: String?, _ flag: CancelFlag = CancelFlag()
  ) throws(DiskError) {
    let status = try part.status()
    guard let recorded else {
      if status.size > 0 { try part.truncate(to: 0) }
      return
    }
    state = recorded
    // What survived the last boot is durable; later bytes belong to this boot.
    state?.bootID = runID
    guard status.size > 0 else { return }
    let isSameRun = PartialFolder.isSameRun(recorded.bootID, as: runID)
    var count = try Self.trusted(part, status, recorded, isSameRun: isSameRun, flag)
    if let total = recorded.total { count = max(0, min(count, total)) }
    if count < status.size || status.hasReservation { try part.truncate(to: count) }
    guard count > 0 else {
      lostBytes = recorded.inode != status.inode || recorded.durableLength > 0
      return
    }
    held = HeldBytes(count: count, total: recorded.total, validator: recorded.validator)
    var durable = max(0, min(recorded.durableLength, count))
    if status.inode != recorded.inode {
      // It is unknown whether a copy has reached the disk.
      try part.synchronize()
      durable = count
    }
    state?.durableLength = durable
    state?.keepProofs(upTo: count)
    state?.inode = status.inode
    state?.device = status.device
  }

  /// How many bytes from the beginning are of the version in the record.
  ///
  /// Until the next boot, the file is identified by its inode, and all of it counts. After a power
  /// failure, or after its disk was removed, a file's size says nothing about its content, so that
  /// only the durable length counts. A file with another inode is a copy, perhaps made at another
  /// moment than the copy of its record: then only what a checksum proves counts. Inodes of another
  /// machine may be equal by chance, so that a checksum must match if there is one.
  private static func trusted(
    _ part: PartFile, _ status: podget_file_status, _ recorded: ResumeState, isSameRun: Bool,
    _ flag: CancelFlag
  ) throws(DiskError) -> Int64 {
    let isSameDevice = recorded.device == nil || recorded.device == status.device
    let hasInode = recorded.inode == status.inode
    if isSameRun, hasInode, isSameDevice { return status.size }
    let proofs = recorded.proofs ?? []
    let proven = try part.provenLength(proofs) { flag.isSet }
    let durable = max(0, min(status.size, recorded.durableLength))
    guard hasInode else { return proven }
    let isProven = proven == proofs.lazy.map(\.length).filter { $0 <= status.size }.max() ?? 0
    return isProven ? durable : proven
  }
}
