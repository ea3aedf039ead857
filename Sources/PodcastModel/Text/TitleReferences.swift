/// References to characters in titles, such as `&amp;` and `&#8217;`.
///
/// Feeds escape titles once too often, and some other programs, and podget before it read them right,
/// stored them so. Whether two titles are equal does not depend on that.
package enum TitleReferences {
  /// How often a title is escaped at most.
  private static let levels = 3
  /// The longest reference, without `&` and `;`.
  private static let longest = 32

  /// Whether a title is another one with references in it.
  package static func isEscaped(_ title: String, of plain: String) -> Bool {
    title != plain && replaced(in: title) != title
      && ComparableTitle.text(title) == ComparableTitle.text(plain)
  }

  /// The title with all its references replaced, also those in which other ones are.
  static func replaced(in title: String) -> String {
    var title = title
    for _ in 0..<levels where title.utf8.contains(UInt8(ascii: "&")) {
      let plain = replacedOnce(in: title)
      if plain == title { break }
      title = plain
    }
    return title
  }

  private static func replacedOnce(in title: String) -> String {
    var result = String.UnicodeScalarView()
    var rest = title.unicodeScalars[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      let behind = rest[start...].dropFirst()
      let name = behind.prefix(longest).prefix { $0.isASCII && $0 != ";" && $0 != "&" }
      if name.endIndex < rest.endIndex, rest[name.endIndex] == ";",
        let scalar = scalar(String(name))
      {
        result.append(scalar)
        rest = rest[name.endIndex...].dropFirst()
      } else {
        result.append("&")
        rest = behind
      }
    }
    return String(result + rest)
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    guard name.hasPrefix("#") else { return HTMLEntities.scalar(name).flatMap(Unicode.Scalar.init) }
    let digits = name.dropFirst()
    let isHex = digits.first == "x" || digits.first == "X"
    let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(Unicode.Scalar.init)
  }
}
