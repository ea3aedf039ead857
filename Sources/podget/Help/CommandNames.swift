import ArgumentParser
import PodcastKit

/// The names of the commands, and the nearest one to an unknown name.
enum CommandNames {
  /// Names and aliases of all commands.
  static let all: [String] =
    Podget.configuration.subcommands.flatMap { command in
      [command.configuration.commandName].compactMap { $0 } + command.configuration.aliases
    } + ["help"]

  /// The whole names of aliases.
  static let aliases: [String: String] = Dictionary(
    Podget.configuration.subcommands.flatMap { command in
      command.configuration.aliases.map { ($0, command.configuration.commandName ?? $0) }
    }
  ) { first, _ in first }

  /// The name of a command by its type, which is faster than by its configuration: `list` for
  /// `ListCommand`.
  static func name(of type: any ParsableCommand.Type) -> String {
    String("\(type)".dropLast("Command".count)).lowercased()
  }

  /// Checks the arguments before they are parsed: the parser would call a mistyped command an
  /// unexpected argument, and answer `help` of anything with the help of podget.
  ///
  /// - Throws: a `ValidationError`, which ends podget with status 64.
  static func check(_ arguments: [String]) throws {
    try checkShortOptions(arguments)
    guard let first = arguments.first, !first.hasPrefix("-") else { return }
    guard all.contains(first) else { throw ValidationError(unknown(first)) }
    if let second = arguments.dropFirst().first { try check(second, of: first) }
    guard first == "help" else { return }
    let topics = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    guard let topic = topics.first else { return }
    if let helpTopic = HelpTopic(rawValue: topic) {
      return try requireDetail(topics, of: helpTopic)
    }
    guard all.contains(topic) else {
      throw ValidationError(unknown(topic, among: all + HelpTopic.allCases.map(\.rawValue)))
    }
    guard let part = topics.dropFirst().first else { return }
    guard topics.count == 2, !parts(of: topic).isEmpty else {
      throw ValidationError("podget help takes one command or topic.")
    }
    try check(part, of: topic)
  }

  /// Refuses a word behind one dash that is no group of short options: the parser would take the `h` in
  /// it for a request for help, and the name of an episode may begin with a dash.
  static func checkShortOptions(_ arguments: [String]) throws {
    for word in arguments.prefix(while: { $0 != "--" }) {
      let letters = word.dropFirst()
      // -d and -j take values, which may follow at once.
      guard word.hasPrefix("-"), letters.count > 1, let first = letters.first, first.isLetter,
        first != "d", first != "j", !letters.allSatisfy("hqv".contains)
      else { continue }
      let shown = TerminalText.truncated(TerminalText.safe(word), to: 60, mark: "...")
      throw ValidationError(
        "There is no option \(shown); write -- before names that begin with a dash.")
    }
  }

  /// The names of the commands below a command.
  private static func parts(of command: String) -> [String] {
    let found = Podget.configuration.subcommands.first { $0.configuration.commandName == command }
    return found?.configuration.subcommands.compactMap { $0.configuration.commandName } ?? []
  }

  /// Checks the name of a command below another command.
  private static func check(_ part: String, of command: String) throws {
    let parts = parts(of: command)
    guard !parts.isEmpty, !part.hasPrefix("-"), !parts.contains(part) else { return }
    throw ValidationError(
      unknown("\(command) \(part)", among: parts.map { "\(command) \($0)" }))
  }

  /// The topic of `help`, when that is not a command; the arguments have been checked.
  static func topic(_ arguments: [String]) throws -> String? {
    guard arguments.first == "help" else { return nil }
    let topics = arguments.dropFirst().filter { !$0.hasPrefix("-") }
    return try topics.first.flatMap(HelpTopic.init)?.text(topics.dropFirst().first)
  }

  private static func requireDetail(_ topics: [String], of topic: HelpTopic) throws {
    guard let detail = topics.dropFirst().first else { return }
    let takesDetail = topic == .json || topic == .man
    guard takesDetail, topics.count == 2 else {
      throw ValidationError("podget help \(topic.rawValue) takes no further argument.")
    }
    // A page that does not exist is an error of its own.
    guard topic == .json else { return }
    let name = aliases[detail] ?? detail
    guard JSONSchemas.all.contains(where: { $0.key == name }) else {
      let shown = TerminalText.truncated(TerminalText.safe(detail), to: 60, mark: "...")
      throw ValidationError("There is no JSON schema for \"\(shown)\".")
    }
  }

  /// The message for a name that is not a command.
  static func unknown(_ name: String, among names: [String] = all) -> String {
    let shown = TerminalText.truncated(
      TerminalText.safe(AddressRedaction.shown(name)), to: 60, mark: "...")
    let answer = "There is no command \"\(shown)\""
    do throws(PodgetError) {
      switch try Source.parse(name) {
      case .apple, .feed, .file:
        let source = TerminalText.safe(AddressRedaction.shown(name))
        return "A source needs a command: podget download \(source)"
      case .name where others[name.lowercased()].map(names.contains) == true:
        return "\(answer); did you mean \"\(others[name.lowercased()] ?? "")\"?"
      case .name, .standardInput: break
      }
    } catch {
      // A link of a service without feeds, for example.
      return error.sentence
    }
    guard let nearest = nearest(to: name, among: names) else { return "\(answer)." }
    return "\(answer); did you mean \"\(nearest)\"?"
  }

  /// What other programs call the commands.
  private static let others = [
    "add": "subscribe", "follow": "subscribe", "unfollow": "unsubscribe", "update": "sync",
    "refresh": "sync", "check": "sync", "get": "download", "fetch": "download", "info": "show",
    "delete": "remove", "del": "remove", "undelete": "restore", "cleanup": "prune",
    "find": "search", "tui": "browse", "fav": "star", "settings": "config",
    "config set": "config edit", "config list": "config", "config show": "config",
  ]

  /// The name with the smallest edit distance to this one; nil when the distance is too large for a
  /// typing error.
  static func nearest(to name: String, among names: [String] = all) -> String? {
    NearestName.nearest(to: name, among: names)
  }
}
