import PodcastKit

/// A mistake in a YAML text, with its place.
struct YAMLProblem: Error, Hashable {
  let place: ConfigurationFile.Place
  let sentence: String

  init(_ place: ConfigurationFile.Place, _ sentence: String) {
    self.place = place
    self.sentence = sentence
  }
}

/// Reads YAML that is one mapping from words to scalars.
///
/// Scalars stay texts: YAML's own rules would make a boolean of `no` and a number of `1:30`.
enum YAMLPairs {
  /// A key and its value.
  struct Pair: Hashable {
    var key: String
    var keyPlace: ConfigurationFile.Place
    var text: String
    var valuePlace: ConfigurationFile.Place
    /// Whether the value is in quotes, or a block.
    var isQuoted: Bool
    /// Whether the value is null: nothing, or one of the words for it.
    var isNull: Bool
  }

  /// The pairs of a text, in order.
  static func pairs(_ text: String) throws(YAMLProblem) -> [Pair] {
    // A byte order mark would count as indentation of the first line.
    var text =
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    let result = text.withUTF8 { bytes in
      Result { () throws(YAMLProblem) in
        var events = YAMLEvents(bytes)
        defer { events.end() }
        return try pairs(&events)
      }
    }
    return try result.get()
  }
}

extension YAMLPairs {
  private static func pairs(_ events: inout YAMLEvents) throws(YAMLProblem) -> [Pair] {
    var pairs: [Pair] = []
    var first = try events.next()
    while case .start = first.kind { first = try events.next() }
    switch first.kind {
    case .end: return []
    case .mapping:
      var keys: Set<String> = []
      while true {
        let key = try events.next()
        if case .close = key.kind { break }
        let pair = try pair(key, &events)
        guard keys.insert(pair.key).inserted else {
          throw YAMLProblem(
            pair.keyPlace, "the key \"\(shown(pair.key))\" is there more than once.")
        }
        pairs.append(pair)
      }
    case .scalar(let scalar) where scalar.isNull: break
    case .scalar, .list, .close, .start:
      throw YAMLProblem(
        first.place, "the file takes lines of the form key: value, such as jobs: 8.")
    }
    let next = try events.next()
    guard case .end = next.kind else {
      throw YAMLProblem(next.place, "the file takes one document, and another one begins here.")
    }
    return pairs
  }

  private static func pair(
    _ key: YAMLEvents.Event, _ events: inout YAMLEvents
  ) throws(YAMLProblem) -> Pair {
    guard case .scalar(let name) = key.kind else {
      throw YAMLProblem(key.place, "a key is one word, such as jobs.")
    }
    let value = try events.next()
    guard case .scalar(let scalar) = value.kind else {
      guard SettingTable.setting(name.text) != nil else {
        throw YAMLProblem(key.place, SettingTable.unknown(name.text))
      }
      throw YAMLProblem(value.place, "\(name.text) takes one value, not a list or a mapping.")
    }
    return Pair(
      key: name.text, keyPlace: key.place, text: scalar.text, valuePlace: value.place,
      isQuoted: scalar.isQuoted, isNull: scalar.isNull)
  }

  static func shown(_ text: String) -> String {
    TerminalText.truncated(TerminalText.safe(text), to: 60, mark: "...")
  }
}
