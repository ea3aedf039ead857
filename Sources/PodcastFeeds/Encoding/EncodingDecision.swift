/// Decides from the first bytes of a feed how its characters are encoded.
///
/// A byte order mark decides (RFC 7303, section 3.3), then zero bytes in the pattern of UTF-16 and
/// UTF-32 (XML 1.0, appendix F). Otherwise the text is UTF-8 if it is valid, whatever is declared: a
/// false `iso-8859-1` is the most common error. If it is not, all of it is in the character set that
/// the HTTP answer names, or else the XML declaration.
struct EncodingDecision: Equatable {
  /// How many bytes at the beginning are looked at.
  static let headBytes = 1024

  /// How the text begins to be read.
  enum Method: Equatable {
    /// As UTF-8, single bytes that are not as windows-1252.
    case utf8
    /// As UTF-8 if it is, else converted from a character set.
    case utf8Or(String)
    /// Converted in any case; the number is the size of a code unit.
    case converted(String, unit: Int)
  }

  let method: Method
  /// How many bytes the byte order mark has.
  let markBytes: Int

  /// Decides.
  ///
  /// - Parameters:
  ///   - head: the first ``headBytes`` bytes, or all if there are fewer.
  ///   - charset: the `charset` parameter of the HTTP answer's content type.
  init(head: [UInt8], charset: String?) {
    if let (name, unit, mark) = Self.wide(head) {
      self.init(method: .converted(name, unit: unit), markBytes: mark)
      return
    }
    if head.starts(with: [0xEF, 0xBB, 0xBF]) {
      self.init(method: .utf8, markBytes: 3)
      return
    }
    let labels = [charset, Self.declared(head)].compactMap { $0 }
    let meanings = labels.compactMap { CharacterSetName.meaning(of: $0) }
    switch meanings.first(where: { $0 != .utf8 }) {
    case .converted(let name) where CharacterSetName.isSevenBit(name):
      self.init(method: .converted(name, unit: 1), markBytes: 0)
    case .converted(let name): self.init(method: .utf8Or(name), markBytes: 0)
    default: self.init(method: .utf8, markBytes: 0)
    }
  }

  private init(method: Method, markBytes: Int) {
    self.method = method
    self.markBytes = markBytes
  }

  /// UTF-16 and UTF-32, with a byte order mark or with the zeros that `<` has in them.
  private static func wide(_ head: [UInt8]) -> (name: String, unit: Int, mark: Int)? {
    let patterns: [(bytes: [UInt8], name: String, unit: Int, mark: Int)] = [
      ([0xFF, 0xFE, 0, 0], "UTF-32LE", 4, 4), ([0, 0, 0xFE, 0xFF], "UTF-32BE", 4, 4),
      ([0xFF, 0xFE], "UTF-16LE", 2, 2), ([0xFE, 0xFF], "UTF-16BE", 2, 2),
      ([0x3C, 0, 0, 0], "UTF-32LE", 4, 0), ([0, 0, 0, 0x3C], "UTF-32BE", 4, 0),
      ([0x3C, 0], "UTF-16LE", 2, 0), ([0, 0x3C], "UTF-16BE", 2, 0),
    ]
    return patterns.first { head.starts(with: $0.bytes) }.map { ($0.name, $0.unit, $0.mark) }
  }

  /// The encoding in the XML declaration, wherever it stands in the head.
  private static func declared(_ head: [UInt8]) -> String? {
    let text = String(decoding: head.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self)
    guard let start = text.firstRange(of: "<?xml")?.upperBound else { return nil }
    let declaration = text[start...].prefix { $0 != ">" }
    guard let name = declaration.firstRange(of: "encoding")?.upperBound else { return nil }
    let rest = declaration[name...].drop { $0.isWhitespace || $0 == "=" }
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
    return String(rest.dropFirst().prefix { $0 != quote })
  }
}
