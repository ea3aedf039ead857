import ArgumentParser
import FoundationEssentials
import PodcastKit

/// The manual pages, in the man(7) language: podget(1), and one page for each command.
///
/// They come from the same declarations as `help`, as the argument parser describes them.
enum ManualPage {
  /// What the argument parser says about a command. Its format is its own; only what a page needs is
  /// read.
  struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable {
        var kind: String
        var name: String

        var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
      }

      var kind: String
      var shouldDisplay: Bool
      var sectionTitle: String?
      var isOptional: Bool
      var isRepeating: Bool
      var names: [Name]?
      var valueName: String?
      var abstract: String?
      var discussion: String?
      var defaultValue: String?
      var allValues: [String]?
    }

    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool?
    var arguments: [Argument]?
    var subcommands: [Command]?
  }

  private struct Description: Decodable {
    var command: Command
  }

  private static let described = Result {
    try JSONDecoder().decode(Description.self, from: Data(description.utf8)).command
  }

  /// What the argument parser writes for its own tools.
  private static var description: String {
    do {
      _ = try Podget.parseAsRoot(["--experimental-dump-help"])
      return ""
    } catch {
      return Podget.fullMessage(for: error)
    }
  }

  /// All commands, podget itself first.
  static func root() throws -> Command { try described.get() }

  /// A page.
  ///
  /// - Parameter name: the command; nil for podget(1).
  /// - Throws: a `ValidationError` if there is no such command.
  static func text(_ name: String?) throws -> String {
    let root = try root()
    guard let name else { return try page(of: root) }
    let whole = CommandNames.aliases[name] ?? name
    guard let command = root.subcommands?.first(where: { $0.commandName == whole }) else {
      throw ValidationError(CommandNames.unknown(name))
    }
    return try page(of: command, below: root.commandName)
  }
}

extension ManualPage {
  private static func page(
    of command: Command, below parent: String? = nil
  ) throws -> String {
    let name = [parent, command.commandName].compactMap(\.self).joined(separator: " ")
    let page = name.replacing(" ", with: "-")
    var roff = Roff()
    roff.macro(
      "TH", page.uppercased(), "1", "", "podget \(Podget.programVersion)", "podget manual")
    roff.macro("SH", "NAME")
    roff.line("\(page) - \(command.abstract.map(sentenceAsPhrase) ?? "")")
    roff.macro("SH", "SYNOPSIS")
    for (path, command) in synopses(of: command, name) { roff.synopsis(path, command) }
    roff.macro("SH", "DESCRIPTION")
    if let abstract = command.abstract { roff.line(abstract) }
    if let discussion = command.discussion { roff.text(discussion) }
    if parent == nil {
      addCommands(of: command, to: &roff)
    } else {
      addArguments(of: command, to: &roff)
    }
    for part in command.subcommands ?? [] where parent != nil && part.commandName != "help" {
      roff.macro("SH", "\(name) \(part.commandName)".uppercased())
      if let abstract = part.abstract { roff.line(abstract) }
      if let discussion = part.discussion { roff.text(discussion) }
      addArguments(of: part, to: &roff, isPart: true)
    }
    if parent == nil {
      for topic in [HelpTopic.templates, .environment, .exitStatus] {
        roff.topic(try topic.text())
      }
    }
    roff.macro("SH", "SEE ALSO")
    roff.line(
      parent == nil
        ? "The page of each command, such as podget-download(1)."
        : "podget(1), and podget help environment, exit-status, json and templates.")
    return roff.output
  }

  private static func synopses(of command: Command, _ name: String) -> [(String, Command)] {
    let parts = (command.subcommands ?? []).filter { $0.commandName != "help" }
    guard !parts.isEmpty, name != "podget" else { return [(name, command)] }
    return [(name, command)] + parts.map { ("\(name) \($0.commandName)", $0) }
  }

  private static func addCommands(of root: Command, to roff: inout Roff) {
    roff.macro("SH", "COMMANDS")
    for command in root.subcommands ?? [] where command.shouldDisplay != false {
      roff.item("podget-\(command.commandName)(1)", command.abstract ?? "")
    }
  }

  private static func addArguments(
    of command: Command, to roff: inout Roff, isPart: Bool = false
  ) {
    let shown = (command.arguments ?? []).filter { argument in
      argument.shouldDisplay
        && !(isPart && ["version", "help"].contains(argument.names?.last?.name))
    }
    var sections: [(title: String, arguments: [Command.Argument])] = []
    for argument in shown {
      let title = argument.sectionTitle ?? (argument.kind == "positional" ? "Arguments" : "Options")
      if let place = sections.firstIndex(where: { $0.title == title }) {
        sections[place].arguments.append(argument)
      } else {
        sections.append((title, [argument]))
      }
    }
    // The command's own come first, and what all commands share comes last.
    let own = ["Arguments", "Options"]
    let ordered =
      own.compactMap { title in sections.first { $0.title == title } }
      + sections.filter { !own.contains($0.title) }
    for section in ordered {
      roff.macro(isPart ? "SS" : "SH", section.title.uppercased())
      for argument in section.arguments { roff.item(heading(of: argument), help(of: argument)) }
    }
  }

