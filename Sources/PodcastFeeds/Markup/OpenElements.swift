/// The elements that are open while a feed is repaired, so that end tags can be matched.
struct OpenElements {
  /// How deep elements may lie in one another. Deeper tags are left out; their text stays.
  static let maximumDepth = 200
  /// How many elements may have to lie in an item.
  private static let itemDepth = 20

  /// What an element holds, by its name.
  private enum Role {
    case other, description, item, feed
  }

  private struct Element {
    /// Where its name begins.
    var start: Int
    var role: Role
    /// How many namespaces were declared around it.
    var namespaces: Int
  }

  /// The names of all, one after the other.
  private var names: [UInt8] = []
  private var elements: [Element] = []
  /// How many of them hold descriptions.
  private var descriptions = 0
  /// How many declarations of namespaces hold here.
  var namespaces = 0
  /// How many open elements are too deep.
  private var deeper = 0

  /// How many open elements were compared with an end tag.
  private(set) var comparisons = 0

  var isEmpty: Bool { elements.isEmpty }

  /// Whether the innermost element holds a description, by its name.
  var isInDescription: Bool { elements.last?.role == .description }

  /// Whether text here means nothing: it stands between the elements of an item or of the feed.
  var isBetweenElements: Bool {
    switch elements.last?.role {
    case .item, .feed, nil: true
    case .description, .other: false
    }
  }

  /// Whether elements here may be HTML: somewhere around them is a description.
  var holdsHTML: Bool { descriptions > 0 }

  /// Opens an element; false when it is too deep.
  mutating func open(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard hasRoom else {
      deeper += 1
      return false
    }
    let role = Self.role(of: name)
    if role == .description { descriptions += 1 }
    elements.append(Element(start: names.count, role: role, namespaces: namespaces))
    names.append(contentsOf: name)
    return true
  }

  /// Whether an element without content may stand here.
  var hasRoom: Bool { elements.count < Self.maximumDepth }

  /// Closes what was never closed before an item begins: the item before it, and everything in the feed
  /// where there is little room left.
  mutating func closeLost(before name: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    guard Self.role(of: name) == .item, !elements.isEmpty else { return }
    // An entry of Atom may hold another one as its content.
    let isRSS = name.last.map { $0 | 0x20 } == UInt8(ascii: "m")
    if isRSS, let item = match(name) { close(from: item, to: &output) }
    if elements.count + Self.itemDepth > Self.maximumDepth {
      close(from: elements[1].role == .feed ? 2 : 1, to: &output)
    }
  }

  /// Closes the innermost element of a name, whatever its case, with those in it that were never
  /// closed, and appends the end tags. Nothing happens where no such element is open.
  ///
  /// End tags that may belong to elements that are too deep end one of those, but for the end of a
  /// description, an item or the feed.
  mutating func close(_ name: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    let match = deeper == 0 || Self.role(of: name) != .other ? match(name) : nil
    if let match {
      close(from: match, to: &output)
    } else if deeper > 0, !EmptyElement.isNamed(name) {
      deeper -= 1
    }
  }

  /// Closes elements from the innermost one to one of them.
  private mutating func close(from index: Int, to output: inout [UInt8]) {
    deeper = 0
    while elements.count > index, let element = elements.popLast() {
      if element.role == .description { descriptions -= 1 }
      namespaces = element.namespaces
      output.append(UInt8(ascii: "<"))
      output.append(UInt8(ascii: "/"))
      names.withUnsafeBufferPointer {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[element.start...]))
      }
      output.append(UInt8(ascii: ">"))
      names.removeLast(names.count - element.start)
    }
  }

  private mutating func match(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    var end = names.count
    var index = elements.count - 1
    defer { comparisons += elements.count - index }
    while index >= 0 {
      let start = elements[index].start
      if end - start == name.count, isEqual(start, name) { return index }
      end = start
      index -= 1
    }
    return nil
  }

  private static func role(of name: UnsafeBufferPointer<UInt8>) -> Role {
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let local = UnsafeBufferPointer(rebasing: name[(colon.map { $0 + 1 } ?? 0)...])
    switch local.count {
    case 3: return isName(local, "rss") || isName(local, "rdf") ? .feed : .other
    case 4: return isName(local, "item") ? .item : isName(local, "feed") ? .feed : .other
    case 5: return isName(local, "entry") ? .item : .other
    case 7:
      if isName(local, "channel") { return .feed }
      let isText =
        isName(local, "summary") || isName(local, "encoded") || isName(local, "content")
      return isText ? .description : .other
    case 8: return isName(local, "subtitle") ? .description : .other
    case 11: return isName(local, "description") ? .description : .other
    default: return .other
    }
  }

  /// Whether a name is another one in lower case.
  private static func isName(
    _ bytes: UnsafeBufferPointer<UInt8>, _ name: StaticString
  ) -> Bool {
    for (index, byte) in bytes.enumerated() where byte | 0x20 != name.utf8Start[index] {
      return false
    }
    return true
  }

  private func isEqual(_ start: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    for (offset, byte) in name.enumerated() where names[start + offset] != byte {
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      guard isLetter, names[start + offset] | 0x20 == byte | 0x20 else { return false }
    }
    return true
  }
}
