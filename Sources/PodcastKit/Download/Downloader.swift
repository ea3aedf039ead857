import Dispatch
public import FoundationEssentials
import Glibc

/// Downloads many episodes side by side within limits, and tells what happens to each as one stream.
///
/// A downloader runs once: make it with a library and a transport, call ``run(_:)`` in a task of its
/// own, and read ``events`` to their end.
public actor Downloader {
  /// What happens, in order, for one consumer.
  ///
  /// Lifecycle events are never dropped; of each episode's progress only the newest untaken event is
  /// kept, and it comes at most ten times a second. The stream ends after the last terminal event.
  public nonisolated var events: AsyncStream<DownloadEvent> { channel.stream }

  private nonisolated let channel = EventChannel()
  private let context: DownloadContext
  private let library: Library
  /// Plans that have not begun, by host, each in order.
  private var pending: [String: ArraySlice<DownloadPlan>] = [:]
  /// The hosts of `pending`, in the order of their first plans.
  private var hosts: [String] = []
  private var running: [String: Download] = [:]
  private var isPaused = false
  private var isCancelled = false
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// Makes a downloader.
  ///
  /// - Parameters:
  ///   - library: where the episodes go.
  ///   - transport: what fetches them.
  ///   - options: limits and habits.
  ///   - refresh: finds a better address for an episode whose own was refused.
  ///   - clock: measures delays.
  ///   - now: tells the time of day (UTC) for records and Retry-After.
  /// - Throws: a ``PodgetError`` when the library's folder of partial files cannot be made.
  public init(
    library: Library, transport: any Transport, options: DownloadOptions = DownloadOptions(),
    refresh: AddressRefresh? = nil, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(PodgetError) {
    let partials: PartialFolder
    do throws(DiskError) {
      partials = try PartialFolder(library: library.root)
      partials.sweep()
      library.emptyTrash(at: now())
    } catch {
      throw error.podgetError
    }
    // While files that have ended sync, those that follow them are opened.
    let disk = DiskQueue(lanes: options.jobs + 2)
    // Only that something changed counts, not how often, so one kept element is enough.
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.change) = (changes, change)
    self.library = library
    context = DownloadContext(
      library: library, partials: partials, transport: transport, options: options,
      gate: HostGate(total: options.jobs, perHost: options.jobsPerHost, clock: clock) {
        change.yield()
      },
      committer: Committer(library: library, partials: partials, disk: disk, now: now),
      disk: disk, pool: BlockPool(limit: 8),
      hashing: DispatchQueue(label: "podget.hashing"), clock: clock, now: now, refresh: refresh)
  }

  /// Downloads the plans and returns when each has had its terminal event. A key that stands twice
  /// counts once. Cancelling the task is the same as ``cancel()``.
  public func run(_ plans: [DownloadPlan]) async {
    await withTaskCancellationHandler {
      let wanted = record(plans)
      enqueue(wanted)
      await work()
      // The wait for changes ends early in a cancelled task; what had not begun is told here then.
      cancelPending()
      channel.finish()
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// The running download of an episode, to pause, resume or cancel it alone; nil before it has
  /// begun and after it has ended.
  ///
  /// - Parameter key: the plan's key.
  public func download(_ key: String) -> Download? { running[key] }

  /// Pauses every running download and begins no other.
  public func pause() async {
    isPaused = true
    for download in running.values { await download.pause() }
  }

  /// Lets everything go on after ``pause()``.
  public func resume() async {
    isPaused = false
    for download in running.values { await download.resume() }
    change.yield()
  }

  /// Stops every download, begun or not, and keeps what arrived.
  public func cancel() async {
    isCancelled = true
    for download in running.values { await download.cancel() }
    change.yield()
  }
}

extension Downloader {
  /// Sends the planned events, skips what the library holds, and writes down the rest before the
  /// first transfer begins.
  private func record(_ plans: [DownloadPlan]) -> [DownloadPlan] {
    guard !plans.isEmpty else { return [] }
    let index = LibraryIndex(library.episodes().filter(\.mayBeSkipped))
    var seen: Set<String> = []
    return plans.filter { plan in
      guard seen.insert(plan.key).inserted else { return false }
      let partial = context.partials.read(plan.key)
      let local = index.local(for: plan)
      if let local,
        let reason = local.skipReason(
          for: plan, isForced: context.options.isForced, partial: partial)
      {
        send(plan, .planned(total: local.status == .complete ? local.bytes : local.total))
        send(plan, .skipped(path: local.path, reason: reason))
        if partial != nil { forget(plan) }
        return false
      }
      send(plan, .planned(total: partial?.state?.total))
      do throws(DiskError) {
        try write(plan, over: partial, local: local)
        return true
      } catch {
        send(plan, .failed(error.podgetError))
        return false
      }
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
    let replaced = local?.status == .complete ? local?.path : nil
    record.replaces = context.options.isForced ? replaced ?? partial?.replaces : partial?.replaces
    if plan.isNamed || context.options.isForced {
      // Where there are unfinished bytes, they stand in the place of the removal before.
      let recorded = partial == nil ? local : try library.recorded(plan)
      record.overridesRemoval = recorded?.removalTime
    } else {
      record.overridesRemoval = partial?.overridesRemoval
    }
    guard record != partial else { return }
    try context.partials.write(record, record.state != nil ? .whole : .none)
  }

  private func enqueue(_ plans: [DownloadPlan]) {
    for plan in plans {
      let host = plan.origin
      if pending[host] == nil { hosts.append(host) }
      pending[host, default: []].append(plan)
    }
  }

  /// Starts what may start until nothing is left to start or to wait for.
  private func work() async {
    await withDiscardingTaskGroup { group in
      await start(in: &group)
      if pending.isEmpty && running.isEmpty { return }
      for await _ in changes {
        await start(in: &group)
        if pending.isEmpty && running.isEmpty { break }
      }
    }
  }

  private func start(in group: inout DiscardingTaskGroup) async {
    if isCancelled { cancelPending() }
    // Finished transfers still sync and hash; a few of them may do so beside the next ones.
    let limit = context.options.jobs + 8
    var index = 0
    while !isPaused, !isCancelled, running.count < limit, index < hosts.count {
      guard await context.gate.hasRoom else { return }
      let host = hosts[index]
      guard pending[host]?.first != nil, await context.gate.take(host) else {
        index += 1
        continue
      }
      // Taking a slot was a moment in which others could act.
      guard !isCancelled, !isPaused, let plan = pending[host]?.popFirst() else {
        await context.gate.giveBack(host)
        continue
      }
      if pending[host]?.isEmpty == true {
        pending[host] = nil
        hosts.removeAll { $0 == host }
      }
      begin(plan, in: &group)
    }
    if isCancelled { cancelPending() }
  }

  private func begin(_ plan: DownloadPlan, in group: inout DiscardingTaskGroup) {
    let channel = channel
    let download = Download(plan, context: context, hasSlot: true) { channel.send($0) }
    running[plan.key] = download
    group.addTask {
      await download.run()
      await self.ended(plan.key)
    }
  }

  private func ended(_ key: String) {
    running[key] = nil
    change.yield()
  }

  private func cancelPending() {
    for host in hosts {
      for plan in pending[host] ?? [] {
        send(plan, .cancelled(received: context.partials.partSize(plan.key) ?? 0))
      }
    }
    pending = [:]
    hosts = []
  }

  private func send(_ plan: DownloadPlan, _ kind: DownloadEvent.Kind) {
    channel.send(DownloadEvent(plan, kind))
  }
}

extension DownloadPlan {
  /// The host that the episode's address names, as limits count it.
  var origin: String {
    let url = WebAddress.forRequest(episode.enclosure.url)
    return WebAddress(url)?.origin ?? url
  }
}
