internal import CFiles
import Dispatch
import Glibc
import Synchronization

/// A program that podget runs, and that can be ended from any thread.
///
/// It gets the signals as podget found them.
package final class ChildProgram: Sendable {
  /// What a program has to do with podget's terminal.
  package enum Place: Sendable {
    /// It gets podget's standard streams and terminal.
    case terminal
    /// It gets podget's standard streams, and ends with its process group where it can have one: where
    /// no terminal controls podget. On a terminal it must be in podget's group to be able to read.
    case command
    /// It has empty input and no other open file, and runs in a process group of its own, which ends
    /// with it.
    case apart
    /// It also runs in a session without a terminal, and what it writes to standard error is
    /// discarded: nothing of it is seen on a full screen.
    case unseen
  }

  /// The programs that run now, and whether no other may start.
  private static let running = Mutex(
    (programs: [ObjectIdentifier: ChildProgram](), isClosed: false))

  private let state = Mutex((process: pid_t(0), isCancelled: false))
  /// Variables that it gets besides podget's.
  private let variables: [(name: String, value: String)]
  private let place: Place
  private let group: ProgramStart.Group
  /// Called each time it was stopped by a signal, as by Ctrl-Z; it continues when that returns. Nil if
  /// nothing follows from a stop.
  private let whenStopped: (@Sendable () -> Void)?

  /// Creates a program that was not started yet.
  ///
  /// - Parameters:
  ///   - variables: variables that it gets besides podget's; they replace those of the same names.
  ///   - place: what it has to do with podget's terminal.
  ///   - whenStopped: called each time it was stopped by a signal, as by Ctrl-Z; it continues when
  ///     that returns.
  package init(
    adding variables: [(name: String, value: String)] = [], place: Place = .terminal,
    whenStopped: (@Sendable () -> Void)? = nil
  ) {
    self.variables = variables
    self.place = place
    group = Self.group(in: place)
    self.whenStopped = whenStopped
  }

  /// Runs the program to its end. The calling thread waits. A program that was cancelled before does
  /// not start.
  ///
  /// - Parameters:
  ///   - words: the program's name, which is looked for in `PATH`, and its arguments.
  ///   - input: what it gets as standard input instead of what its place gives it.
  ///   - output: what it gets as standard output instead of podget's.
  ///   - error: what it gets as standard error instead of what its place gives it.
  ///   - work: what is done meanwhile.
  /// - Returns: the result of the work, and the status as of waitpid(2).
  /// - Throws: the error's number when it cannot be started; `ECANCELED` after ``cancel()``.
  package func run<Result>(
    _ words: [String], input: Int32? = nil, output: Int32? = nil, error: Int32? = nil,
    while work: () -> Result
  ) throws(ProgramStart.Failure) -> (Result, status: Int32) {
    // Whoever ends all programs must find it, whatever moment that is.
    let mayStart = Self.running.withLock { running in
      guard !running.isClosed else { return false }
      running.programs[ObjectIdentifier(self)] = self
      return true
    }
    guard mayStart else { throw ProgramStart.Failure(number: ECANCELED) }
    defer { Self.running.withLock { $0.programs[ObjectIdentifier(self)] = nil } }
    let process = try start(words, input, output, error)
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
    state.withLock { state in
      // What a password command has started is of no use without it.
      if state.isCancelled, isForPassword { kill(target(process), SIGKILL) }
      state.process = 0
    }
    // If its status is lost, it counts as failed.
    var status: Int32 = 1 << 8
    while waitpid(process, &status, 0) == -1, errno == EINTR {}
    return (result, status)
  }

  /// Ends the program, also if it has not started yet.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      if state.process > 0 { kill(target(state.process), SIGTERM) }
    }
    guard place != .terminal else { return }
    // What does not want to end must not delay podget.
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self] in
      state.withLock { state in
        if state.process > 0 { kill(target(state.process), SIGKILL) }
      }
    }
  }

  /// Ends all programs that run, for a podget that ends at once. No other starts.
  package static func cancelAll() {
    let children = running.withLock { running in
      running.isClosed = true
      return Array(running.programs.values)
    }
    for child in children { child.cancel() }
  }

  /// Sends the program a signal, if it runs.
  package func send(_ signal: Int32) {
    state.withLock { state in
      if state.process > 0 { kill(state.process, signal) }
    }
  }

  /// Whether it has ended while ``run(_:input:output:error:while:)`` does its work; false before it
  /// started.
  package var hasEnded: Bool {
    state.withLock { state in
      guard state.process > 0 else { return false }
      var information = siginfo_t()
      let status = waitid(P_PID, id_t(state.process), &information, WEXITED | WNOWAIT | WNOHANG)
      return status == 0 ? information.si_signo != 0 : errno != EINTR
    }
  }

  /// `CLD_STOPPED` as `si_code` has it.
  private static let wasStopped: Int32 = 5

  /// Whether ``cancel()`` was called.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether it prints a password.
  private var isForPassword: Bool { place == .command || place == .unseen }

  /// What a signal that ends the process is sent to.
  private func target(_ process: pid_t) -> pid_t {
    switch group {
    case .same: process
    case .own, .session: -process
    }
  }

  /// Whether podget has a terminal that controls it.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }

  private static func group(in place: Place) -> ProgramStart.Group {
    switch place {
    case .terminal: .same
    case .command: hasTerminal ? .same : .own
    case .apart: .own
    case .unseen: .session
    }
  }

  /// Starts the process, unless it is to end already.
  ///
  /// ``cancel()`` waits meanwhile, so that it knows the process.
  private func start(
    _ words: [String], _ input: Int32?, _ output: Int32?, _ error: Int32?
  ) throws(ProgramStart.Failure) -> pid_t {
    try state.withLock { state throws(ProgramStart.Failure) in
      guard !state.isCancelled else { throw ProgramStart.Failure(number: ECANCELED) }
      state.process = try ProgramStart.start(
        words,
        streams: ProgramStart.Streams(
          input: input.map { .descriptor($0) }
            ?? (place == .terminal || place == .command ? .inherited : .nothing),
          output: output.map { .descriptor($0) } ?? (place == .unseen ? .nothing : .inherited),
          error: error.map { .descriptor($0) } ?? (place == .unseen ? .nothing : .inherited)),
        environment: .inherited(adding: variables), group: group)
      return state.process
    }
  }
}
