import ArgumentParser
import PodcastKit

/// The end of a command line that ran no command to its end: messages of the argument parser, and the
/// exit status.
struct Ending {
  let arguments: [String]
  let context: CommandContext

  /// Writes the message of an error: help and version go to stdout with status 0, usage errors end
  /// with 64, all others have their own status.
  func status(of error: any Error) -> Int32 {
    let status = Podget.exitCode(for: error).rawValue
    let text = Podget.fullMessage(for: error)
    guard !text.isEmpty else { return status }
    guard status == 0 else {
      var errors = context.errors
      let message = text.hasPrefix("Error: ") ? "podget: \(Self.even(text.dropFirst(7)))" : text
      errors.send(Self.safe(message, arguments: arguments) + "\n", .error)
      return status
    }
    return self.status(printing: HelpText.ownOptionsFirst(text))
  }

  /// The parser's message about a wrong value in the form of podget's own: the option, and what it takes.
  private static func even(_ message: Substring) -> Substring {
    let line = message.prefix { $0 != "\n" }
    guard line.hasPrefix("The value '"), let found = line.ranges(of: "' is invalid for '").last
    else { return message }
    let rest = line[found.upperBound...]
    guard let end = rest.firstIndex(of: "'") else { return message }
    let option = rest[..<end].prefix { $0 != " " }
    let reason = rest[end...].dropFirst()
    let said: String
    if reason.hasPrefix(": ") {
      let reason = reason.dropFirst(2)
      said = reason.hasPrefix("--") ? String(reason) : "\(option): \(reason)"
    } else if reason.isEmpty {
      let kind = rest[..<end].hasSuffix("<seconds>") ? "number of seconds" : "whole number"
      let value = line[..<found.lowerBound].dropFirst("The value '".count)
      said = "\(option) takes a \(kind), not \"\(value)\"."
    } else {
      return message
    }
    return said + message[line.endIndex...]
  }

  /// Writes a text to standard output.
  func status(printing text: String) -> Int32 {
    var output = context.output
    output.send(text + "\n")
    guard let failure = output.failure else { return Outcome.success.status }
    context.say(failure.sentence)
    return Outcome.failure.status
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
    TerminalText.safe(AddressRedaction.shown(argument))
  }
}
