import Glibc
internal import PodcastSystem

/// Starts other programs: with the signals as podget found them, and with none of its open files.
package enum ProgramStart {
  /// What a standard stream of a program is.
  package enum Stream: Sendable {
    /// The same as podget's.
    case inherited
    /// Empty for reading, and discarded for writing.
    case nothing
    /// An open file or socket.
    case descriptor(Int32)
  }

  /// Which processes get the same signals from the terminal and from podget.
  package enum Group: Sendable {
    /// Podget's group: Ctrl-C reaches both.
    case same
    /// A group of its own, which podget can end as a whole.
    case own
    /// A session of its own, apart from the terminal.
    case session
  }

  /// The variables of a program.
  package enum Environment: Sendable {
    /// Podget's variables; of those with the same name only the added ones.
    case inherited(adding: [(name: String, value: String)] = [])
    /// No variables.
    case empty
  }

  /// The standard streams of a program.
  package struct Streams: Sendable {
    package var input: Stream
    package var output: Stream
    package var error: Stream
    /// An open file that the program gets as its descriptor 3; nil for none.
    package var file: Int32?

    /// Podget's own streams, unless others are given.
    package init(
      input: Stream = .inherited, output: Stream = .inherited, error: Stream = .inherited,
      file: Int32? = nil
    ) {
      self.input = input
      self.output = output
      self.error = error
      self.file = file
    }
  }

  /// A program that could not be started.
  package struct Failure: Error, Sendable, Hashable {
    /// The system's error number.
    package let number: Int32

    /// What is wrong, for use after a colon.
    package var explanation: String { String(cString: strerror(number)) }
  }

  /// Starts a program. The caller waits for its end.
  ///
  /// - Parameter words: its name, which is looked for in `PATH` if it has no slash, and its arguments.
  /// - Returns: the number of its process.
  package static func start(
    _ words: [String], streams: Streams = Streams(), environment: Environment = .inherited(),
    group: Group = .same
  ) throws(Failure) -> Int32 {
    guard let program = words.first else { throw Failure(number: ENOENT) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, number) in [
      (streams.input, STDIN_FILENO), (streams.output, STDOUT_FILENO),
      (streams.error, STDERR_FILENO),
    ] {
      switch stream {
      case .inherited: break
      case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .descriptor(let other): posix_spawn_file_actions_adddup2(&actions, other, number)
      }
    }
    let first = STDERR_FILENO + 1
    if let file = streams.file { posix_spawn_file_actions_adddup2(&actions, file, first) }
    // libcurl's sockets and such are nobody else's.
    OperatingSystem.closeOthers(in: &actions, from: streams.file == nil ? first : first + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var ignoredByPodget = sigset_t()
    sigemptyset(&none)
    sigemptyset(&ignoredByPodget)
    for ignored in [SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU] { sigaddset(&ignoredByPodget, ignored) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignoredByPodget)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
    switch group {
    case .same: break
    case .own: flags |= Int16(POSIX_SPAWN_SETPGROUP)
    case .session: flags |= OperatingSystem.newSession
    }
    posix_spawnattr_setflags(&attributes, flags)
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var variables = copies(environment) + [nil]
    defer { for variable in variables { free(variable) } }
    var process = pid_t()
    let failure = posix_spawnp(
      &process, program, &actions, &attributes, &arguments, &variables)
    guard failure == 0 else { throw Failure(number: failure) }
    return process
  }

  /// The variables as `NAME=value`, which the caller frees. Podget's keep their bytes, whatever they are.
  private static func copies(_ environment: Environment) -> [UnsafeMutablePointer<CChar>?] {
    guard case .inherited(let added) = environment else { return [] }
    // Podget sets this one for its own threads.
    let names = Set(added.map(\.name)).union(["LIBDISPATCH_LOG"])
    var entries: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let entry = place.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if !names.contains(String(name)) { entries.append(strdup(entry)) }
      place += 1
    }
    return entries + added.map { strdup("\($0.name)=\($0.value)") }
  }
}
