import Glibc
package import PodcastModel

/// A command that prints a password, such as `pass show podcasts/example`.
package enum PasswordCommand {
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
  /// - Parameter place: in the terminal it gets podget's standard input and standard error, so that it
  ///   can ask for a passphrase.
  package static func password(
    from command: String, place: ChildProgram.Place = .terminal
  ) async throws(PodgetError) -> String {
    let words = words(command)
    let child = ChildProgram(place: place)
    let result = await withTaskCancellationHandler {
      await BlockingWork.run { Result { () throws(PodgetError) in try run(words, child) } }
    } onCancel: {
      child.cancel()
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
        return read(ends[0])
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

  private static func failure(_ words: [String], _ reason: String) -> PodgetError {
    PodgetError(.disk, "The password command \(words[0]) cannot be run: \(reason).")
  }
}
