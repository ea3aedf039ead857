import PodcastModel

/// The short names of subscriptions.
package enum SubscriptionName {
  /// The longest name in bytes.
  static let maximumBytes = 64

  /// Whether a text can be a name: letters, digits, `-`, `_` and `.`, the first one a letter or a
  /// digit. Digits alone, or with `id` before them, would be an Apple id, and a name that ends like a
  /// file's would be a path.
  package static func isValid(_ text: String) -> Bool {
    guard (1...maximumBytes).contains(text.utf8.count), let first = text.unicodeScalars.first,
      first.properties.isAlphabetic || isDigit(first),
      text.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || isDigit($0) || "-_.".unicodeScalars.contains($0)
      })
    else { return false }
    let lower = text.lowercased()
    guard ![".xml", ".rss", ".atom", ".json"].contains(where: lower.hasSuffix) else { return false }
    let digits = lower.hasPrefix("id") ? lower.dropFirst(2) : lower[...]
    return digits.isEmpty || !digits.unicodeScalars.allSatisfy(isDigit)
  }

  /// Makes names for titles: `The Symbolic World` gives `the-symbolic-world`. Numbers that are taken
  /// are not tried again.
  package struct Numbers: Sendable {
    private var last: [String: Int] = [:]

    /// No number is taken.
    package init() {}

    /// A name for a title that no other subscription has.
    package mutating func name(for title: String, isTaken: (String) -> Bool) -> String {
      let slug = SubscriptionName.slug(of: title)
      let base = SubscriptionName.isValid(slug) ? slug : "podcast"
      var number = last[base] ?? 1
      if number == 1, !isTaken(base) { return base }
      repeat { number += 1 } while isTaken("\(base)-\(number)")
      last[base] = number
      return "\(base)-\(number)"
    }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    (0x30...0x39).contains(scalar.value)
  }

  /// Letters and digits in lower case, with one hyphen for everything between them.
  private static func slug(of title: String) -> String {
    var slug = ""
    var needsHyphen = false
    for scalar in title.lowercased().unicodeScalars {
      // An apostrophe joins: don't gives dont.
      if scalar == "'" || scalar == "\u{2019}" { continue }
      guard scalar.properties.isAlphabetic || isDigit(scalar) else {
        needsHyphen = !slug.isEmpty
        continue
      }
      let piece = (needsHyphen ? "-" : "") + String(scalar)
      // Room for a number.
      guard slug.utf8.count + piece.utf8.count <= 40 else { break }
      slug += piece
      needsHyphen = false
    }
    return slug
  }
}
