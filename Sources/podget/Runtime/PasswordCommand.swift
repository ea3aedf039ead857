import Glibc
import PodcastKit
import Synchronization

/// A command that prints a password, such as `pass show podcasts/example`.
enum PasswordCommand {
  /// How much of its output is read; the password is the first line.
  private static let outputLimit = 64 * 1024

  /// The words of a command: separated by spaces, or in single or double quotes. There is no shell.
  static func words(_ command: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in command {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }

  /// Runs a command and returns the first line of its output.
  ///
  /// It gets podget's standard input and standard error, so that it can ask for a passphrase.
  /// Cancelling the task stops the wait.
  static func password(from command: String) async throws(PodgetError) -> String {
    let words = words(command)
    let child = Child()
    let result = await withTaskCancellationHandler {
      await BlockingWork.run { Result { () throws(PodgetError) in try run(words, child) } }
    } onCancel: {
      child.cancel()
    }
    guard let result else { throw PodgetError(.network, "The password command was stopped.") }
    return try result.get()
  }

  /// The command's process, which ends with the wait for it.
  private final class Child: Sendable {
    private let state = Mutex((process: pid_t(0), isCancelled: false))

    /// Notes that the process runs.
    func begin(_ process: pid_t) {
      let isCancelled = state.withLock { state in
        state.process = process
        return state.isCancelled
      }
      if isCancelled { kill(process, SIGTERM) }
    }

    /// Notes that the process has ended; its number may be another one's from then on.
    func end() { state.withLock { $0.process = 0 } }

    func cancel() {
      state.withLock { state in
        state.isCancelled = true
        if state.process > 0 { kill(state.process, SIGTERM) }
      }
    }
  }

  private static func run(_ words: [String], _ child: Child) throws(PodgetError) -> String {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure(words, errno) }
    // The command gets a duplicate of one end only.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // podget blocks some signals and ignores others; the command gets them as podget did.
    var none = sigset_t()
    var ignoredByPodget = sigset_t()
    sigemptyset(&none)
    sigemptyset(&ignoredByPodget)
    for ignored in [SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU] { sigaddset(&ignoredByPodget, ignored) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignoredByPodget)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let status = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
    close(ends[1])
    guard status == 0 else { throw failure(words, status) }
    child.begin(process)
    let output = read(ends[0])
    var end: Int32 = 0
    // The number stays the child's until it is waited for.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    child.end()
    while waitpid(process, &end, 0) == -1, errno == EINTR {}
    guard end == 0 else {
      throw PodgetError(.disk, "The password command \(words[0]) failed.")
    }
    let line = output.prefix { $0 != 0x0A && $0 != 0x0D }
    guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
      throw PodgetError(.disk, "The password command \(words[0]) printed no password.")
    }
    return password
  }

  private static func read(_ descriptor: Int32) -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        // What comes after the limit is read too, so that the command can end.
        output += buffer[..<count].prefix(max(0, outputLimit - output.count))
      } else if count == 0 || errno != EINTR {
        return output
      }
    }
  }

  private static func failure(_ words: [String], _ number: Int32) -> PodgetError {
    PodgetError(
      .disk, "The password command \(words[0]) cannot be run: \(String(cString: strerror(number)))."
    )
  }
}
