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

  private static func endsAddress(_ character: Character) -> Bool {
    character.isWhitespace || "\"'<>()[]{}|".contains(character)
  }

  private static func withoutSecrets(_ part: String) -> String {
    guard part.contains("://"), areKnown(in: part) else { return part }
    let shown = AddressRedaction.shown(part)
    guard let address = WebAddress(WebAddress.forRequest(shown)) else { return "…" }
    return areLikely(in: address) ? "…" : shown
  }
}
