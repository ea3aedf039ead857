import Glibc
package import PodcastModel

/// A command that prints a password, such as `pass show podcasts/example`.
package enum PasswordCommand {
  /// How long a command may take, unless the user says otherwise.
  package static let standardLimit = Duration.seconds(60)
  /// How often a command that writes nothing is looked after, in milliseconds.
  private static let pollInterval: Int32 = 200
  /// How much of its output is read; the password is the first line.
  private static let outputLimit = 64 * 1024

  /// The words of a command: separated by spaces, or in single or double quotes. There is no shell.
  package static func words(_ command: String) -> [String] {
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
  /// Cancelling the task stops the wait.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - place: as a command it gets podget's standard input and standard error, so that it can ask for
  ///     a passphrase.
  ///   - limit: how long it may take; then it is ended, and that is an error with the code `timeout`.
  ///   - clock: measures the limit.
  package static func password(
    from command: String, place: ChildProgram.Place = .command,
    limit: Duration = standardLimit, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(PodgetError) -> String {
    let words = words(command)
    let child = ChildProgram(place: place)
    let (result, isLate) = await Deadline.run(limit, clock: clock) {
      await BlockingWork.run(whenCancelled: { child.cancel() }) {
        Result { () throws(PodgetError) in try run(words, child) }
      }
    }
    if isLate, (try? result?.get()) == nil {
      let seconds = Int(limit / .seconds(1))
      throw PodgetError(
        .timeout,
        "The password command \(words[0]) took longer than \(seconds) seconds, and was ended.")
    }
    guard let result else { throw PodgetError(.network, "The password command was stopped.") }
    return try result.get()
  }

  private static func run(
    _ words: [String], _ child: ChildProgram
  ) throws(PodgetError) -> String {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure(words, String(cString: strerror(errno))) }
    // The command gets a duplicate of one end only.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let output: [UInt8]
    let status: Int32
    do throws(ProgramStart.Failure) {
      (output, status) = try child.run(words, output: ends[1]) {
        close(ends[1])
        return read(ends[0], of: child)
      }
    } catch {
      close(ends[1])
      throw failure(words, error.explanation)
    }
    guard status == 0 else {
      throw PodgetError(.disk, "The password command \(words[0]) failed.")
    }
    let line = output.prefix { $0 != 0x0A && $0 != 0x0D }
    guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
      throw PodgetError(.disk, "The password command \(words[0]) printed no password.")
    }
    return password
  }

  /// Reads to the end, or until the command is to end: what it has started itself may live on, and keep
  /// the other end open.
  private static func read(_ descriptor: Int32, of child: ChildProgram) -> [UInt8] {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if child.isCancelled { return output }
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = Glibc.poll(&poll, 1, pollInterval)
      guard ready > 0 else {
        if ready < 0, errno != EINTR { return output }
        continue
      }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        // What comes after the limit is read too, so that the command can end.
        output += buffer[..<count].prefix(max(0, outputLimit - output.count))
      } else if count == 0 || errno != EINTR {
        return output
      }
    }
  }

  private static func failure(_ words: [String], _ reason: String) -> PodgetError {
    PodgetError(.disk, "The password command \(words[0]) cannot be run: \(reason).")
  }
}
