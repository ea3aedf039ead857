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
  /// The host at which the download has a place, and with it a slot; nil if it has none. The
  /// downloader has taken the one for the first request.
  var place: String?
  /// The host of a refused address, where the download keeps its place while it asks the episode's own
  /// address for another one.
  var keptPlace: String?
  /// Opens the part file, if that began before the download's turn.
  var opening: PreparedDownload.Opening?
  /// Tells running file work that the download was cancelled.
  nonisolated let flag: CancelFlag
  /// What is being synced during the transfer.
  var checkpoint: Task<Void, Never>?
  /// Whether closing the connection would lose nothing now.
  var canCloseConnection: (@Sendable () -> Bool)?
  /// Interrupts what the download waits for between requests.
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
    place = hasSlot ? plan.origin : nil
    opening = prepared.opening
    flag = prepared.flag
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
    guard let action = machine.cancel() else { return }
    grace?.cancel()
    perform(action)
  }

  /// Runs the download until its terminal event. Cancelling the task is the same as ``cancel()``.
  func run() async {
    await withTaskCancellationHandler {
      let outcome = await fetch()
      grace?.cancel()
      canCloseConnection = nil
      await leaveHosts()
      machine.finish()
      send(outcome)
    } onCancel: {
      Task { await cancel() }
    }
  }

  /// Does slow work between attempts that ``cancel()`` interrupts.
  func wait(_ body: @escaping @Sendable () async -> Bool) async -> Bool {
    await ask(body) ?? false
  }

  /// The same for work with a result; nil if the download was cancelled before.
  func ask<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) async -> Answer? {
    guard !machine.isCancelled else { return nil }
    let task = Task { await body() }
    stopWaiting = { task.cancel() }
    defer { stopWaiting = nil }
    return await task.value
  }

  /// Waits while the user has paused. Returns false if the download was cancelled.
  func waitWhilePaused() async -> Bool {
    while machine.isPaused, !machine.isCancelled {
      await withCheckedContinuation { pauseWaiter = $0 }
    }
    return !machine.isCancelled
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
      if machine.isCancelled { stopWaiting?() }
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
