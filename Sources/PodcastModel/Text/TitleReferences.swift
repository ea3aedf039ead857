/// References to characters in titles, such as `&amp;` and `&#8217;`.
///
/// Feeds escape titles once too often, and some other programs, and podget before it read them right,
/// stored them so. Whether two titles are equal does not depend on that.
package enum TitleReferences {
  /// How often a title is escaped at most.
  private static let levels = 3

  /// Whether a title is another one with references in it.
  package static func isEscaped(_ title: String, of plain: String) -> Bool {
    title != plain && replaced(in: title) != title
      && ComparableTitle.text(title) == ComparableTitle.text(plain)
  }

  /// The title with all its references replaced, also those in which other ones are.
  static func replaced(in title: String) -> String {
    var title = title
    for _ in 0..<levels where title.utf8.contains(UInt8(ascii: "&")) {
      let plain = title.withUTF8 { CharacterReference.decoded($0) }
      if plain == title { break }
      title = plain
    }
    return title
  }
}
