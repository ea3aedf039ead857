import Glibc

/// The signals of terminals and shells, and what a command does about them.
protocol ProcessSignals: Sendable {
  /// The signals from now on, for one listener at a time; nothing is dropped, and the stream ends
  /// when another one is requested.
  ///
  /// Without a listener SIGINT, SIGTERM and SIGHUP end the process with the status of the contract.
  /// With one, the listener handles them, up to the second SIGINT: that ends the process even when
  /// the listener hangs.
  func signals() -> AsyncStream<ProcessSignal>

  /// Makes SIGHUP a signal like any other, as daemons have it: it does not end podget.
  func readAgainAtHangUp()

  /// Ends the listening: signals act again as without a listener.
  func stopListening()

  /// Leaves Ctrl-C and Ctrl-\ to a program that podget runs on its terminal, or takes them back.
  ///
  /// Both get the signals of their terminal. Without this a second Ctrl-C in an editor would end
  /// podget, and leave the editor behind.
  func lendKeyboard(_ isLent: Bool)

  /// Reports that podget is to end, because of a signal or a key: from now on output waits only
  /// briefly for its reader.
  func beginEnding()

  /// Stops the process as Ctrl-Z does, and returns when it continues.
  ///
  /// Without a shell that could continue it (an orphaned process group) the kernel does not stop
  /// it, and no ``ProcessSignal/continued`` follows: use the terminal again after this in any case.
  func stopProcess()

  /// Ends the programs that podget runs, restores the terminal and ends the process immediately,
  /// without any other cleanup.
  func exitNow(_ status: Int32) -> Never
}

/// A signal that a command acts on.
enum ProcessSignal: Sendable, Hashable {
  /// Ctrl-C (SIGINT).
  case interrupt
  /// SIGTERM.
  case terminate
  /// The terminal is gone (SIGHUP).
  case hangUp
  /// Ctrl-Z (SIGTSTP): restore the terminal, then call ``ProcessSignals/stopProcess()``.
  case stop
  /// The process continues (SIGCONT).
  case continued
  /// The window has another size (SIGWINCH).
  case windowChanged

  /// The exit status after SIGINT, and after the key with the same effect.
  static let interruptStatus = 128 + SIGINT

  /// The exit status of a command that ends because of the signal; nil for signals that do not
  /// end it.
  var exitStatus: Int32? {
    switch self {
    case .interrupt: Self.interruptStatus
    case .terminate: 128 + SIGTERM
    case .hangUp: 128 + SIGHUP
    case .stop, .continued, .windowChanged: nil
    }
  }
}
