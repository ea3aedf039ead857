internal import CFiles
import Glibc
package import PodcastModel
package import PodcastTransfer

/// The work of killed processes: files that have their names and are on no record.
extension Committer {
  /// The file with the final name of an episode that is not recorded.
  package enum Recovery: Sendable {
    /// Not our file.
    case nothing
    /// The complete file, recorded now.
    case finished(FinishedFile)
    /// The complete file, which another process has recorded in the meantime.
    case recorded(LocalEpisode)
    /// The complete file, which another process is about to record.
    case busy
  }

  /// Finishes the work of a killed process: its file already has the final name, and only the
  /// record is missing. The file is identified by its inode, which the rename did not change, or as the
  /// tagged copy by its checksum.
  package func recover(
    _ record: PartialRecord, plan: DownloadPlan, part: PartFile, isReceived: Bool = true,
    _ flag: CancelFlag
  ) throws(DiskError) -> Recovery {
    guard let state = record.state, let total = state.total,
      let folder = try? OpenFile.folder(plan.folder, in: library.root, creating: false)
    else { return .nothing }
    guard
      let name = record.finalName
        ?? EntryName("\(plan.stem).\(plan.announcedExtension)")
    else { return .nothing }
    guard let status = folder.status(of: name.text) else { return .nothing }
    let isReceivedFile = status.inode == state.inode && status.size == total
    let copy =
      isReceivedFile || !isReceived
      ? nil : library.unrecordedTags(of: plan.episodeKey, in: plan.file.folder)
    let bytes = copy?.kept.tagged.bytes ?? total
    guard isReceivedFile || copy != nil, status.size == bytes else { return .nothing }
    // If a link gives the name, a kill may leave both names on one file: ours.
    let isPart = try part.inode() == status.inode
    // The other process that completed it keeps the lock until its record is written.
    guard let file = isPart ? part : try PartFile.existing(name.text, in: folder) else {
      return .busy
    }
    guard try file.inode() == status.inode, try file.size() == bytes else { return .nothing }
    let sha256 = try file.sha256 { flag.isSet }
    if let kept = copy?.kept {
      guard kept.tagged.sha256 == sha256, try isCopy(file, of: part, kept, total, flag) else {
        return .nothing
      }
    }
    let path = LibraryPath.join(plan.folder, name.text)
    // If a file was replaced, the recorded line may still describe the old one.
    if let local = try library.recorded(plan), local.status == .complete,
      record.replaces == nil
        || (local.total == bytes && local.sha256 == sha256 && local.path == path)
    {
      part.remove()
      partials.removeRecord(plan.key)
      return .recorded(local)
    }
    try file.synchronize()
    var names = OwnedNames()
    let texts = belongings.writeTexts(
      of: plan, beside: name, in: folder, &names, mayBeThere: true)
    try folder.synchronize(plan.folder)
    let committed = CommittedBytes(
      count: bytes, sha256: sha256, audio: AudioProof.known(of: file),
      receivedSHA256: isReceived ? copy?.kept.original.sha256 ?? sha256 : nil)
    let fact = fact(plan, in: folder, file: name, committed, isKept: record.isWanted, texts)
    try FolderRecords.append([fact], in: folder) { flag.isSet }
    // What is not done is done by the next command that changes the library.
    try? copy?.tags.move(plan.episodeKey, from: .new, to: .undo)
    part.remove()
    partials.removeRecord(plan.key)
    return .finished(FinishedFile(path: path, bytes: bytes, sha256: sha256))
  }

  /// Whether a file is a complete part with other tags: the part is removed only after the record. Who can
  /// write into a shared library could have made up all checksums that are kept.
  private func isCopy(
    _ file: PartFile, of part: PartFile, _ kept: KeptOriginal, _ total: Int64, _ flag: CancelFlag
  ) throws(DiskError) -> Bool {
    func audio(of file: PartFile) throws(DiskError) -> String? {
      var bytes = PartBytes(file, length: try file.size(), flag: flag)
      guard let format = try TaggedFormat(of: &bytes) else { return nil }
      return try AudioDigest.sum(of: &bytes, format)
    }
    guard kept.original.bytes == total, try part.size() == total,
      try part.sha256(isCancelled: { flag.isSet }) == kept.original.sha256,
      let sum = try audio(of: part), try audio(of: file) == sum
    else { return false }
    let rebuilt = try kept.replaced.rebuild(
      from: file, bytes: total, isCancelled: { flag.isSet }
    ) { (_, _) throws(DiskError) in }
    return rebuilt == kept.original.sha256
  }

  /// Records the files that killed processes had adopted: they have their names, and only the
  /// records are missing. Failed adoptions are forgotten; the file is where it was found.
  package func finishAdoptions() {
    for record in partials.adoptions.all() {
      let (plan, key) = (record.plan, record.plan.key)
      // The process that adopts it still has the lock.
      guard let lock = try? partials.openPart(key) else { continue }
      let recovery =
        (try? recover(record, plan: plan, part: lock, isReceived: false, CancelFlag())) ?? .busy
      switch recovery {
      case .finished, .recorded: partials.adoptions.removeRecord(key)
      case .nothing, .busy:
        if case .nothing = recovery, !mayBeCopied(record) { partials.adoptions.removeRecord(key) }
        if (try? lock.size()) == 0, (try? partials.read(key)) == .some(nil) { lock.remove() }
      }
    }
  }

  /// Whether a copy on another file system, which cannot be identified by its inode, may have the
  /// name and wait for its record: the name is reserved for the episode until the next adoption has
  /// compared the bytes.
  private func mayBeCopied(_ record: PartialRecord) -> Bool {
    if let local = try? library.recorded(record.plan), local.status == .complete { return false }
    guard let name = record.finalName,
      let status = library.root.status(of: LibraryPath.join(record.plan.folder, name.text))
    else { return false }
    return status.size == record.state?.total
  }
}
