import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization

/// Records plans before their transfers begin, so that a later run knows them, and leaves out what
/// the library has.
struct PlanRecorder: Sendable {
  private let context: DownloadContext
  private let send: @Sendable (DownloadEvent) -> Void
  /// Called when a plan's record has been read and not yet written, for tests.
  var whenRead: @Sendable () -> Void = {}
  /// What the library has, read again when one of its files is gone.
  private let reloaded = ReloadedEpisodes()
  /// The keys so far.
  private var seen: Set<String> = []

  /// How many plans make up one piece of work; each may take two syncs.
  private static let pieceSize = 16

  /// Creates a recorder that reports each recorded plan as planned, and how the others end: those that
  /// need no download, or cannot be recorded.
  init(_ context: DownloadContext, send: @escaping @Sendable (DownloadEvent) -> Void) {
    self.context = context
    self.send = send
  }

  /// Splits plans into pieces that are recorded one after the other, each key once: a cancellation
  /// waits for one piece at most.
  ///
  /// - Parameter mayRepeat: whether keys of earlier plans count again.
  mutating func pieces(
    of plans: [DownloadPlan], mayRepeat: Bool = false
  ) -> [ArraySlice<DownloadPlan>] {
    if mayRepeat { for plan in plans { seen.remove(plan.key) } }
    let plans = plans.filter { seen.insert($0.key).inserted }
    return stride(from: 0, to: plans.count, by: Self.pieceSize).map {
      plans[$0..<min($0 + Self.pieceSize, plans.count)]
    }
  }

  /// Records plans and returns those to download, and whether one could not be recorded.
  func record(
    _ plans: ArraySlice<DownloadPlan>, _ known: KnownEpisodes
  ) async -> (plans: [DownloadPlan], hasFailed: Bool) {
    await context.disk.perform {
      var recorded: [DownloadPlan] = []
      var hasFailed = false
      for plan in plans {
        switch record(plan, known) {
        case .recorded(let plan): recorded.append(plan)
        case .unneeded: break
        case .failed: hasFailed = true
        }
      }
      return (recorded, hasFailed)
    }
  }

  private enum Result {
    /// The plan as it is to be downloaded.
    case recorded(DownloadPlan)
    /// It needs no download, which was reported.
    case unneeded
    /// It could not be recorded, which was reported.
    case failed
  }

  /// Records the plan.
  private func record(_ plan: DownloadPlan, _ known: KnownEpisodes) -> Result {
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
      // Its content is unknown, so it is not overwritten.
      tell(plan, .failed(error.podgetError))
      return .failed
    }
    if plan.belongings.isEmpty { plan.belongings = partial?.belongings ?? [] }
    plan.tags = context.options.forbidsTags ? nil : plan.tags ?? partial?.tags
    if context.options.asksForBelongings {
      // What a person says now counts, also for a download that was planned with more.
      let kinds = context.options.belongings.kinds
      plan.belongings.removeAll { !kinds.contains($0.kind) }
    }
    if let before = partial?.replaces, let replaced, replaced.path != before.text {
      plan = plan.with(file: replaced.plan.file)
    }
    if let obstacle = known.reading.obstacle(to: plan.file) {
      tell(plan, .failed(obstacle))
      return .failed
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
      tell(plan, .skipped(path: local.path, reason: reason))
      if partial != nil { forget(plan) }
      return .unneeded
    }
    whenRead()
    do throws(DiskError) {
      try withDescriptors { () throws(DiskError) in
        if partial == nil {
          let new = try renewed(plan, over: nil, local: local, replacing: replaced)
          // If another podget has created one in the meantime, use that.
          if try context.partials.create(new) { return }
        }
        context.partials.noteFound()
        // A running download of it may have begun a version since the record was read. What it has
        // written must stay, so the record is read again under its lock.
        guard let lock = try context.partials.openPart(plan.key) else { return }
        defer {
          // An empty part file belongs to a download that has begun.
          if context.partials.partSize(plan.key) == 0 { lock.remove() }
        }
        let current = try context.partials.read(plan.key)
        let new = try renewed(plan, over: current, local: local, replacing: replaced)
        guard new != current else { return }
        try context.partials.write(new, new.state != nil ? .whole : .none)
      }
      tell(plan, .planned(total: partial?.state?.total))
      return .recorded(plan)
    } catch {
      tell(plan, .failed(error.podgetError))
      return .failed
    }
  }

  /// The complete file of an episode that is downloaded again; nil if there is none.
  ///
  /// A library may have copies of a podcast's folder: the file in the plan's own folder counts. If
  /// there is none, and an earlier run planned to replace one, it may have been moved since; then
  /// the new file goes to the current place, so that one episode does not become two.
  private func replaced(
    by plan: DownloadPlan, _ partial: PartialRecord?, _ known: KnownEpisodes
  ) throws(DiskError) -> LocalEpisode? {
    if let here = try context.library.recorded(plan), here.status == .complete { return here }
    guard partial?.replaces != nil, let local = known.finished(plan), local.status == .complete
    else { return nil }
    return local
  }

  /// Cleans up after a process that was killed just after it had recorded the file. The lock
  /// protects a process that is still running.
  private func forget(_ plan: DownloadPlan) {
    guard let part = try? context.partials.openPart(plan.key) else { return }
    part.remove()
    context.partials.removeRecord(plan.key)
  }

  /// What an earlier run knows of the bytes stays; the description of the episode is updated.
  private func renewed(
    _ plan: DownloadPlan, over partial: PartialRecord?, local: LocalEpisode?,
    replacing replaced: LocalEpisode?
  ) throws(DiskError) -> PartialRecord {
    var record = PartialRecord(plan)
    record.state = partial?.state
    record.finalName = partial?.finalName
    if let partial, partial.plan.episode.enclosure.url == plan.episode.enclosure.url {
      // How long the address has been failing decides when it is tried for the last time.
      record.failingSince = partial.failingSince ?? partial.failedAt
    }
    record.replaces = replaced.flatMap { RelativePath($0.path) } ?? partial?.replaces
    record.named = plan.isNamed ? true : partial?.named
    if plan.isNamed || context.options.isForced {
      // A partial record already names the removal that it overrides.
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

/// The state of a library that changed during a run: read again once, on first use.
private final class ReloadedEpisodes: Sendable {
  private let state = Mutex<KnownEpisodes?>(nil)

  func known(of library: Library) -> KnownEpisodes {
    if let known = state.withLock({ $0 }) { return known }
    let known = KnownEpisodes(library, isRecording: false)
    state.withLock { $0 = known }
    return known
  }
}
