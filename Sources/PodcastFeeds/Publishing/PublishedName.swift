internal import PodcastModel

/// The name of a published podcast's folder, which is a part of its addresses: lower-case ASCII letters,
/// digits, `-` and `_`.
package struct PublishedName: Sendable, Hashable {
  private static let maximumBytes = 40

  /// The name.
  package let text: String

  /// Names a podcast. Nothing else in the library changes the name, so that its addresses stay.
  ///
  /// - Parameters:
  ///   - subscription: the name under which it is followed, if it is: the user chose it.
  ///   - title: the title, for a podcast that is not followed or whose name is not ASCII.
  ///   - key: what identifies the podcast, of which a few digits of a hash follow the title.
  package init(subscription: String?, title: String, key: String) {
    if let name = subscription?.lowercased(), Self.isName(name.utf8) {
      self.init(checked: name)
    } else {
      self.init(title: title, key: key)
    }
  }

  /// The name of a podcast whose own name another one has.
  package init(title: String, key: String) {
    let digits = String(StableHash.of(key) >> 32, radix: 16)
    let zeros = String(repeating: "0", count: 8 - digits.count)
    self.init(checked: "\(Self.slug(title))-\(zeros)\(digits)")
  }

  private init(checked text: String) { self.text = text }

  /// Whether bytes are such a name: none of a file beside the folders, which have a dot.
  package static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, bytes.count <= 64, isPlain(first) else { return false }
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
