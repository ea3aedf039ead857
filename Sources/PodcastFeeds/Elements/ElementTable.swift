/// Finds out what an element is by the addresses of the interned parts of its name.
///
/// A feed has a few dozen different names and hundreds of thousands of elements: only the first of each
/// name is looked at as text.
struct ElementTable {
  /// A power of two, of which at most half is filled. Further names are looked up each time.
  private static let size = 1024

  private struct Entry {
    var local: UInt
    var prefix: UInt
    var namespace: UInt
    var element: FeedElement?
  }

  private var entries = [Entry?](repeating: nil, count: ElementTable.size)
  private var count = 0

  /// The element of a name; nil for one that says nothing here.
  mutating func element(_ name: ElementName) -> FeedElement? {
    let local = UInt(bitPattern: name.local)
    let prefix = UInt(bitPattern: name.prefix)
    let namespace = UInt(bitPattern: name.namespace)
    let hash = (local &* 31 &+ prefix &* 17 &+ namespace) &* 0x9E37_79B9_7F4A_7C15
    var place = Int(hash >> 54)
    while let entry = entries[place] {
      if entry.local == local, entry.prefix == prefix, entry.namespace == namespace {
        return entry.element
      }
      place = (place + 1) % Self.size
    }
    let element = Self.lookUp(name)
    if count < Self.size / 2 {
      entries[place] = Entry(local: local, prefix: prefix, namespace: namespace, element: element)
      count += 1
    }
    return element
  }

  private static func lookUp(_ name: ElementName) -> FeedElement? {
    let namespace = name.namespace.map { String(cString: $0) }
    let local = String(cString: name.local).lowercased()
    guard
      let prefix = FeedNamespace.usualPrefix(
        namespace: namespace, prefix: name.prefix.map { String(cString: $0) })
    else { return nil }
    if prefix.isEmpty {
      // Atom without its namespace is still Atom.
      return FeedElement.named[local] ?? FeedElement.named["atom:\(local)"]
    }
    return FeedElement.named["\(prefix):\(local)"]
  }
}
