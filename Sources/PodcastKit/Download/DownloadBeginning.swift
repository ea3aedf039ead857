import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The beginning of a download: the lock, and what of an earlier run can be trusted.
extension Download {
  /// Locks the part file and finds out what of it can be trusted.
  func begin() async throws(DownloadStop) -> DownloadCourse {
    guard await waitWhilePaused() else { throw .cancelled }
    let (context, plan, clock, flag) = (context, plan, context.clock, cancelFlag)
    while true {
      switch try await onDisk({ () throws(DiskError) in try Found(plan, context, flag) }) {
      case .taken:
        guard context.options.waitsForOthers else {
          throw .skipped(path: plan.path, .inProgressElsewhere)
        }
        // The other one may take long, and the slot is of use to the next episode.
        if hasSlot {
          hasSlot = false
          await context.gate.giveBack(plan.origin)
        }
        let isWanted = await wait { (try? await clock.sleep(for: .milliseconds(200))) != nil }
        guard isWanted else { throw .cancelled }
      case .skipped(let path, let reason): throw .skipped(path: path, reason)
      case .recovered(let file): throw .recovered(file)
      case .part(let part, let keeper, let trusted):
        let hasher =
          context.options.computesChecksums
          ? ContentHasher(part: part, pool: context.pool, queue: context.hashing, flag: flag)
          : nil
        let writer = PartWriter(
          part: part, keeper: keeper, held: trusted.held, hasher: hasher, pool: context.pool,
          disk: context.disk, send: send)
        return DownloadCourse(
          url: plan.episode.enclosure.url, writer: writer, keeper: keeper, part: part,
          hasher: hasher, lostBytes: trusted.lostBytes)
      }
    }
  }
}

/// What a download finds when it begins.
private enum Found {
  /// Another download holds the episode, in this process or another.
  case taken
  /// Another one has dealt with the episode since it was planned.
  case skipped(path: String, SkipReason)
  /// A killed process left the whole file, which is on record now.
  case recovered(FinishedFile)
  /// The part file, locked, with its record and what can be trusted of it.
  case part(PartFile, RecordKeeper, TrustedBytes)

  /// Looks, locks and reads; it blocks on the disk.
  init(
    _ plan: DownloadPlan, _ context: DownloadContext, _ flag: CancelFlag
  ) throws(DiskError) {
    let partials = context.partials
    guard let part = try partials.openPart(plan.key) else {
      self = .taken
      return
    }
    let record: PartialRecord
    if let known = try partials.read(plan.key) {
      record = known
    } else {
      // Another run may have finished it, and its record with it, since it was planned.
      record = PartialRecord(plan)
      try partials.write(record, .none)
    }
    if !context.options.isForced, record.replaces == nil,
      let local = try context.library.recorded(plan),
      local.status == .complete || (local.status == .removed && !local.isOverridden(by: record))
    {
      part.remove()
      partials.removeRecord(plan.key)
      self = .skipped(
        path: local.path, local.status == .complete ? .alreadyDownloaded : .removed)
      return
    }
    switch try context.committer.recover(record, plan: plan, part: part, flag) {
    case .nothing: break
    case .finished(let file):
      self = .recovered(file)
      return
    case .recorded(let path):
      self = .skipped(path: path, .alreadyDownloaded)
      return
    case .busy:
      // The other process has renamed its file and is writing the record.
      part.remove()
      self = .taken
      return
    }
    let trusted = try TrustedBytes(part, record.state, flag)
    let keeper = RecordKeeper(record, in: partials)
    try keeper.update(.whole) { record in
      guard record.state != trusted.state else { return false }
      record.state = trusted.state
      return true
    }
    self = .part(part, keeper, trusted)
  }
}
