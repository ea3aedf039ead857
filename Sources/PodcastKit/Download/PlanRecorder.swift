import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Writes down what is planned before its transfer begins, so that a later run knows of it, and leaves
/// out what the library holds.
struct PlanRecorder: Sendable {
  private let context: DownloadContext
  private let send: @Sendable (DownloadEvent) -> Void
  /// What the library holds, read again when a file of it is gone.
  private let reloaded = ReloadedEpisodes()
  /// The keys that came.
  private var seen: Set<String> = []

  /// How many plans are one piece of work; each may take two syncs.
  private static let pieceSize = 16

  /// Makes a recorder that tells of each plan that it is planned, and of those that need no download
  /// how they end.
  init(_ context: DownloadContext, send: @escaping @Sendable (DownloadEvent) -> Void) {
    self.context = context
    self.send = send
  }

  /// Plans in pieces that are recorded one after the other, each key once: who cancels waits for one
  /// of them at most.
  mutating func pieces(of plans: [DownloadPlan]) -> [ArraySlice<DownloadPlan>] {
    let plans = plans.filter { seen.insert($0.key).inserted }
    return stride(from: 0, to: plans.count, by: Self.pieceSize).map {
      plans[$0..<min($0 + Self.pieceSize, plans.count)]
    }
  }

  /// Records plans and returns those to download.
  func record(_ plans: ArraySlice<DownloadPlan>, _ known: KnownEpisodes) async -> [DownloadPlan] {
    await context.disk.perform { plans.compactMap { record($0, known) } }
  }

  /// Reports plans as planned without recording them; returns them all.
  func report(_ plans: ArraySlice<DownloadPlan>) -> [DownloadPlan] {
    for plan in plans { tell(plan, .planned(total: nil)) }
    return Array(plans)
  }

  /// The plan as it is to be downloaded, having written it down; nil where it is not.
  private func record(_ plan: DownloadPlan, _ known: KnownEpisodes) -> DownloadPlan? {
    var plan = plan
    let partial: PartialRecord?
    var replaced: LocalEpisode?
    do throws(DiskError) {
      partial = try withDescriptors { () throws(DiskError) in
        try context.partials.read(plan.key)
      }
      if context.options.isForced || partial?.replaces != nil {
        replaced = try withDescriptors { () throws(DiskError) in
          try self.replaced(by: plan, partial, known)
        }
      }
    } catch {
      // Nobody knows what it is; it is not written over.
      tell(plan, .planned(total: nil))
      tell(plan, .failed(error.podgetError))
      return nil
    }
    if let before = partial?.replaces, let replaced, replaced.path != before.text {
      plan = plan.with(file: replaced.plan.file)
    }
    if let obstacle = known.reading.obstacle(to: plan.file) {
      tell(plan, .planned(total: partial?.state?.total))
      tell(plan, .failed(obstacle))
      return nil
    }
    var local = known.finished(plan)
    if let found = local, found.status == .complete, !context.library.holds(found) {
      // Somebody has moved or removed it since the library was read.
      local = reloaded.known(of: context.library).finished(plan)
    }
    if let local,
      let reason = local.skipReason(
        for: plan, isForced: context.options.isForced, partial: partial)
    {
      tell(plan, .planned(total: local.status == .complete ? local.bytes : local.total))
      tell(plan, .skipped(path: local.path, reason: reason))
      if partial != nil { forget(plan) }
      return nil
    }
    tell(plan, .planned(total: partial?.state?.total))
    do throws(DiskError) {
      try withDescriptors { () throws(DiskError) in
        if partial == nil {
          let new = try renewed(plan, over: nil, local: local, replacing: replaced)
          // Where another podget has made one meanwhile, that is looked at.
          if try context.partials.create(new) { return }
        }
        context.partials.noteFound()
        // A running download of it may have begun a version, its first or another one, since the
        // record was read. What it has written must stand, and with its lock it is read anew.
        guard let lock = try context.partials.openPart(plan.key) else { return }
        defer {
          // A part that holds nothing belongs to a download that has begun.
          if context.partials.partSize(plan.key) == 0 { lock.remove() }
        }
        let current = try context.partials.read(plan.key)
        let new = try renewed(plan, over: current, local: local, replacing: replaced)
        guard new != current else { return }
        try context.partials.write(new, new.state != nil ? .whole : .none)
      }
      return plan
    } catch {
      tell(plan, .failed(error.podgetError))
      return nil
    }
  }

  /// The whole file that an episode has and that is fetched again; nil where there is none.
  ///
  /// A library may hold copies of a podcast's folder: what counts is the file in the plan's own
  /// folder. Only where there is none, and an earlier run had planned to replace one, it may have
  /// been moved since; the new file goes where it is now, so that one episode does not become two.
  private func replaced(
    by plan: DownloadPlan, _ partial: PartialRecord?, _ known: KnownEpisodes
  ) throws(DiskError) -> LocalEpisode? {
    if let here = try context.library.recorded(plan), here.status == .complete { return here }
    guard partial?.replaces != nil, let local = known.finished(plan), local.status == .complete
    else { return nil }
    return local
  }

  /// Clears up after a process that was killed just after it had recorded the file. The lock keeps
  /// this from disturbing one that is still at work.
  private func forget(_ plan: DownloadPlan) {
    guard let part = try? context.partials.openPart(plan.key) else { return }
    part.remove()
    context.partials.removeRecord(plan.key)
  }

  /// What an earlier run knows of the bytes stays; what is known of the episode is renewed.
  private func renewed(
    _ plan: DownloadPlan, over partial: PartialRecord?, local: LocalEpisode?,
    replacing replaced: LocalEpisode?
  ) throws(DiskError) -> PartialRecord {
    var record = PartialRecord(plan)
    record.state = partial?.state
    record.finalName = partial?.finalName
    record.replaces = replaced.flatMap { RelativePath($0.path) } ?? partial?.replaces
    if plan.isNamed || context.options.isForced {
      // Where there are unfinished bytes, they stand in the place of the removal before.
      let recorded = partial == nil ? local : try context.library.recorded(plan)
      record.overridesRemoval = recorded?.removalTime
    } else {
      record.overridesRemoval = partial?.overridesRemoval
    }
    return record
  }

  private func tell(_ plan: DownloadPlan, _ kind: DownloadEvent.Kind) {
    send(DownloadEvent(plan, kind))
  }
}

/// What is known of a library that changed during a run: read again once, on first use.
private final class ReloadedEpisodes: Sendable {
  private let state = Mutex<KnownEpisodes?>(nil)

  func known(of library: Library) -> KnownEpisodes {
    if let known = state.withLock({ $0 }) { return known }
    let known = KnownEpisodes(library, isRecording: false)
    state.withLock { $0 = known }
    return known
  }
}
