internal import CFiles
import Dispatch
import Glibc
import PodcastKit
import Synchronization

/// A program that podget runs, and that can be ended from any thread.
///
/// It gets podget's standard streams and terminal, and the signals as podget found them.
final class ChildProgram: Sendable {
  private let state = Mutex((process: pid_t(0), isCancelled: false))
  /// Variables that it gets besides podget's.
  private let variables: [(name: String, value: String)]
  /// Whether it runs apart from the terminal: with empty input, no other open file, and in a process
  /// group of its own, which ends with it.
  private let isApart: Bool
  /// Called each time it was stopped by a signal, as by Ctrl-Z; it continues when that returns. Nil if
  /// nothing follows from a stop.
  private let whenStopped: (@Sendable () -> Void)?

  /// Creates a program that was not started yet.
  ///
  /// - Parameters:
  ///   - variables: variables that it gets besides podget's; they replace those of the same names.
  ///   - isApart: whether it runs apart from the terminal: with empty input, no other open file, and
  ///     in a process group of its own, which ends with it.
  ///   - whenStopped: called each time it was stopped by a signal, as by Ctrl-Z; it continues when
  ///     that returns.
  init(
    adding variables: [(name: String, value: String)] = [], isApart: Bool = false,
    whenStopped: (@Sendable () -> Void)? = nil
  ) {
    self.variables = variables
    self.isApart = isApart
    self.whenStopped = whenStopped
  }

  /// Runs the program to its end. The calling thread waits.
  ///
  /// - Parameters:
  ///   - words: the program's name, which is looked for in `PATH`, and its arguments.
  ///   - output: what it gets as standard output instead of podget's.
  ///   - work: what is done meanwhile.
  /// - Returns: the result of the work, and the status as of waitpid(2).
  /// - Throws: the error's number when it cannot be started.
  func run<Result>(
    _ words: [String], output: Int32? = nil, while work: () -> Result
  ) throws(ProgramStart.Failure) -> (Result, status: Int32) {
    let process = try ProgramStart.start(
      words,
      streams: ProgramStart.Streams(
        input: isApart ? .nothing : .inherited,
        output: output.map { .descriptor($0) } ?? .inherited),
      environment: .inherited(adding: variables), group: isApart ? .own : .same)
    begin(process)
    let result = work()
    // The number stays the child's until it is waited for.
    var information = siginfo_t()
    let stops = whenStopped == nil ? 0 : WSTOPPED
    while true {
      if waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT | stops) == -1 {
        if errno == EINTR { continue }
        break
      }
      guard information.si_code == Self.wasStopped else { break }
      // A stop is reported until it is taken.
      _ = waitid(P_PID, id_t(process), &information, WSTOPPED | WNOHANG)
      whenStopped?()
      kill(process, SIGCONT)
    }
    state.withLock { $0.process = 0 }
    // If its status is lost, it counts as failed.
    var status: Int32 = 1 << 8
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return (result, status)
  }

  /// Ends the program, also if it has not started yet.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if state.process > 0 { kill(isApart ? -state.process : state.process, SIGTERM) }
    }
    guard isApart else { return }
    // What does not want to end must not delay podget.
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self] in
      state.withLock { state in
        if state.process > 0 { kill(-state.process, SIGKILL) }
      }
    }
  }

  /// Sends the program a signal, if it runs.
  func send(_ signal: Int32) {
    state.withLock { state in
      if state.process > 0 { kill(state.process, signal) }
    }
  }

  /// `CLD_STOPPED` as `si_code` has it.
  private static let wasStopped: Int32 = 5

  private func begin(_ process: pid_t) {
    let isCancelled = state.withLock { state in
      state.process = process
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }
}
