package import BrowseScreen
import PodcastModel

/// A mistake in what a person says about keys or colors, in a sentence.
package struct BrowseChoiceProblem: Error, Sendable, Hashable {
  /// What is wrong, and what to do.
  package let sentence: String

  package init(_ sentence: String) { self.sentence = sentence }
}

/// Which keys do what: the usual ones, and those that a person has given to actions instead.
package struct BrowseKeyMap: Sendable, Hashable {
  /// What can have another key, with the usual one.
  package static let actions: [(name: String, key: Key)] =
    letters.map { (name: $0.name, key: Key.character($0.letter)) } + [
      (name: "half-down", key: Key.control("d")), (name: "half-up", key: Key.control("u")),
    ]

  private static let letters: [(name: String, letter: Character)] = [
    ("help", "?"), ("errors", "!"), ("quit", "q"), ("leave", "Q"), ("up", "k"), ("down", "j"),
    ("last", "G"), ("search", "a"), ("words", "w"), ("filter", "/"), ("filter-kind", "F"),
    ("sort", "t"),
    ("group", "b"), ("refresh", "r"), ("mark", " "), ("mark-range", "v"), ("download", "d"),
    ("download-all", "D"), ("pause", "p"), ("cancel", "c"), ("cancel-all", "C"), ("forget", "X"),
    ("star", "s"), ("played", "m"), ("remove", "x"), ("restore", "R"), ("undo", "u"),
    ("trash", "T"), ("details", "i"), ("next", "n"), ("previous", "N"), ("play", "o"),
    ("player-pause", "P"), ("player-end", "O"), ("back", ","), ("ahead", "."), ("far-back", "<"),
    ("far-ahead", ">"), ("slower", "["), ("faster", "]"), ("usual-speed", "="), ("quieter", "-"),
    ("louder", "+"), ("subscribe", "S"), ("unsubscribe", "U"), ("settings", "e"), ("sync", "y"),
  ]

  /// Actions that may ask a question, which the same key must not answer.
  private static let asking: Set = [
    "download", "download-all", "forget", "remove", "unsubscribe",
  ]
  /// Letters that come with the control key as something else: as a signal, Tab, Enter or Backspace.
  private static let takenControls = Set("chijmqsz")
  /// The usual key of what a key does now, for keys that were given and those that were taken away.
  private var meanings: [Key: Key?] = [:]
  /// The key that does now what a usual key did.
  private var given: [Key: Key] = [:]

  /// The usual keys.
  package init() {}

  /// Reads what a person has chosen.
  ///
  /// - Parameter text: `action=key` with commas between them, such as `play=Space, mark=M`.
  package init(_ text: String) throws(BrowseChoiceProblem) {
    let choices = try BrowseChoice.all(in: text, "an action and its key, such as play=l")
    for (name, text) in choices {
      guard let usual = Self.actions.first(where: { $0.name == name })?.key else {
        throw BrowseChoiceProblem(
          BrowseChoice.unknown("action", name, among: Self.actions.map(\.name)))
      }
      let key = try Self.key(text)
      if Self.asking.contains(name), key == .character("y") || key == .character("Y") {
        throw BrowseChoiceProblem(
          "\(text) cannot be the key of \(name): it answers the question that \(name) asks.")
      }
      given[usual] = key
    }
    for usual in given.keys { meanings[usual] = .some(nil) }
    for (usual, key) in given { meanings[key] = usual }
    // Each key does one thing.
    var names: [Key: String] = [:]
    for (name, usual) in Self.actions {
      let key = given[usual] ?? usual
      if let other = names[key] {
        throw BrowseChoiceProblem(
          "\(Self.name(key)) is the key of \(other) and of \(name); give one of them another key.")
      }
      names[key] = name
    }
  }

  /// What a key means, as the usual key; nil if it does nothing any more.
  func meaning(of key: Key) -> Key? {
    // Another key for the same, as long as nobody has given one of the two something else.
    let usual = Key.character("/")
    if key == .character("f"), meanings[key] == nil { return meanings[usual] == nil ? usual : nil }
    return meanings[key] ?? key
  }

  /// What the key is called that does what a usual one did.
  package func name(_ usual: Character) -> String { name(of: .character(usual)) }

  /// The same for any usual key.
  package func name(of usual: Key) -> String { Self.name(given[usual] ?? usual) }

  /// A row of the help, with the names of the keys as they are now.
  func label(_ label: String) -> String {
    guard !given.isEmpty else { return label }
    return label.split(separator: " ").map { word -> String in
      let end = word.count > 1 && word.hasSuffix(",") ? "," : ""
      let name = word.dropLast(end.count)
      let usual = Self.actions.first { Self.name($0.key) == name }?.key
      return usual.map { self.name(of: $0) + end } ?? String(word)
    }.joined(separator: " ")
  }

  private static func key(_ text: String) throws(BrowseChoiceProblem) -> Key {
    switch text.lowercased() {
    case "space": return .character(" ")
    case "comma": return .character(",")
    case "equals": return .character("=")
    case "delete": return .delete
    default: break
    }
    if text.lowercased().hasPrefix("ctrl-"), let letter = text.lowercased().last, text.count == 6,
      letter.isASCII, letter.isLetter
    {
      guard !takenControls.contains(letter) else {
        throw BrowseChoiceProblem("\(BrowseChoice.shown(text)) has another meaning for terminals.")
      }
      return .control(letter)
    }
    guard text.count == 1, let letter = text.first, TerminalText.safe(text) == text else {
      throw BrowseChoiceProblem(
        "\"\(BrowseChoice.shown(text))\" is no key: a key is a character, Space, Comma, Equals, Delete, or Ctrl- with "
          + "a letter.")
    }
    guard letter != "g", !letter.isNumber else {
      throw BrowseChoiceProblem(
        "\(text) cannot be given: gg is the first row, and digits are the numbers of links.")
    }
    return .character(letter)
  }

  private static func name(_ key: Key) -> String {
    switch key {
    case .character(" "): "space"
    case .character(let letter): String(letter)
    case .control(let letter): "Ctrl-\(letter.uppercased())"
    case .delete: "Delete"
    default: ""
    }
  }
}

/// Choices of a person, as `name=value` with commas between them.
enum BrowseChoice {
  /// The choices of a text; each name once.
  ///
  /// - Parameter takes: what one is.
  static func all(
    in text: String, _ takes: String
  ) throws(BrowseChoiceProblem) -> [(name: String, value: String)] {
    var choices: [(name: String, value: String)] = []
    var names: Set<String> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: true) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let trimmed = words.map { $0.split(separator: " ").joined(separator: " ") }
      if trimmed == [""] { continue }
      guard trimmed.count == 2, !trimmed[0].isEmpty, !trimmed[1].isEmpty else {
        throw BrowseChoiceProblem("\"\(shown(String(part)))\" is not \(takes).")
      }
      guard names.insert(trimmed[0]).inserted else {
        throw BrowseChoiceProblem("\(shown(trimmed[0])) is there twice.")
      }
      choices.append((trimmed[0], trimmed[1]))
    }
    return choices
  }

  /// What a person wrote, short and safe for a terminal.
  static func shown(_ text: String) -> String {
    TerminalText.truncated(TerminalText.safe(text), to: 40, mark: "...")
  }

  /// A sentence about a name that nothing has.
  static func unknown(_ what: String, _ name: String, among names: [String]) -> String {
    let hint = NearestName.nearest(to: name, among: names).map { "; did you mean \($0)?" }
    return
      "there is no \(what) \"\(shown(name))\"\(hint ?? "; there are \(names.joined(separator: ", ")).")"
  }
}
