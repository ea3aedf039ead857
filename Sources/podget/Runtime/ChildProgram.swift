internal import CFiles
import Dispatch
import Glibc
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
  ) throws(SpawnFailure) -> (Result, status: Int32) {
    guard let program = words.first else { throw SpawnFailure(number: ENOENT) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if isApart {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    // libcurl's sockets and such are nobody else's.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // podget blocks some signals and ignores others; the program gets them as podget did.
    var none = sigset_t()
    var ignoredByPodget = sigset_t()
    sigemptyset(&none)
    sigemptyset(&ignoredByPodget)
    for ignored in [SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU] { sigaddset(&ignoredByPodget, ignored) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignoredByPodget)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    if isApart { flags |= Int16(POSIX_SPAWN_SETPGROUP) }
    posix_spawnattr_setflags(&attributes, flags)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let failure = withEnvironment {
      posix_spawnp(&process, program, &actions, &attributes, &arguments, $0)
    }
    guard failure == 0 else { throw SpawnFailure(number: failure) }
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
    var status: Int32 = 0
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

  /// Calls `body` with podget's environment and the added variables.
  private func withEnvironment<Result>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    guard !variables.isEmpty else { return body(environ) }
    let names = Set(variables.map(\.name))
    var entries: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let entry = place.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if !names.contains(String(name)) { entries.append(strdup(entry)) }
      place += 1
    }
    entries += variables.map { strdup("\($0.name)=\($0.value)") }
    defer { for entry in entries { free(entry) } }
    var environment = entries + [nil]
    return environment.withUnsafeMutableBufferPointer { buffer in
      // The list has at least its end.
      buffer.baseAddress.map(body) ?? body(environ)
    }
  }

  private func begin(_ process: pid_t) {
    let isCancelled = state.withLock { state in
      state.process = process
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }
}

/// Why a program cannot be started.
struct SpawnFailure: Error, Hashable {
  /// The system's error number.
  let number: Int32

  /// What is wrong, for use after a colon.
  var explanation: String { String(cString: strerror(number)) }
}
