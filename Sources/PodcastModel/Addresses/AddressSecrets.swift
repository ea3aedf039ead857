/// Whether a text, such as a guid, may have a password or a token of an address in it: for what others
/// get, where nothing of it can be replaced by `…` since two episodes would become one.
///
/// A token that is a part of a path looks like any other part, and is not found.
package enum AddressSecrets {
  /// Parts of names that parameters with secrets have.
  private static let words = [
    "token", "auth", "pass", "pwd", "secret", "sig", "sess", "jwt", "login", "user", "cred", "key",
    "access", "code", "hash", "mac", "member", "mail", "account", "expire", "policy", "subscriber",
    "ticket",
  ]
  /// Their names that are parts of harmless ones.
  private static let wholeNames: Set<String> = ["pw", "sid", "uid", "uuid"]
  /// Parameters whose values are words and not secrets.
  private static let plainNames: Set<String> = ["post_type", "type", "format", "lang", "feed"]
  private static let longestNumber = 12
  /// A token has at least so many bytes.
  private static let shortestToken = 16

  /// Whether the query of a feed's or an enclosure's address likely has a secret: a parameter with a name
  /// like `token`, or a long value. Many addresses that everybody may know have short words.
  package static func areLikely(in query: String) -> Bool {
    query.replacing("&amp;", with: "&").split(separator: "&").contains { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      return (parts.last?.utf8.count ?? 0) >= shortestToken
        || parts.count == 2 && isName(parts[0].lowercased())
    }
  }

  /// Whether a text may have a secret: a user name before a host, a parameter with a name like `token`,
  /// or a parameter of a query whose value is more than a number. It is wrong rather too often than too
  /// rarely.
  package static func mayBe(in text: String) -> Bool {
    guard text.utf8.contains(where: "@=?%".utf8.contains) else { return false }
    // Addresses are in parameters of other ones.
    let plain = PercentEncoding.decoded(PercentEncoding.decoded(text))
    if [text, plain].contains(where: {
      AddressRedaction.withoutCredentials($0) != $0
        || AddressRedaction.withoutCredentials(in: $0) != $0
    }) {
      return true
    }
    var isInQuery = false
    var part: [UInt8] = []
    for byte in Array(plain.utf8) + [0x20] {
      guard byte <= 0x20 || "?&;#/".utf8.contains(byte) else {
        part.append(byte)
        continue
      }
      if isSecret(part, isInQuery: isInQuery) { return true }
      part = []
      if byte == UInt8(ascii: "?") { isInQuery = true }
      if byte <= 0x20 || byte == UInt8(ascii: "#") { isInQuery = false }
    }
    return false
  }

  private static func isSecret(_ part: [UInt8], isInQuery: Bool) -> Bool {
    let text = String(decoding: part, as: UTF8.self).lowercased()
    guard let sign = text.firstIndex(of: "=") else { return isInQuery && !isNumber(text) }
    let (name, value) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
    guard !value.isEmpty else { return false }
    if isName(name) { return true }
    return isInQuery && !isNumber(value) && !(plainNames.contains(name) && isWord(value))
  }

  private static func isName(_ name: String) -> Bool {
    let plain = name.filter { $0 != "-" && $0 != "_" }
    return wholeNames.contains(plain) || words.contains(where: plain.contains)
  }

  private static func isNumber(_ text: String) -> Bool {
    text.utf8.count <= longestNumber && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isWord(_ text: String) -> Bool {
    text.utf8.count <= 20 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
  }
}
