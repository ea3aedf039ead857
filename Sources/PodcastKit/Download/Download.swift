import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The download of one episode.
///
/// It turns the transport's callbacks into a stream of events, and can be paused, resumed and
/// cancelled from any task at any time. It plans nothing: ``DownloadRun`` decides what runs when.
public actor Download {
  /// What is downloaded, and its destination.
  public nonisolated let plan: DownloadPlan

  let context: DownloadContext
  let send: @Sendable (DownloadEvent.Kind) -> Void
  var machine = DownloadStateMachine()
  var control: TransferControl?
  /// Tells running file work, which cannot ask its task, that the download ends early.
  nonisolated let flag = CancelFlag()
  /// What is being synced during the transfer.
  var checkpoint: Task<Void, Never>?
  /// Whether closing the connection would lose nothing now.
  var canCloseConnection: (@Sendable () -> Bool)?
  /// What the download does. Cancelling it is the one way to end it early: whatever it waits for ends,
  /// and the running request.
  private var work: Task<DownloadEvent.Kind?, Never>?
  private var pauseWaiter: CheckedContinuation<Void, Never>?
  private var grace: Task<Void, Never>?

  init(
    _ plan: DownloadPlan, context: DownloadContext,
    send: @escaping @Sendable (DownloadEvent) -> Void
  ) {
    self.plan = plan
    self.context = context
    self.send = { send(DownloadEvent(plan, $0)) }
  }

  /// Stops reading, but keeps the connection for a while; the received bytes stay. No effect if it
  /// is paused or cancelled, or if all bytes have been received.
  public func pause() {
    guard let action = machine.pause() else { return }
    send(.paused)
    perform(action)
  }

  /// Continues after ``pause()``, over the same connection or with a range request on a new one. No
  /// effect if it is not paused.
  public func resume() {
    guard let action = machine.resume() else { return }
    grace?.cancel()
    send(.resumed)
    perform(action)
  }

  /// Stops for this run and keeps the received bytes; a later run continues it. Once all bytes have
  /// been received, it only stops what takes long, such as a copy to another file system.
  ///
  /// The event ``DownloadEvent/Kind/cancelled(received:)`` reports the end.
  public func cancel() {
    flag.set()
    guard machine.cancel() else { return }
    grace?.cancel()
    endEarly()
  }

  /// Ends the download without a terminal event if it has not started. Returns false if it has.
  func putBack() -> Bool {
    guard machine.putBack() else { return false }
    flag.set()
    endEarly()
    return true
  }

  private func endEarly() {
    work?.cancel()
    perform(.wake)
  }

  /// Runs the download until its terminal event. Cancelling the task is the same as ``cancel()``.
  ///
  /// - Returns: false if it ended without a terminal event, because it was put back; the gate knows
  ///   it still.
  func run() async -> Bool {
    await withTaskCancellationHandler {
      let work = Task { await fetch() }
      self.work = work
      // It may have been told before it began.
      if machine.isCancelled || machine.isPutBack { work.cancel() }
      let outcome = await work.value
      grace?.cancel()
      canCloseConnection = nil
      machine.finish()
      guard let outcome else { return false }
      // After the event the episode may be planned again.
      await context.gate.end(plan.key)
      send(outcome)
      return true
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// Waits while the user has paused; the slot is given back meanwhile.
  func waitWhilePaused() async throws(Interruption) {
    if machine.isPaused { await context.gate.stepAside(plan.key) }
    while machine.isPaused, !machine.isCancelled, !machine.isPutBack {
      await withCheckedContinuation { pauseWaiter = $0 }
    }
    try machine.check()
  }

  /// Syncs the received bytes, unless a sync is already running.
  func save(_ checkpoint: PartialDownload.Checkpoint) {
    guard self.checkpoint == nil, machine.phase == .transferring else { return }
    self.checkpoint = Task { [disk = context.disk] in
      // A failure shows at the end: only the sync before the rename matters.
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
      let waiter = pauseWaiter
      pauseWaiter = nil
      waiter?.resume()
    }
  }

  /// If nobody reads a connection, the server closes it after some time. If the rest can be
  /// requested, podget closes it first.
  private func startGrace() {
    grace?.cancel()
    let (clock, duration) = (context.clock, context.options.pauseGrace)
    grace = Task {
      guard (try? await clock.sleep(for: duration)) != nil else { return }
      if canCloseConnection?() == true { perform(machine.graceEnded()) }
    }
  }
}
