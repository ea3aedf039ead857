import FoundationEssentials

/// Writes down what is planned before the first transfer begins, so that a later run knows of it, and
/// leaves out what the library holds.
///
/// The work is done on the disk queue in small pieces: a cancelled task waits for one of them at most.
struct PlanRecorder: Sendable {
  private let context: DownloadContext
  private let send: @Sendable (DownloadEvent) -> Void

  /// How many plans are one piece of work; each may take two syncs.
  private static let pieceSize = 16

  /// Makes a recorder that tells of each plan that it is planned, and of those that need no download
  /// how they end.
  init(_ context: DownloadContext, send: @escaping @Sendable (DownloadEvent) -> Void) {
    self.context = context
    self.send = send
  }

  /// Records the plans, each key once, and returns those to download. When the task is cancelled the
  /// rest is returned unrecorded: it was never begun.
  func record(_ plans: [DownloadPlan]) async -> [DownloadPlan] {
    await tidyUp()
    var seen: Set<String> = []
    let plans = plans.filter { seen.insert($0.key).inserted }
    guard !plans.isEmpty else { return [] }
    let library = context.library
    let known = await context.disk.look {
      let reading = library.reading()
      return (reading, LibraryIndex(reading.episodes.filter(\.mayBeSkipped)))
    }
    var wanted: [DownloadPlan] = []
    var rest = plans[...]
    while let (reading, index) = known, !rest.isEmpty, !Task.isCancelled {
      let piece = rest.prefix(Self.pieceSize)
      wanted += await context.disk.perform { piece.filter { record($0, reading, index) } }
      rest = rest.dropFirst(piece.count)
    }
    for plan in rest { tell(plan, .planned(total: nil)) }
    return wanted + rest
  }

  /// Removes what killed processes left, and what has been in the trash for its term.
  private func tidyUp() async {
    let (context, now) = (context, context.now())
    _ = await context.disk.look {
      context.partials.sweep()
      context.library.emptyTrash(at: now)
    }
  }

  /// Whether the plan is to be downloaded, having written it down then.
  private func record(
    _ plan: DownloadPlan, _ reading: LibraryReading, _ index: LibraryIndex
  ) -> Bool {
    let partial: PartialRecord?
    do throws(DiskError) {
      partial = try withDescriptors { () throws(DiskError) in
        try context.partials.read(plan.key)
      }
    } catch {
      // Nobody knows what it is; it is not written over.
      tell(plan, .planned(total: nil))
      tell(plan, .failed(error.podgetError))
      return false
    }
    if let obstacle = reading.obstacle(to: plan.file) {
      tell(plan, .planned(total: partial?.state?.total))
      tell(plan, .failed(obstacle))
      return false
    }
    let local = index.local(for: plan)
    if let local,
      let reason = local.skipReason(
        for: plan, isForced: context.options.isForced, partial: partial)
    {
      tell(plan, .planned(total: local.status == .complete ? local.bytes : local.total))
      tell(plan, .skipped(path: local.path, reason: reason))
      if partial != nil { forget(plan) }
      return false
    }
    tell(plan, .planned(total: partial?.state?.total))
    do throws(DiskError) {
      try withDescriptors { () throws(DiskError) in
        guard partial != nil else { return try write(plan, over: nil, local: local) }
        // A running download of it may have begun a version, its first or another one, since the
        // record was read. What it has written must stand, and with its lock it is read anew.
        guard let lock = try context.partials.openPart(plan.key) else { return }
        defer {
          // One that was made for its lock alone is of no use.
          if context.partials.partSize(plan.key) == 0 { lock.remove() }
        }
        try write(plan, over: try context.partials.read(plan.key), local: local)
      }
      return true
    } catch {
      tell(plan, .failed(error.podgetError))
      return false
    }
  }

  /// Clears up after a process that was killed just after it had recorded the file. The lock keeps
  /// this from disturbing one that is still at work.
  private func forget(_ plan: DownloadPlan) {
    guard let part = try? context.partials.openPart(plan.key) else { return }
    part.remove()
    context.partials.removeRecord(plan.key)
  }

  /// What an earlier run knows of the bytes stays; what is known of the episode is renewed.
  private func write(
    _ plan: DownloadPlan, over partial: PartialRecord?, local: LocalEpisode?
  ) throws(DiskError) {
    var record = PartialRecord(plan)
    record.state = partial?.state
    record.finalName = partial?.finalName
    let replaced = local?.status == .complete ? local.flatMap { RelativePath($0.path) } : nil
    record.replaces = context.options.isForced ? replaced ?? partial?.replaces : partial?.replaces
    if plan.isNamed || context.options.isForced {
      // Where there are unfinished bytes, they stand in the place of the removal before.
      let recorded = partial == nil ? local : try context.library.recorded(plan)
      record.overridesRemoval = recorded?.removalTime
    } else {
      record.overridesRemoval = partial?.overridesRemoval
    }
    guard record != partial else { return }
    try context.partials.write(record, record.state != nil ? .whole : .none)
  }

  private func tell(_ plan: DownloadPlan, _ kind: DownloadEvent.Kind) {
    send(DownloadEvent(plan, kind))
  }
}
