package import FoundationEssentials
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// Downloads many episodes at the same time within limits, and reports what happens to each as one
/// stream.
///
/// A downloader runs once: create it with a library and a transport, call ``run(_:)`` in a task of
/// its own, and read ``events``, or the stream of the given channel, to the end.
package actor Downloader {
  /// What happens, in order, for one consumer.
  ///
  /// Lifecycle events are never dropped; of each episode's progress only the newest unread event is
  /// kept, at most ten times a second. The stream ends after the last terminal event.
  package nonisolated var events: AsyncStream<DownloadEvent> { channel.episodes }

  private nonisolated let channel: EventChannel
  private let belongings: BelongingFetcher?
  private var context: DownloadContext
  /// The plans that have not begun, by their keys, each in order; the gate decides which one begins
  /// next.
  private var planned: [String: [DownloadPlan]] = [:]
  /// The keys of downloads that were cancelled before their plans came.
  private var unwanted: Set<String> = []
  /// The keys of running downloads that were cancelled: one that was just put back does not come again.
  private var cancelled: Set<String> = []
  private var running: [String: Download] = [:]
  private var isPaused = false
  private var isCancelled = false
  private let tidying = LibraryTidying()
  private let failed = FailedDownloads()
  private let brake: TransferBrake
  /// Whether nothing begins until a download has ended: what runs may bring all that a run may.
  private var awaitsEnd = false
  private var recorder: PlanRecorder
  /// Whether more plans may come.
  private var isOpen = true
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// Creates a downloader.
  ///
  /// - Parameters:
  ///   - library: the destination of the episodes.
  ///   - transport: performs the requests.
  ///   - options: limits and other options.
  ///   - refresh: finds a better address for an episode whose own was refused.
  ///   - clock: measures delays.
  ///   - now: the time of day (UTC) for records and Retry-After.
  ///   - channel: receives the events; the caller that passes one ends it.
  ///   - subscribed: the settings of podcasts that are followed.
  ///   - belongings: stores what belongs beside episodes.
  ///   - credentials: what the transport logs in with.
  /// - Throws: a ``PodgetError`` when the library's folder of partial files cannot be created.
  package init(
    library: Library, transport: any Transport, options: DownloadOptions = DownloadOptions(),
    refresh: AddressRefresh? = nil, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, channel: EventChannel = EventChannel(),
    subscribed: SubscribedSettings = SubscribedSettings(), belongings: BelongingFetcher? = nil,
    credentials: OriginCredentials = OriginCredentials()
  ) throws(PodgetError) {
    self.channel = channel
    self.belongings = belongings
    let partials: PartialFolder
    do throws(DiskError) {
      partials = try PartialFolder(library: library.root)
    } catch {
      throw error.podgetError
    }
    var options = options
    let wanted = options.jobs
    let descriptors = DescriptorLimit.current
    options.jobs = DescriptorLimit.jobs(wanted, limit: descriptors)
    var limits = TransferSchedule.Limits(total: options.jobs, perHost: options.jobsPerHost)
    // If descriptors are scarce, the running downloads need them.
    limits.early = options.jobs < wanted ? 0 : min(options.jobs, 4)
    limits.aside = DescriptorLimit.waiting(jobs: options.jobs, limit: descriptors)
    // Each transfer has a lane; while ended downloads sync their files, the next files are opened.
    let disk = DiskPool(threads: 2 * options.jobs + 2)
    // Only the fact that something changed counts, not how often, so one kept element is enough.
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.change) = (changes, change)
    context = DownloadContext(
      library: library, partials: partials, transport: transport, options: options,
      gate: HostGate(limits, clock: clock) { change.yield() },
      committer: Committer(
        library: library, partials: partials, trashDays: options.trashDays,
        keptFree: options.keptFreeBytes, now: now),
      disk: disk, blocks: BlockPool(writers: options.jobs), clock: clock, now: now,
      refresh: refresh, subscribed: subscribed,
      tags: DownloadTags(library, options, subscribed, credentials, belongings?.requests, now) {
        channel.send(.note($0))
      })
    recorder = Self.recorder(context, channel, belongings)
    brake = TransferBrake(options, at: now())
  }

  /// Downloads the plans and returns when each has had its terminal event. A repeated key counts
  /// once. Cancelling the task is the same as ``cancel()``.
  package func run(_ plans: [DownloadPlan]) async {
    let library = context.library
    let known = await context.disk.perform {
      KnownEpisodes(library, .keys(plans.map(\.episodeKey)), isRecording: false)
    }
    let (batches, continuation) = AsyncStream.makeStream(of: PlannedBatch.self)
    continuation.yield(PlannedBatch(plans, known: known))
    continuation.finish()
    await run(batches)
    channel.finish()
  }

  /// Downloads plans as they arrive, and returns when the stream has ended and each has had its
  /// terminal event. A repeated key counts once. Cancelling the task is the same as ``cancel()``.
  package func run(_ batches: AsyncStream<PlannedBatch>) async {
    await withTaskCancellationHandler {
      // It accepts plans also when the run is cancelled: every plan has its terminal event.
      let intake = Task { await take(batches) }
      await work()
      await intake.value
      // The wait for changes ends early in a cancelled task; downloads that had not begun are
      // reported here.
      await cancelPlanned()
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// The running download of an episode, to pause, resume or cancel it alone; nil before it has
  /// begun and after it has ended.
  ///
  /// - Parameter key: the plan's key.
  package func download(_ key: String) -> Download? { running[key] }

  /// Pauses every running download and starts no other.
  package func pause() async {
    isPaused = true
    for download in running.values {
      // Another podget, or a removal, need not wait for downloads that have not started.
      if await !download.putBack() { await download.pause() }
    }
  }

  /// Resumes everything after ``pause()``.
  package func resume() async {
    isPaused = false
    for download in running.values { await download.resume() }
    change.yield()
  }

  /// Stops every download, begun or not, and keeps the received bytes.
  package func cancel() async {
    isCancelled = true
    await context.gate.stop()
    await tidying.cancel()
    for download in running.values { await download.cancel() }
    change.yield()
  }
}

extension Downloader {
  /// Records and enqueues plans until there are no more.
  private func take(_ batches: AsyncStream<PlannedBatch>) async {
    await tidyUp()
    for await batch in batches {
      var areRecorded = true
      for piece in recorder.pieces(of: batch.plans, mayRepeat: batch.mayRepeat) {
        // A download that will not begin need not be recorded.
        if isCancelled {
          areRecorded = false
          await plan(Array(piece))
        } else {
          let recorded = await recorder.record(piece, batch.known)
          areRecorded = areRecorded && !recorded.hasFailed
          await add(recorded.plans)
        }
        change.yield()
      }
      await batch.whenRecorded(areRecorded)
    }
    isOpen = false
    change.yield()
  }

  /// Enqueues plans, but for those that were cancelled before they came.
  private func add(_ plans: [DownloadPlan]) async {
    let cancelled = plans.filter { unwanted.contains($0.key) }
    unwanted.subtract(cancelled.map(\.key))
    let keys = Set(cancelled.map(\.key))
    await plan(keys.isEmpty ? plans : plans.filter { !keys.contains($0.key) })
    await cancel(cancelled)
  }

  private func plan(_ plans: [DownloadPlan]) async {
    for plan in plans { planned[plan.key, default: []].append(plan) }
    await context.gate.plan(plans.map { ($0.key, $0.origin) })
  }

  private static func recorder(
    _ context: DownloadContext, _ channel: EventChannel, _ belongings: BelongingFetcher?
  ) -> PlanRecorder {
    let isAsked = context.options.asksForBelongings
    return PlanRecorder(context) { event in
      channel.send(.episode(event))
      belongings?.add(event, isAsked: isAsked)
    }
  }

  /// Begins another round of a long run: what has ended may be planned again, and what earlier rounds
  /// knew of the library and of hosts is read or found out again. All plans so far are recorded.
  ///
  /// - Returns: the plans that have not ended. They are not to be planned again in this round.
  package func beginRound() async -> [DownloadPlan] {
    await findPartials()
    brake.beginRound(at: context.now())
    recorder = Self.recorder(context, channel, belongings)
    context.blocks.releaseUnused()
    await context.gate.forgetPast()
    await tidying.runAgain(context)
    return planned.values.joined() + running.values.map(\.plan)
  }

  /// The keys of the episodes that failed in an earlier round a short time ago, or were left for later.
  package func resting() -> Set<String> {
    failed.resting(at: context.now()).union(
      brake.waiting(at: context.now(), context.subscribed.own(of:)))
  }

  /// Opens the folder of partial files again if somebody has removed or replaced it: nothing could be
  /// recorded in the old one.
  private func findPartials() async {
    let (library, partials) = (context.library, context.partials)
    let found = await context.disk.look { partials.replacement(in: library.root) }
    guard let found, let new = found else { return }
    context.use(new)
    for download in running.values { _ = await download.putBack() }
  }

  /// Repairs what killed runs left, and deletes expired files from the trash. Only the first call of
  /// a round does so; all calls wait for it.
  package func tidyUp() async { await tidying.run(context) }

  private var isDone: Bool { !isOpen && planned.isEmpty && running.isEmpty }

  /// Starts what may start until nothing is left to start or to wait for.
  private func work() async {
    await withDiscardingTaskGroup { group in
      await start(in: &group)
      if isDone { return }
      for await _ in changes {
        await start(in: &group)
        if isDone { break }
      }
    }
  }

  private func start(in group: inout DiscardingTaskGroup) async {
    while !awaitsEnd, !isPaused, !isCancelled, let key = await context.gate.next() {
      let held = await held(key)
      // Other tasks could act meanwhile.
      if isPaused || isCancelled {
        await context.gate.putBack(key)
      } else if let plan = planned[key]?.first {
        switch decision(about: plan, held) {
        case .begin: if let plan = takePlanned(key) { begin(plan, in: &group) }
        case .wait:
          awaitsEnd = true
          await context.gate.putBack(key)
        case .leave(let reason):
          _ = takePlanned(key)
          channel.send(.episode(DownloadEvent(plan, .skipped(path: plan.path, reason: reason))))
          await context.gate.end(key)
        }
      } else {
        await context.gate.end(key)
      }
    }
    if isCancelled { await cancelPlanned() }
  }

  /// What limits need to know of the disk before a download begins; nil where none counts.
  private func held(_ key: String) async -> (bytes: Int64, disk: DiskSpace)? {
    guard let plan = planned[key]?.first,
      brake.mayHold(context.subscribed.own(of: plan.podcast))
    else { return nil }
    let (library, partials) = (context.library, context.partials)
    return await context.disk.perform { (partials.partSize(key) ?? 0, library.space) }
  }

  /// What has arrived in this run.
  nonisolated var arrived: ArrivedBytes { brake.arrived }

  private func decision(
    about plan: DownloadPlan, _ held: (bytes: Int64, disk: DiskSpace)?
  ) -> TransferBrake.Decision {
    guard let held else { return .begin }
    let own = context.subscribed.own(of: plan.podcast)
    return brake.decide(
      about: plan, held: held.bytes, own, held.disk, at: context.now())
  }

  private func begin(_ plan: DownloadPlan, in group: inout DiscardingTaskGroup) {
    let (channel, failed, brake, now) = (channel, failed, brake, context.now)
    let (belongings, isAsked) = (belongings, context.options.asksForBelongings)
    let download = Download(plan, context: context) { event in
      failed.note(event, at: now())
      brake.note(event)
      channel.send(.episode(event))
      belongings?.add(event, isAsked: isAsked)
    }
    running[plan.key] = download
    group.addTask {
      let hasEnded = await download.run()
      await self.ended(download, hasEnded)
    }
  }

  private func ended(_ download: Download, _ hasEnded: Bool) async {
    let plan = download.plan
    if !hasEnded { brake.putBack(plan.key) }
    awaitsEnd = false
    // Somebody may have asked for it again as soon as it had ended, and it runs again already.
    var isCancelled = false
    if running[plan.key] === download {
      running[plan.key] = nil
      isCancelled = cancelled.remove(plan.key) != nil
    }
    if !hasEnded, isCancelled {
      await context.gate.end(plan.key)
      await cancel([plan])
    } else if !hasEnded {
      planned[plan.key, default: []].insert(plan, at: 0)
      await context.gate.putBack(plan.key)
    }
    change.yield()
  }

  /// Stops the downloads of some episodes, begun or not, and keeps the received bytes. Those whose
  /// plans have not come yet end when they come, unless ``want(_:)`` is called before.
  package func cancel(_ keys: Set<String>) async {
    let plans = await takePlanned(keys)
    unwanted.formUnion(keys.subtracting(running.keys).subtracting(plans.map(\.key)))
    cancelled.formUnion(keys.intersection(running.keys))
    for (key, download) in running where keys.contains(key) { await download.cancel() }
    await cancel(plans)
  }

  /// Takes back ``cancel(_:)`` for plans that have not come yet: they are asked for again.
  package func want(_ keys: some Sequence<String>) { unwanted.subtract(keys) }

  private func cancelPlanned() async { await cancel(takePlanned()) }

  /// The plans that have not begun, all or those with these keys; they will not begin.
  private func takePlanned(_ keys: Set<String>? = nil) async -> [DownloadPlan] {
    let order = await context.gate.removePlanned(keys)
    // One that is being put back, or that is about to begin, is not planned at the gate.
    let others = planned.keys.filter { keys?.contains($0) ?? true }
    return order.compactMap { takePlanned($0) }
      + others.flatMap { planned.removeValue(forKey: $0) ?? [] }
  }

  /// The next plan of an episode; it is not planned any more.
  private func takePlanned(_ key: String) -> DownloadPlan? {
    guard var plans = planned[key], !plans.isEmpty else { return nil }
    let plan = plans.removeFirst()
    planned[key] = plans.isEmpty ? nil : plans
    return plan
  }

  /// Reports downloads that have not begun as cancelled.
  private func cancel(_ plans: [DownloadPlan]) async {
    guard !plans.isEmpty else { return }
    let (partials, channel) = (context.partials, channel)
    await context.disk.perform {
      for plan in plans {
        let received = partials.partSize(plan.key) ?? 0
        channel.send(.episode(DownloadEvent(plan, .cancelled(received: received))))
      }
    }
  }
}

extension DownloadPlan {
  /// The host in the episode's address, as limits count it.
  var origin: String { Self.origin(of: episode.enclosure.url) }

  /// The host in an address, as limits count it.
  static func origin(of url: String) -> String {
    let url = WebAddress.forRequest(url)
    return WebAddress(url)?.origin ?? url
  }
}