  private static func heading(of argument: Command.Argument) -> String {
    let value = argument.kind == "flag" ? nil : argument.valueName.map { "<\($0)>" }
    guard let names = argument.names, !names.isEmpty else {
      return (value ?? "") + (argument.isRepeating ? " ..." : "")
    }
    // Short names first.
    let ordered = names.filter { $0.kind != "long" } + names.filter { $0.kind == "long" }
    return ([ordered.map(\.text).joined(separator: ", ")] + [value].compactMap(\.self))
      .joined(separator: " ")
  }

  private static func help(of argument: Command.Argument) -> String {
    var parts = [argument.abstract, argument.discussion].compactMap(\.self)
    if let values = argument.allValues, !values.isEmpty {
      parts.append("(values: \(values.joined(separator: ", ")))")
    }
    if let value = argument.defaultValue, argument.kind != "flag" {
      parts.append("(default: \(value))")
    }
    return parts.joined(separator: " ")
  }

  /// "List the episodes." as manual pages describe a program: "list the episodes".
  private static func sentenceAsPhrase(_ sentence: String) -> String {
    let phrase = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    return phrase.prefix(1).lowercased() + phrase.dropFirst()
  }
}

/// Text in the man(7) language, which reads some characters and beginnings of lines as commands.
private struct Roff {
  private(set) var output = ""

  mutating func macro(_ name: String, _ arguments: String...) {
    let quoted = arguments.map { "\"\(Self.escaped($0).replacing("\"", with: "\\(dq"))\"" }
    output += ".\(([name] + quoted).joined(separator: " "))\n"
  }

  /// A line of running text.
  mutating func line(_ text: String) { output += Self.line(text) + "\n" }

  mutating func synopsis(_ path: String, _ command: ManualPage.Command) {
    var words = ["\\fB\(Self.escaped(path))\\fR"]
    let arguments = (command.arguments ?? []).filter(\.shouldDisplay)
    if arguments.contains(where: { $0.kind != "positional" }) {
      words.append("[\\fIoptions\\fR]")
    }
    for argument in arguments where argument.kind == "positional" {
      let value =
        "\\fI\(Self.escaped(argument.valueName ?? ""))\\fR" + (argument.isRepeating ? " ..." : "")
      words.append(argument.isOptional ? "[\(value)]" : value)
    }
    if command.commandName == "podget" { words.append("\\fIcommand\\fR [\\fIargument\\fR ...]") }
    output += words.joined(separator: " ") + "\n.br\n"
  }

  /// An option or a command, with what it means.
  mutating func item(_ heading: String, _ text: String) {
    output += ".TP\n\\fB\(Self.escaped(heading))\\fR\n\(Self.line(text))\n"
  }

  /// Paragraphs, lists and examples, as `help` writes them.
  mutating func text(_ text: String) {
    var isExample = false
    var wasBlank = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let isIndented = line.hasPrefix("  ")
      if isIndented != isExample {
        output += isIndented ? ".PP\n.nf\n" : ".fi\n.PP\n"
        isExample = isIndented
        wasBlank = true
      }
      if line.isEmpty {
        if !wasBlank { output += ".PP\n" }
        wasBlank = true
      } else if line.hasPrefix("- ") {
        output += ".IP \\(bu 2\n\(Self.line(String(line.dropFirst(2))))\n"
        wasBlank = false
      } else {
        if wasBlank, !isExample { output += ".PP\n" }
        output += Self.line(String(line)) + "\n"
        wasBlank = false
      }
    }
    if isExample { output += ".fi\n" }
  }

  /// A topic of `help`: its heading, then lines that stay as they are.
  mutating func topic(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    macro("SH", lines.first.map(String.init) ?? "")
    output += ".nf\n"
    for line in lines.dropFirst().drop(while: \.isEmpty) {
      output += Self.line(String(line)) + "\n"
    }
    output += ".fi\n"
  }

  private static func line(_ text: String) -> String {
    let escaped = escaped(text)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("'", with: "\\(aq")
      .replacing("`", with: "\\(ga").replacing("^", with: "\\(ha").replacing("~", with: "\\(ti")
  }
}
