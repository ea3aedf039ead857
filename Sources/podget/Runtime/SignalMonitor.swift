import BrowseScreen
import Glibc
import PodcastKit
internal import PodcastSystem
import Synchronization

/// The signals of the process, as elements of a stream. There is one for the process, as its signals
/// are; `Main` creates it.
///
/// They are blocked in every thread and the main thread waits for them: no code runs inside a
/// signal handler. A child process gets no blocked signals (``ChildProgram``).
final class SignalMonitor: ProcessSignals {
  private struct State {
    var listener: AsyncStream<ProcessSignal>.Continuation?
    /// When waiting ends; nil while podget is not ending.
    var patienceEnds: ContinuousClock.Instant?
    /// The status of the signal that ends the process now; nil if none does.
    var exitStatus: Int32?
    /// Whether SIGHUP does not end podget, but makes it read its configuration again.
    var readsAgainAtHangUp = false
    /// Whether the keyboard's signals are for a program that podget runs.
    var lendsKeyboard = false
  }

  /// How long output may wait for its reader while podget is ending: less than the two seconds
  /// within which a signal takes effect.
  private static let patience = Duration.seconds(1)

  private let state = Mutex(State())

  /// Becomes readable when podget is to end, for waits in poll(2).
  private let alarm = Wakeup()

  /// Ignores the signals that a write or a read can cause: it returns an error instead.
  static func ignoreWriteSignals() {
    for number in [SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
  }

  /// Runs the program as a task, with the signals blocked in all its threads, while the calling
  /// thread waits for them. Call it first in a synchronous `main`: threads that already exist would
  /// still be killed by the signals. When the program returns its status, the process ends with it.
  ///
  /// An asynchronous `main` does not work: its main thread ends in `dispatch_main`, which on Linux
  /// sleeps with no signal blocked. Nothing here serves the main actor; podget does not use it.
  ///
  /// Signals that were ignored when podget started, such as SIGHUP under `nohup`, stay ignored. A
  /// shell without job control starts background jobs with SIGINT ignored, to protect them from
  /// Ctrl-C; then a SIGINT from `kill` is handled and one from the keyboard is not.
  func run(_ program: @escaping @Sendable () async -> Int32) -> Never {
    Self.ignoreWriteSignals()
    // podget waits for the programs that it starts, whatever its parent did.
    signal(SIGCHLD, SIG_DFL)
    let ignoresKeyboard = SignalAction.isIgnored(SIGINT)
    var waited = sigset_t()
    sigemptyset(&waited)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    where [SIGINT, SIGCONT, SIGWINCH].contains(number) || !SignalAction.isIgnored(number) {
      sigaddset(&waited, number)
    }
    pthread_sigmask(SIG_BLOCK, &waited, nil)
    Task {
      let status = await program()
      // The end of another program, which the same signal ended, may have ended this one first.
      exit(state.withLock { $0.exitStatus } ?? status)
    }
    wait(for: waited, ignoresKeyboard: ignoresKeyboard)
  }

  func signals() -> AsyncStream<ProcessSignal> {
    let (stream, continuation) = AsyncStream.makeStream(of: ProcessSignal.self)
    let previous = state.withLock { state in
      defer { state.listener = continuation }
      return state.listener
    }
    previous?.finish()
    return stream
  }

  func readAgainAtHangUp() { state.withLock { $0.readsAgainAtHangUp = true } }

  func stopListening() {
    let previous = state.withLock { state in
      defer { state.listener = nil }
      return state.listener
    }
    previous?.finish()
  }

  func lendKeyboard(_ isLent: Bool) {
    state.withLock { $0.lendsKeyboard = isLent }
  }

  /// Whether a listener handles the signals now.
  var isListened: Bool { state.withLock { $0.listener != nil } }

  func beginEnding() {
    let isFirst = state.withLock { state in
      guard state.patienceEnds == nil else { return false }
      state.patienceEnds = .now + Self.patience
      return true
    }
    if isFirst { alarm?.signal() }
  }

  /// Waits until a descriptor accepts bytes, or reports an error.
  ///
  /// - Returns: whether it does; false when podget is to end and the wait has been too long.
  func waitUntilWritable(_ descriptor: Int32) -> Bool {
    while true {
      let end = state.withLock { $0.patienceEnds }
      var timeout: Int32 = -1
      if let end {
        // Rounded up, so that the last check is not before the end.
        let left = max(.zero, end - ContinuousClock.now) / .milliseconds(1)
        timeout = Int32(left.rounded(.up))
      }
      // poll(2) ignores negative descriptors; once the alarm was raised it stays readable.
      let alarmed = end == nil ? alarm?.descriptor ?? -1 : -1
      var descriptors = [
        pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
        pollfd(fd: alarmed, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&descriptors, 2, timeout)
      if count < 0 {
        guard errno == EINTR else { return true }
      } else if descriptors[0].revents != 0 {
        return true
      } else if count == 0 {
        return false
      }
    }
  }

  func stopProcess() {
    var stop = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    // To this thread, where it is unblocked for the moment: the stop happens inside the call. A SIGTSTP
    // from the keyboard may still be pending: together they are one stop, and one after the other they
    // would be two.
    raise(SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, nil)
    pthread_sigmask(SIG_BLOCK, &stop, nil)
  }

  func exitNow(_ status: Int32) -> Never {
    state.withLock { $0.exitStatus = $0.exitStatus ?? status }
    ChildProgram.cancelAll()
    TerminalMode.restore()
    _exit(status)
  }
}

extension SignalMonitor {
  private func wait(for signals: sigset_t, ignoresKeyboard: Bool) -> Never {
    var signals = signals
    var interrupts = 0
    while true {
      let (number, isFromKernel) = OperatingSystem.wait(for: &signals)
      if isFromKernel, number == SIGINT || number == SIGQUIT,
        state.withLock({ $0.lendsKeyboard })
      {
        continue
      }
      if number == SIGQUIT { quit() }
      guard let signal = ProcessSignal(number) else { continue }
      if signal == .interrupt {
        if ignoresKeyboard && isFromKernel { continue }
        interrupts += 1
        if interrupts > 1 { exitNow(128 + SIGINT) }
      }
      deliver(signal)
    }
  }

  private func deliver(_ signal: ProcessSignal) {
    let (listener, readsAgain) = state.withLock { ($0.listener, $0.readsAgainAtHangUp) }
    if let listener {
      if signal.exitStatus != nil, signal != .hangUp || !readsAgain { beginEnding() }
      listener.yield(signal)
    } else if let status = signal.exitStatus {
      exitNow(status)
    } else if signal == .stop {
      stopProcess()
    }
  }

  /// Ctrl-\ is for programs that hang: it keeps its default action.
  private func quit() {
    TerminalMode.restore()
    var quit = sigset_t()
    sigemptyset(&quit)
    sigaddset(&quit, SIGQUIT)
    pthread_sigmask(SIG_UNBLOCK, &quit, nil)
    raise(SIGQUIT)
  }
}

extension ProcessSignal {
  fileprivate init?(_ number: Int32) {
    switch number {
    case SIGINT: self = .interrupt
    case SIGTERM: self = .terminate
    case SIGHUP: self = .hangUp
    case SIGTSTP: self = .stop
    case SIGCONT: self = .continued
    case SIGWINCH: self = .windowChanged
    default: return nil
    }
  }
}
