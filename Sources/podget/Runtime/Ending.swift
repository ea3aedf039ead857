import ArgumentParser
import Glibc
import PodcastKit

/// The end of the process: messages of the argument parser, and the exit status.
enum Ending {
  /// Ends the process for an error: help and version go to stdout with status 0, usage errors end
  /// with 64, all others have their own status.
  static func exit(_ error: any Error, arguments: [String]) -> Never {
    let status = Podget.exitCode(for: error).rawValue
    let text = Podget.fullMessage(for: error)
    guard !text.isEmpty else { Glibc.exit(status) }
    guard status == 0 else {
      var errors = TextOutput.standardError
      errors.send(safe(text, arguments: arguments) + "\n")
      Glibc.exit(status)
    }
    exit(printing: text)
  }

  /// Writes a text to standard output and ends the process.
  static func exit(printing text: String) -> Never {
    var output = TextOutput.standardOutput
    output.send(text + "\n")
    guard let failure = output.failure else { Glibc.exit(0) }
    CommandContext.process.say(failure.sentence)
    Glibc.exit(Outcome.failure.status)
  }

  /// A message of the parser made safe for a terminal.
  ///
  /// It repeats arguments as they were typed. The message has its own lines, so an argument with a
  /// line break is replaced completely: it could add lines that look like the parser's.
  static func safe(_ message: String, arguments: [String]) -> String {
    var pieces: Set<String> = []
    for argument in arguments where shown(argument) != argument {
      pieces.insert(argument)
      // For example --match=VALUE and -dVALUE.
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      pieces.formUnion(parts.map(String.init))
      if argument.hasPrefix("-") { pieces.insert(String(argument.dropFirst(2))) }
    }
    var message = message
    for piece in pieces.sorted(by: { $0.utf8.count > $1.utf8.count }) {
      let safe = shown(piece)
      if safe != piece, !piece.isEmpty { message = message.replacing(piece, with: safe) }
    }
    return message.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TerminalText.safe(String($0)) }.joined(separator: "\n")
  }
  /// An argument without terminal control characters, and without passwords and tokens of an
  /// address in it.
  private static func shown(_ argument: String) -> String {
    let address = AddressRedaction.withoutCredentials(argument)
    return TerminalText.safe(AddressRedaction.shown(in: address))
  }
}
