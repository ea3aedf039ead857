import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// One episode on its way to the library.
///
/// It turns what the transport's callbacks bring into a stream of events, and can be paused, resumed
/// and cancelled from any task at any time. It plans nothing: ``DownloadRun`` decides what runs when.
public actor Download {
  /// What is downloaded, and where to.
  public nonisolated let plan: DownloadPlan

  let context: DownloadContext
  let send: @Sendable (DownloadEvent.Kind) -> Void
  var machine = DownloadStateMachine()
  var control: TransferControl?
  /// Whether the downloader has taken a slot for the first request already.
  var hasSlot: Bool
  /// What opens the part file, where that began before the download had its turn.
  var opening: PreparedDownload.Opening?
  /// Tells file work that looks for it that the download was cancelled.
  nonisolated let flag: CancelFlag
  /// What is being made safe while the transfer goes on.
  var checkpoint: Task<Void, Never>?
  /// Tells whether letting the connection go would lose nothing now.
  var canLetGo: (@Sendable () -> Bool)?
  /// Cuts short what the download waits for between requests.
  private var stopWaiting: (@Sendable () -> Void)?
  private var pauseWaiter: CheckedContinuation<Void, Never>?
  private var grace: Task<Void, Never>?

  init(
    _ prepared: PreparedDownload, context: DownloadContext, hasSlot: Bool,
    send: @escaping @Sendable (DownloadEvent) -> Void
  ) {
    let plan = prepared.plan
    self.plan = plan
    self.context = context
    self.hasSlot = hasSlot
    opening = prepared.opening
    flag = prepared.flag
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

  /// Stops for this run and keeps what arrived; a later run continues it. Once every byte has
  /// arrived it only stops what takes long, such as a copy to another file system.
  ///
  /// The event ``DownloadEvent/Kind/cancelled(received:)`` tells when it is done.
  public func cancel() {
    flag.set()
    guard let action = machine.cancel() else { return }
    grace?.cancel()
    perform(action)
  }

  /// Runs the download to its terminal event. Cancelling the task is the same as ``cancel()``.
  func run() async {
    await withTaskCancellationHandler {
      let outcome = await fetch()
      grace?.cancel()
      canLetGo = nil
      if hasSlot { await context.gate.giveBack(plan.origin) }
      machine.finish()
      send(outcome)
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// Does something that takes time between attempts, and that ``cancel()`` cuts short.
  func wait(_ body: @escaping @Sendable () async -> Bool) async -> Bool {
    await ask(body) ?? false
  }

  /// The same for work with a result; nil when the download had been cancelled before.
  func ask<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) async -> Answer? {
    guard !machine.isCancelled else { return nil }
    let task = Task { await body() }
    stopWaiting = { task.cancel() }
    defer { stopWaiting = nil }
    return await task.value
  }

  /// Waits while the user has paused. Returns false when the download was cancelled.
  func waitWhilePaused() async -> Bool {
    while machine.isPaused, !machine.isCancelled {
      await withCheckedContinuation { pauseWaiter = $0 }
    }
    return !machine.isCancelled
  }

  /// Makes safe what has arrived, unless that is being done already.
  func save(_ checkpoint: PartialDownload.Checkpoint) {
    guard self.checkpoint == nil, machine.phase == .transferring else { return }
    self.checkpoint = Task { [disk = context.disk] in
      // Whether it works shows at the end; what counts then is the sync before the rename.
      await disk.perform { try? checkpoint.write() }
      self.checkpoint = nil
    }
  }

  private func perform(_ action: DownloadStateMachine.Action) {
    switch action {
    case .none: break
    case .hold:
      control?.hold()
      startGrace()
    case .proceed: control?.proceed()
    case .abort: control?.abort()
    case .wake:
      if machine.isCancelled { stopWaiting?() }
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
