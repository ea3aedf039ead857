import Dispatch
public import FoundationEssentials
import Glibc
public import PodcastLibrary
public import PodcastModel
public import PodcastTransfer

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
  /// Plans that have not begun, by host, each in order.
  private var pending: [String: ArraySlice<DownloadPlan>] = [:]
  /// The hosts of `pending`, in the order of their first plans.
  private var hosts: [String] = []
  private var running: [String: Download] = [:]
  private var isPaused = false
  private var isCancelled = false
  /// Writes down what was planned, before anything begins.
  private var recording: Task<[DownloadPlan], Never>?
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
    } catch {
      throw error.podgetError
    }
    var options = options
    options.jobs = DescriptorLimit.jobs(options.jobs, limit: DescriptorLimit.current)
    // While files that have ended sync, those that follow them are opened.
    let disk = DiskQueue(lanes: options.jobs + 2)
    // Only that something changed counts, not how often, so one kept element is enough.
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.change) = (changes, change)
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
      let recorder = PlanRecorder(context) { [channel] in channel.send($0) }
      let recording = Task { await recorder.record(plans) }
      self.recording = recording
      if isCancelled { recording.cancel() }
      enqueue(await recording.value)
      self.recording = nil
      await work()
      // The wait for changes ends early in a cancelled task; what had not begun is told here then.
      await cancelPending()
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
    recording?.cancel()
    for download in running.values { await download.cancel() }
    change.yield()
  }
}

extension Downloader {
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
    if isCancelled { await cancelPending() }
    // Finished transfers still sync and hash; a few of them may do so beside the next ones.
    let limit = context.options.jobs + 8
    var index = 0
    while !isPaused, !isCancelled, running.count < limit, index < hosts.count {
      guard await context.gate.hasRoom else { return }
      let host = hosts[index]
      let hasSlot = await context.gate.take(host)
      // Episodes of a host that nobody waits for begin without a slot, and fail without asking it.
      let isRefused = await context.gate.refusal(of: host) != nil
      guard hasSlot || isRefused else {
        index += 1
        continue
      }
      // Taking a slot was a moment in which others could act.
      guard !isCancelled, !isPaused, let plan = pending[host]?.popFirst() else {
        if hasSlot { await context.gate.giveBack(host) }
        continue
      }
      if pending[host]?.isEmpty == true {
        pending[host] = nil
        hosts.removeAll { $0 == host }
      }
      begin(plan, hasSlot: hasSlot, in: &group)
    }
    if isCancelled { await cancelPending() }
  }

  private func begin(
    _ plan: DownloadPlan, hasSlot: Bool, in group: inout DiscardingTaskGroup
  ) {
    let channel = channel
    let download = Download(plan, context: context, hasSlot: hasSlot) { channel.send($0) }
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

  private func cancelPending() async {
    let plans = hosts.flatMap { pending[$0] ?? [] }
    pending = [:]
    hosts = []
    guard !plans.isEmpty else { return }
    let (partials, channel) = (context.partials, channel)
    await context.disk.perform {
      for plan in plans {
        let received = partials.partSize(plan.key) ?? 0
        channel.send(DownloadEvent(plan, .cancelled(received: received)))
      }
    }
  }
}

extension DownloadPlan {
  /// The host that the episode's address names, as limits count it.
  var origin: String {
    let url = WebAddress.forRequest(episode.enclosure.url)
    return WebAddress(url)?.origin ?? url
  }
}
