/// Elements of feeds that have no content: what they say stands in an attribute.
enum EmptyElement {
  /// Whether an element ends with its tag although nothing says so. Feeds forget the slash, and what
  /// follows would be lost in it.
  static func isEmpty(_ tag: MarkupTag, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let name = tag.name,
      let attributes = attributes(UnsafeBufferPointer(rebasing: bytes[name]))
    else { return false }
    var isEmpty = false
    tag.forEachAttribute { name, _ in
      let name = UnsafeBufferPointer(rebasing: bytes[name])
      if attributes.contains(where: { isEqual(name, $0) }) { isEmpty = true }
    }
    return isEmpty
  }

  /// Whether a name, its prefix left out, is that of such an element.
  static func isNamed(_ name: UnsafeBufferPointer<UInt8>) -> Bool { attributes(name) != nil }

  /// The attributes of which such an element has one; nil for the name of any other.
  private static func attributes(_ name: UnsafeBufferPointer<UInt8>) -> [StaticString]? {
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let local = UnsafeBufferPointer(rebasing: name[(colon.map { $0 + 1 } ?? 0)...])
    return named.first { isEqual(local, $0.name) }?.attributes
  }

  private static let named: [(name: StaticString, attributes: [StaticString])] = [
    ("enclosure", ["url", "href"]), ("link", ["href"]), ("image", ["href"]),
    ("thumbnail", ["url"]), ("transcript", ["url"]), ("chapters", ["url"]),
  ]

  private static func isEqual(_ name: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
    guard name.count == other.utf8CodeUnitCount else { return false }
    for (index, byte) in name.enumerated() where byte | 0x20 != other.utf8Start[index] {
      return false
    }
    return true
  }
}
