/// Elements of feeds that have no content: what they say stands in an attribute.
enum EmptyElement {
  /// Whether an element ends with its tag although nothing says so. Feeds forget the slash, and what
  /// follows would be lost in it.
  static func isEmpty(_ tag: MarkupTag) -> Bool {
    guard tag.hasAttributes, let range = tag.name else { return false }
    let name = UnsafeBufferPointer(rebasing: tag.bytes[range])
    // RSS has an image of its own, which holds elements.
    guard let attributes = attributes(name), !MarkupName.isEqual(name, "image") else {
      return false
    }
    var isEmpty = false
    tag.forEachAttribute { attribute in
      let name = UnsafeBufferPointer(rebasing: tag.bytes[attribute.name])
      if attributes.contains(where: { MarkupName.isEqual(name, $0) }) { isEmpty = true }
    }
    return isEmpty
  }

  /// Whether a name, its prefix left out, is that of such an element.
  static func isNamed(_ name: UnsafeBufferPointer<UInt8>) -> Bool { attributes(name) != nil }

  /// The attributes of which such an element has one; nil for the name of any other.
  private static func attributes(_ name: UnsafeBufferPointer<UInt8>) -> [StaticString]? {
    let local = MarkupName.local(name)
    return named.first { MarkupName.isEqual(local, $0.name) }?.attributes
  }

  private static let named: [(name: StaticString, attributes: [StaticString])] = [
    ("enclosure", ["url", "href"]), ("link", ["href"]), ("image", ["href"]),
    ("thumbnail", ["url"]), ("transcript", ["url"]), ("chapters", ["url"]),
  ]
}
