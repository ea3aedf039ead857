import PodcastKit
import Yams

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

  /// The maximum number of words that look like aliases.
  ///
  /// Each alias may add a thousand levels to a node, and Yams compares the keys of a mapping with all
  /// that aliases in them stand for. With so few neither is much, and then any alias is refused.
  private static let mostAliases = 4

  /// The pairs of a text, in order.
  static func pairs(_ text: String) throws(YAMLProblem) -> [Pair] {
    // A byte order mark would count as indentation of the first line.
    let text =
      text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    try refuseManyAliases(in: text)
    do {
      // Without rules: Yams resolves types with regular expressions, which take time to load.
      let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
      // The parser owns the anchors, and nodes refer to them weakly.
      return try withExtendedLifetime(parser) {
        guard let root = try parser.singleRoot() else { return [] }
        return try pairs(of: root)
      }
    } catch let error as YamlError {
      throw problem(error, in: text)
    } catch let error as YAMLProblem {
      throw error
    } catch {
      throw YAMLProblem(.init(line: 1, column: 1), "\(error)")
    }
  }
}

extension YAMLPairs {
  private static func pairs(of root: Node) throws(YAMLProblem) -> [Pair] {
    switch root {
    case .mapping(let mapping):
      try refuseAnchor(root)
      var pairs: [Pair] = []
      for (key, value) in mapping { pairs.append(try pair(key, value)) }
      return pairs
    case .scalar(let scalar) where isNull(scalar): return []
    default:
      throw YAMLProblem(
        place(root), "the file takes lines of the form key: value, such as jobs: 8.")
    }
  }

  private static func pair(_ key: Node, _ value: Node) throws(YAMLProblem) -> Pair {
    try refuseAnchor(key)
    try refuseAnchor(value)
    guard case .scalar(let name) = key else {
      throw YAMLProblem(place(key), "a key is one word, such as jobs.")
    }
    guard case .scalar(let scalar) = value else {
      guard SettingTable.setting(name.string) != nil else {
        throw YAMLProblem(place(key), SettingTable.unknown(name.string))
      }
      throw YAMLProblem(place(value), "\(name.string) takes one value, not a list or a mapping.")
    }
    for (node, scalar) in [(key, name), (value, scalar)] {
      let tag = scalar.tag.rawValue
      guard ownTags.contains(tag) else {
        throw YAMLProblem(place(node), "podget knows no tags, such as \(shown(tag)).")
      }
    }
    return Pair(
      key: name.string, keyPlace: place(key), text: scalar.string, valuePlace: place(value),
      isQuoted: scalar.style != .plain, isNull: isNull(scalar))
  }

  /// The tags of scalars that have none in the text.
  private static let ownTags: Set<String> = ["", "!", "tag:yaml.org,2002:str"]

  private static func shown(_ text: String) -> String {
    TerminalText.truncated(TerminalText.safe(text), to: 60, mark: "...")
  }

  private static func isNull(_ scalar: Node.Scalar) -> Bool {
    scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
  }

  private static func refuseAnchor(_ node: Node) throws(YAMLProblem) {
    guard node.anchor == nil, node.alias == nil else { throw alias(at: place(node)) }
  }

  private static func alias(at place: ConfigurationFile.Place) -> YAMLProblem {
    YAMLProblem(place, "podget knows no anchors and aliases (&name, *name).")
  }

  private static func refuseManyAliases(in text: String) throws(YAMLProblem) {
    var count = 0
    var place = ConfigurationFile.Place(line: 1, column: 0)
    var isComment = false
    var last = UInt8(ascii: "\n")
    var isLikely = false
    for byte in text.utf8 {
      // A name begins here, after a star that itself begins a word.
      if isLikely, !isComment, isNameByte(byte) { count += 1 }
      if count > mostAliases { throw alias(at: place) }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if byte == UInt8(ascii: "\n") { place.line += 1 }
        place.column = 0
        isComment = false
      } else {
        // A line that begins with # is a comment, and has none.
        if place.column == 0 { isComment = byte == UInt8(ascii: "#") }
        if byte & 0xC0 != 0x80 { place.column += 1 }
      }
      isLikely = byte == UInt8(ascii: "*") && separators.contains(last)
      last = byte
    }
  }

  /// What may be before an alias.
  private static let separators = Set("\n\r\t [{,:?-".utf8)

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func place(_ node: Node) -> ConfigurationFile.Place {
    place(node.mark)
  }

  private static func place(_ mark: Mark?) -> ConfigurationFile.Place {
    .init(line: max(1, mark?.line ?? 1), column: max(1, mark?.column ?? 1))
  }

  private static func problem(_ error: YamlError, in text: String) -> YAMLProblem {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let before = context.map { "\($0.text.trimmingBlanks) " } ?? ""
      return YAMLProblem(place(mark), "this is not YAML: \(before)\(problem.trimmingBlanks).")
    case .duplicatedKeysInMapping(let keys, let context):
      let key = shown(keys.first ?? "")
      return YAMLProblem(place(context.mark), "the key \"\(key)\" is there more than once.")
    case .reader(let problem, let offset, _, _):
      return YAMLProblem(
        place(ofByte: offset ?? 0, in: text), "this is not YAML: \(problem.trimmingBlanks).")
    default: return YAMLProblem(.init(line: 1, column: 1), "this is not YAML.")
    }
  }

  private static func place(ofByte offset: Int, in text: String) -> ConfigurationFile.Place {
    let bytes = text.utf8.prefix(max(0, offset))
    let line = bytes.lazy.filter { $0 == 0x0A }.count + 1
    let lastLine = bytes.suffix(
      from: bytes.lastIndex(of: 0x0A).map(bytes.index(after:)) ?? bytes.startIndex)
    // The first byte of each Unicode scalar.
    return .init(line: line, column: lastLine.count { $0 & 0xC0 != 0x80 } + 1)
  }
}

extension String {
  /// Without blanks at both ends; libyaml's messages have some.
  fileprivate var trimmingBlanks: String {
    split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
  }
}
