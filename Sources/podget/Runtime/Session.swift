import Synchronization

/// The display of a session: it is told when time passes, and when it must release the screen.
protocol SessionDisplay: Actor {
  /// Time has passed, or the window has another size; called about ten times a second.
  func tick()

  /// Releases the screen, before the process is stopped.
  func suspend()

  /// Uses the screen again; harmless without a ``suspend()`` before it.
  func continueDrawing()
}

/// Long work of a command, with its signals, keys, and ticks for its display.
struct Session: Sendable {
  private let signals: any ProcessSignals
  /// The display, if any.
  private let display: (any SessionDisplay)?
  /// The keys; closed at the end.
  private let keys: (any ControlKeys)?
  /// Ends the work, and keeps its results; it may be called several times.
  private let stop: @Sendable () async -> Void
  /// Pauses or resumes the work.
  private let toggle: @Sendable () async -> Void
  /// What SIGHUP does instead of ending the work.
  private let hangUp: (@Sendable () async -> Void)?
  /// Whether any second signal ends the process: the work may hang without a network.
  private let endsAtSecondSignal: Bool
  private let interruption = RequestedExit()

  init(
    _ signals: any ProcessSignals, display: (any SessionDisplay)? = nil,
    keys: (any ControlKeys)? = nil,
    stop: @escaping @Sendable () async -> Void,
    toggle: @escaping @Sendable () async -> Void = {},
    hangUp: (@Sendable () async -> Void)? = nil, endsAtSecondSignal: Bool = false
  ) {
    self.signals = signals
    self.hangUp = hangUp
    self.display = display
    self.keys = keys
    self.stop = stop
    self.toggle = toggle
    self.endsAtSecondSignal = endsAtSecondSignal
  }

  /// The status for a signal or `q`; nil while there was none.
  var interruptedWith: Int32? { interruption.status }

  /// Runs work to its end.
  ///
  /// The first signal stops the work, a second SIGINT ends the process.
  ///
  /// - Parameters:
  ///   - work: the work.
  ///   - finish: called after the keys are closed and the terminal is restored; signals are still
  ///     handled, because without a summary scripts would not know how it ended.
  func run<Result: Sendable>(
    _ work: () async -> Result, finish: () async -> Void = {}
  ) async -> Result {
    let received = signals.signals()
    if hangUp != nil { signals.readAgainAtHangUp() }
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { await follow(received) }
      if let keys { group.addTask { await follow(keys.keys) } }
      if display != nil { group.addTask { await drawRegularly() } }
      let result = await work()
      group.cancelAll()
      keys?.close()
      return result
    }
    await finish()
    signals.stopListening()
    return result
  }
}

extension Session {
  private func follow(_ received: AsyncStream<ProcessSignal>) async {
    var isStopping = false
    // The SIGCONT that ends our own stop arrives after the screen is in use again.
    var expectsContinued = false
    for await signal in received {
      if signal == .hangUp, let hangUp {
        await hangUp()
      } else if let status = signal.exitStatus {
        // At the second signal the user does not want to wait any longer.
        if isStopping, endsAtSecondSignal { signals.exitNow(status) }
        isStopping = true
        interruption.note(status)
        await stop()
      } else if signal == .stop {
        await display?.suspend()
        keys?.suspend()
        signals.stopProcess()
        await continueOnScreen()
        expectsContinued = true
      } else if signal == .continued {
        if !expectsContinued { await continueOnScreen() }
        expectsContinued = false
      } else {
        await display?.tick()
      }
    }
  }

  private func continueOnScreen() async {
    keys?.follow()
    await display?.continueDrawing()
  }

  private func follow(_ keys: AsyncStream<ControlKey>) async {
    for await key in keys {
      switch key {
      case .pause: await toggle()
      case .quit:
        signals.beginEnding()
        interruption.note(ProcessSignal.interruptStatus)
        await stop()
      }
    }
  }

  private func drawRegularly() async {
    var count = 0
    while (try? await Task.sleep(for: .milliseconds(100))) != nil {
      count += 1
      // A shell may move a running job to the foreground or the background without a signal.
      if count % 10 == 0 { keys?.follow() }
      await display?.tick()
    }
  }
}

/// The first requested status.
private final class RequestedExit: Sendable {
  private let first = Mutex<Int32?>(nil)

  var status: Int32? { first.withLock { $0 } }

  func note(_ status: Int32) { first.withLock { $0 = $0 ?? status } }
}
