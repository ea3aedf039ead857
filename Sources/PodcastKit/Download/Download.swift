import FoundationEssentials

/// One episode on its way to the library.
///
/// It turns what the transport's callbacks bring into a stream of events, and can be paused, resumed
/// and cancelled from any task at any time. It plans nothing: ``Downloader`` decides what runs when.
public actor Download {
  /// What is downloaded, and where to.
  public nonisolated let plan: DownloadPlan

  let context: DownloadContext
  let send: @Sendable (DownloadEvent.Kind) -> Void
  var machine = DownloadMachine()
  var control: TransferControl?
  /// Whether the downloader has taken a slot for the first request already.
  var hasSlot: Bool
  /// What the download waits for between attempts; cancelling it wakes the download.
  private var waiting: Task<Bool, Never>?
  private var pauseWaiter: CheckedContinuation<Void, Never>?
  private var grace: Task<Void, Never>?
  /// Tells whether letting the connection go would lose nothing now.
  var canLetGo: (@Sendable () -> Bool)?

  init(
    _ plan: DownloadPlan, context: DownloadContext, hasSlot: Bool,
    send: @escaping @Sendable (DownloadEvent) -> Void
  ) {
    self.plan = plan
    self.context = context
    self.hasSlot = hasSlot
    self.send = { send(DownloadEvent(plan, $0)) }
  }

  /// Stops reading, keeping the connection for a while; what arrived stays. Without effect when it
  /// is paused, cancelled, or every byte has arrived.
  public func pause() {
    guard let action = machine.pause() else { return }
    send(.paused)
    perform(action)
  }

  /// Goes on after ``pause()``, over the same connection or by a range request on a new one.
  /// Without effect when it is not paused.
  public func resume() {
    guard let action = machine.resume() else { return }
    grace?.cancel()
    send(.resumed)
    perform(action)
  }

  /// Stops for this run and keeps what arrived; a later run continues it. Without effect once every
  /// byte has arrived. The event ``DownloadEvent/Kind/cancelled(received:)`` tells when it is done.
  public func cancel() {
    guard let action = machine.cancel() else { return }
    grace?.cancel()
    perform(action)
  }

  /// Runs the download to its terminal event. Cancelling the task is the same as ``cancel()``.
  func run() async {
    await withTaskCancellationHandler {
      let outcome = await attemptAll()
      grace?.cancel()
      if hasSlot { await context.gate.giveBack(plan.origin) }
      machine.finish()
      send(outcome)
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// Does something that takes time between attempts, and that ``cancel()`` cuts short.
  func wait(_ body: @escaping @Sendable () async -> Bool) async -> Bool {
    guard !machine.isCancelled else { return false }
    let task = Task { await body() }
    waiting = task
    defer { waiting = nil }
    return await task.value
  }

  /// Waits while the user has paused. Returns false when the download was cancelled.
  func waitWhilePaused() async -> Bool {
    while machine.isPaused, !machine.isCancelled {
      await withCheckedContinuation { pauseWaiter = $0 }
    }
    return !machine.isCancelled
  }

  private func perform(_ action: DownloadMachine.Action) {
    switch action {
    case .none: break
    case .hold:
      control?.hold()
      startGrace()
    case .proceed: control?.proceed()
    case .abort: control?.abort()
    case .wake:
      if machine.isCancelled { waiting?.cancel() }
      let waiter = pauseWaiter
      pauseWaiter = nil
      waiter?.resume()
    }
  }

  /// A connection that nobody reads is closed by the server sooner or later; where the rest can be
  /// asked for, podget lets go first.
  private func startGrace() {
    grace?.cancel()
    let (clock, duration) = (context.clock, context.options.pauseGrace)
    grace = Task {
      guard (try? await clock.sleep(for: duration)) != nil else { return }
      if canLetGo?() == true { perform(machine.graceEnded()) }
    }
  }
}
