/// The beginning of a download: the lock, and what of an earlier run can be trusted.
extension Download {
  /// Locks the part file and finds out what of it can be trusted.
  func begin() async throws(DownloadStop) -> DownloadCourse {
    guard await waitWhilePaused() else { throw .cancelled }
    while true {
      if let course = try await beginOnce() { return course }
      // The other process has renamed its file and is writing the record.
      guard context.options.waitsForOthers else {
        throw .skipped(path: plan.path, .inProgressElsewhere)
      }
      try await waitForOthers()
    }
  }

  /// Nil when another process is just finishing the episode.
  private func beginOnce() async throws(DownloadStop) -> DownloadCourse? {
    let part = try await lockPart()
    let (partials, plan) = (context.partials, plan)
    let record = try await onDisk { () throws(DiskError) -> PartialRecord in
      if let record = partials.read(plan.key) { return record }
      // Another run may have finished it, and its record with it, since it was planned.
      let record = PartialRecord(plan)
      try partials.write(record, .none)
      return record
    }
    if !context.options.isForced, record.replaces == nil, let local = try await finishedElsewhere(),
      local.status == .complete || (local.status == .removed && !local.isOverridden(by: record))
    {
      part.remove()
      context.partials.removeRecord(plan.key)
      throw .skipped(
        path: local.path, local.status == .complete ? .alreadyDownloaded : .removed)
    }
    let committer = context.committer
    switch try await onDisk({ () throws(DiskError) in
      try committer.recover(record, plan: plan, part: part)
    }) {
    case .nothing: break
    case .finished(let file): throw .recovered(file)
    case .recorded(let path): throw .skipped(path: path, .alreadyDownloaded)
    case .busy:
      part.remove()
      return nil
    }
    let trusted = try await onDisk { () throws(DiskError) in
      try Self.trustedBytes(of: part, record: record)
    }
    let hasher =
      context.options.computesChecksums
      ? ContentHasher(part: part, pool: context.pool, queue: context.hashing) : nil
    let keeper = RecordKeeper(record, in: context.partials)
    try await onDisk { () throws(DiskError) in
      // What survived the last run of the machine is durable; what follows belongs to this run.
      try keeper.update(.whole) { record in
        guard record.state != nil, record.state?.bootID != PartialFolder.bootID else {
          return false
        }
        record.state?.bootID = PartialFolder.bootID
        return true
      }
    }
    let writer = PartWriter(
      part: part, keeper: keeper, held: trusted, hasher: hasher, pool: context.pool,
      disk: context.disk, send: send)
    return DownloadCourse(
      url: plan.episode.enclosure.url, writer: writer, keeper: keeper, part: part, hasher: hasher)
  }

  /// Waits for the lock where that is wanted.
  private func lockPart() async throws(DownloadStop) -> PartFile {
    while true {
      let (partials, key) = (context.partials, plan.key)
      if let part = try await onDisk({ () throws(DiskError) in try partials.openPart(key) }) {
        return part
      }
      guard context.options.waitsForOthers else {
        throw .skipped(path: plan.path, .inProgressElsewhere)
      }
      try await waitForOthers()
    }
  }

  private func waitForOthers() async throws(DownloadStop) {
    let clock = context.clock
    let isWanted = await wait { (try? await clock.sleep(for: .milliseconds(200))) != nil }
    guard isWanted else { throw .cancelled }
  }

  /// The episode, when it came to be on record since it was planned.
  private func finishedElsewhere() async throws(DownloadStop) -> LocalEpisode? {
    let (library, plan) = (context.library, plan)
    return try await onDisk { () throws(DiskError) in try library.recorded(plan) }
  }

  private static func trustedBytes(
    of part: PartFile, record: PartialRecord
  ) throws(DiskError) -> HeldBytes {
    let size = try part.size()
    guard size > 0, let state = record.state, try part.inode() == state.inode else {
      if size > 0 { try part.truncate(to: 0) }
      return HeldBytes()
    }
    // After a power cut a file's size tells nothing about its content.
    let isSameRun = state.bootID != nil && state.bootID == PartialFolder.bootID
    var count = isSameRun ? size : min(size, state.durableLength)
    if let total = state.total { count = min(count, total) }
    if count < size { try part.truncate(to: count) }
    return HeldBytes(count: count, total: state.total, validator: state.validator)
  }
}
