package import PodcastModel
package import PodcastTransfer

extension PartialDownload {
  /// The state that a download finds when it begins.
  package enum Opening: ~Copyable {
    /// Another download has the episode, in this process or another.
    case taken
    /// The episode was completed or removed since it was planned.
    case settled(LocalEpisode)
    /// A killed process left the complete file, which is recorded now.
    case recovered(FinishedFile)
    /// The part file, locked, with its record and its trusted bytes.
    case opened(PartialDownload)
  }

  /// Looks for an episode, locks its part file and reads its record; it blocks on the disk.
  ///
  /// - Parameters:
  ///   - isForced: whether the episode is downloaded although the library has it.
  ///   - computesChecksum: whether the bytes are hashed.
  ///   - flag: stops the reading of bytes from an earlier run.
  package static func open(
    _ plan: DownloadPlan, in library: Library, _ partials: PartialFolder,
    _ committer: Committer, isForced: Bool, computesChecksum: Bool, flag: CancelFlag
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
        part, record, trusted, in: partials, computesChecksum: computesChecksum, flag: flag))
  }
}
