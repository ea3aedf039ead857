import Synchronization

/// What a session draws on: told when time passes, and when the screen belongs to others.
protocol SessionDisplay: Actor {
  /// Time has passed, or the window has another size; called about ten times a second.
  func tick()

  /// Leaves the screen to others, before the process is stopped.
  func suspend()

  /// Takes the screen up again; harmless without a ``suspend()`` before it.
  func continueDrawing()
}

/// Work of a command that takes long, with what belongs to it: signals, keys, and ticks for its
/// display.
struct Session: Sendable {
  /// What is drawn on, if anything is.
  private let display: (any SessionDisplay)?
  /// The keys that are followed; closed at the end.
  private let keys: TerminalKeys?
  /// Ends the work, and keeps what it has done; it may be called several times.
  private let stop: @Sendable () async -> Void
  /// Pauses the work, or lets it go on.
  private let toggle: @Sendable () async -> Void
  /// Whether any second signal ends the process: the work may hang for want of a network.
  private let endsAtSecondSignal: Bool
  private let interruption = Interruption()

  init(
    display: (any SessionDisplay)? = nil, keys: TerminalKeys? = nil,
    stop: @escaping @Sendable () async -> Void,
    toggle: @escaping @Sendable () async -> Void = {}, endsAtSecondSignal: Bool = false
  ) {
    self.display = display
    self.keys = keys
    self.stop = stop
    self.toggle = toggle
    self.endsAtSecondSignal = endsAtSecondSignal
  }

  /// The status that a signal or `q` asked for; nil while nobody interrupted.
  var interruptedWith: Int32? { interruption.status }

  /// Runs work to its end.
  ///
  /// The first signal stops the work, a second SIGINT ends the process.
  ///
  /// - Parameters:
  ///   - work: what is done.
  ///   - finish: what is done when keys are read no more and the terminal is as it was; signals are
  ///     still listened to, since without a summary scripts would not know how it ended.
  func run<Result: Sendable>(
    _ work: () async -> Result, finish: () async -> Void = {}
  ) async -> Result {
    let signals = SignalMonitor.signals()
    let result = await withTaskGroup(of: Void.self) { group in
      group.addTask { await follow(signals) }
      if let keys { group.addTask { await follow(keys.keys) } }
      if display != nil { group.addTask { await drawRegularly() } }
      let result = await work()
      group.cancelAll()
      keys?.close()
      return result
    }
    await finish()
    SignalMonitor.stopListening()
    return result
  }
}

extension Session {
  private func follow(_ signals: AsyncStream<SignalMonitor.Signal>) async {
    var isStopping = false
    // The SIGCONT that ends our own stop comes after the screen was taken up again.
    var expectsContinued = false
    for await signal in signals {
      if let status = signal.exitStatus {
        // The second time the user does not want to wait any longer.
        if isStopping, endsAtSecondSignal { SignalMonitor.exitNow(status) }
        isStopping = true
        interruption.note(status)
        await stop()
      } else if signal == .stop {
        await display?.suspend()
        keys?.suspend()
        SignalMonitor.stopProcess()
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

  private func follow(_ keys: AsyncStream<TerminalKeys.Key>) async {
    for await key in keys {
      switch key {
      case .pause: await toggle()
      case .quit:
        SignalMonitor.beginEnding()
        interruption.note(SignalMonitor.Signal.interruptStatus)
        await stop()
      }
    }
  }

  private func drawRegularly() async {
    var count = 0
    while (try? await Task.sleep(for: .milliseconds(100))) != nil {
      count += 1
      // A shell may move a running job to the front or the back without telling it.
      if count % 10 == 0 { keys?.follow() }
      await display?.tick()
    }
  }
}

/// The first status that anybody asked for.
private final class Interruption: Sendable {
  private let first = Mutex<Int32?>(nil)

  var status: Int32? { first.withLock { $0 } }

  func note(_ status: Int32) { first.withLock { $0 = $0 ?? status } }
}
