internal import PodcastModel

/// The name of a published podcast's folder, which is a part of its addresses: lower-case ASCII letters,
/// digits, `-` and `_`.
package struct PublishedName: Sendable, Hashable {
  private static let maximumBytes = 40
  private static let maximumLength = 64

  /// The name.
  package let text: String

  /// Names a podcast that is published for the first time.
  ///
  /// - Parameters:
  ///   - subscription: the name under which it is followed, if it is: the user chose it.
  ///   - title: the title, for a podcast that is not followed or whose name is not ASCII.
  ///   - key: what identifies the podcast, of which a few digits of a hash follow the title. Passwords
  ///     and queries in it do not count: everybody can try some until the digits agree.
  package init(subscription: String?, title: String, key: String) {
    if let name = subscription?.lowercased(), Self.isName(name.utf8) {
      self.init(checked: name)
    } else {
      // Keys may have addresses without `http://`.
      let plain = key.prefix { $0 != "?" }
      let host = plain.lastIndex(of: "@").map { plain[plain.index(after: $0)...] } ?? plain
      let digits = String(StableHash.of(String(host)) >> 32, radix: 16)
      let zeros = String(repeating: "0", count: 8 - digits.count)
      self.init(checked: "\(Self.slug(AddressSecrets.published(title)))-\(zeros)\(digits)")
    }
  }

  /// Checks a name that was given before.
  package init?(_ text: String) {
    guard Self.isName(text.utf8) else { return nil }
    self.init(checked: text)
  }

  /// The name for a podcast whose own name another one has.
  package func numbered(_ number: Int) -> PublishedName {
    PublishedName(checked: "\(text.prefix(Self.maximumLength - 7))-\(number)")
  }

  private init(checked text: String) { self.text = text }

  /// Whether bytes are such a name: none of a file beside the folders, which have a dot.
  package static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, bytes.count <= maximumLength, isPlain(first) else {
      return false
    }
    return bytes.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }

  /// The ASCII letters and digits of a title, with one hyphen for what is between them.
  private static func slug(_ title: String) -> String {
    var slug: [UInt8] = []
    for byte in title.utf8.prefix(4 * maximumBytes) where slug.count < maximumBytes {
      let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      if isPlain(lower) {
        slug.append(lower)
      } else if !slug.isEmpty, slug.last != UInt8(ascii: "-"), byte != UInt8(ascii: "'") {
        slug.append(UInt8(ascii: "-"))
      }
    }
    while slug.last == UInt8(ascii: "-") { slug.removeLast() }
    return slug.isEmpty ? "podcast" : String(decoding: slug, as: UTF8.self)
  }
}
