package import PodcastModel
package import PodcastTransfer

extension PartialDownload {
  /// What a download finds when it begins.
  package enum Opening: ~Copyable {
    /// Another download holds the episode, in this process or another.
    case taken
    /// Another one has dealt with the episode since it was planned: it is complete, or was removed.
    case settled(LocalEpisode)
    /// A killed process left the complete file, which is on record now.
    case recovered(FinishedFile)
    /// The part file, locked, with its record and what can be trusted of it.
    case opened(PartialDownload)
  }

  /// Looks for an episode, locks its part file and reads its record; it blocks on the disk.
  ///
  /// - Parameters:
  ///   - isForced: whether the episode is fetched although the library has it.
  ///   - hashing: what computes the checksum; nil where none is wanted.
  ///   - flag: stops the reading of bytes that an earlier run brought.
  package static func open(
    _ plan: DownloadPlan, in library: Library, _ partials: PartialFolder,
    _ committer: Committer, isForced: Bool, hashing: Hashing?, flag: CancelFlag
  ) throws(DiskError) -> Opening {
    guard let part = try partials.openPart(plan.key) else { return .taken }
    let record: PartialRecord
    if let known = try partials.read(plan.key) {
      record = known
      // An earlier run may have been killed before it had synced the folder.
      if known.state != nil { partials.noteFound() }
    } else {
      // Another run may have finished it, and its record with it, since it was planned.
      record = PartialRecord(plan)
      try partials.write(record, .none)
    }
    if !isForced, record.replaces == nil, let local = try library.recorded(plan),
      local.status == .complete || (local.status == .removed && !local.isOverridden(by: record))
    {
      part.remove()
      partials.removeRecord(plan.key)
      return .settled(local)
    }
    switch try committer.recover(record, plan: plan, part: part, flag) {
    case .nothing: break
    case .finished(let file): return .recovered(file)
    case .recorded(let local): return .settled(local)
    case .busy:
      // The other process has renamed its file and is writing the record.
      part.remove()
      return .taken
    }
    let trusted = try TrustedBytes(part, record.state, runID: partials.runID, flag)
    return .opened(
      try PartialDownload(
        part, record, trusted, in: partials, hashing: hashing, flag: flag))
  }
}
