extension AddressSecrets {
  /// Whether an address, or a text that may be one, may have a secret in any of its parts: for what goes
  /// into files, which others may get.
  package static func areKnown(in text: String) -> Bool {
    mayBe(in: text)
      || WebAddress(WebAddress.forRequest(text)).map { areLikely(in: $0) } ?? false
  }

  /// A text without the secrets of the addresses in it. An address whose path may be a secret is `…`.
  package static func removed(from text: String) -> String {
    guard text.contains("://") else { return text }
    var parts: [Substring] = []
    var start = text.startIndex
    var isInside = false
    for place in text.indices where endsAddress(text[place]) != !isInside {
      parts.append(text[start..<place])
      start = place
      isInside.toggle()
    }
    parts.append(text[start...])
    return parts.map { withoutSecrets(String($0)) }.joined()
  }

  /// A text for everybody: the same without queries too.
  package static func published(_ text: String) -> String {
    removed(from: AddressRedaction.shown(in: text))
  }

  private static func endsAddress(_ character: Character) -> Bool {
    character.isWhitespace || "\"'<>()[]{}|".contains(character)
  }

  /// The most bytes of an address in a text, and the most addresses that are parameters of one another:
  /// they bound the cost of the search.
  private static let longestAddress = 4_000
  private static let mostAddresses = 16

  private static func withoutSecrets(_ part: String) -> String {
    guard part.contains("://") else { return part }
    guard part.utf8.count <= longestAddress, addresses(in: part) <= mostAddresses else {
      return words(of: part)
    }
    guard areKnown(in: part) else { return part }
    let shown = AddressRedaction.shown(part)
    guard let address = WebAddress(WebAddress.forRequest(shown)) else { return "…" }
    return areLikely(in: address) ? "…" : shown
  }

  private static func addresses(in part: String) -> Int {
    PercentEncoding.decoded(PercentEncoding.decoded(part)).ranges(of: "://").count
  }

  /// The words of a text without blanks that is no address: many languages have none between words.
  ///
  /// An address ends at the first character beyond ASCII, or behind the last `@`, since a password may have
  /// such characters.
  private static func words(of part: String) -> String {
    let bytes = Array(part.utf8)
    let lastAt = bytes.lastIndex(of: UInt8(ascii: "@")) ?? bytes.startIndex
    var output: [UInt8] = []
    var isAddress = false
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let isASCII = bytes[start] < 0x80
      let end = bytes[start...].firstIndex { ($0 < 0x80) != isASCII } ?? bytes.endIndex
      let run = bytes[start..<end]
      let begins = isASCII && String(decoding: run, as: UTF8.self).contains("://")
      if !begins, !isAddress || start > lastAt {
        isAddress = false
        output += run
      } else if !isAddress {
        isAddress = true
        output += "…".utf8
      }
      start = end
    }
    return String(decoding: output, as: UTF8.self)
  }
}
