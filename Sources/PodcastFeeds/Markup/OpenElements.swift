/// The elements that are open while a document is read, so that end tags can be matched.
struct OpenElements {
  /// How deep elements may lie in one another. Deeper tags are left out; their text stays.
  static let maximumDepth = 200
  /// How many elements may have to lie in an item.
  private static let itemDepth = 20

  /// What an element holds, by its name.
  enum Role {
    case other, description, item, feed
  }

  private struct Element {
    /// Where its name begins.
    var start: Int
    var role: Role
  }

  /// The names of all, one after the other.
  private var names: [UInt8] = []
  private var elements: [Element] = []
  /// How many of them hold descriptions.
  private var descriptions = 0
  /// How many open elements are too deep.
  private var deeper = 0

  /// How many open elements were compared with an end tag.
  private(set) var comparisons = 0

  var isEmpty: Bool { elements.isEmpty }

  /// Whether elements here may be HTML: somewhere around them is a description.
  var holdsHTML: Bool { descriptions > 0 }

  /// Whether the end tag of the innermost element stands at a place behind its `</`, exactly.
  func isInnermostEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    guard deeper == 0, let last = elements.last else { return false }
    let end = start + names.count - last.start
    guard end < bytes.count, bytes[end] == UInt8(ascii: ">") else { return false }
    return names.withUnsafeBufferPointer {
      MarkupName.isSame(
        UnsafeBufferPointer(rebasing: $0[last.start...]),
        UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }
  }

  /// Closes the innermost element, whose end tag ``isInnermostEnd(_:from:)`` found, and returns the place
  /// behind that tag.
  mutating func closeInnermost(from start: Int, telling target: inout some MarkupTarget) -> Int {
    guard let last = elements.last else { return start }
    let end = start + names.count - last.start + 1
    comparisons += 1
    close(from: elements.count - 1, telling: &target)
    return end
  }

  /// Whether a name is that of the innermost element, as written.
  func isInnermost(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let last = elements.last else { return false }
    return names[last.start...].elementsEqual(name)
  }

  /// Opens an element; false when it is too deep.
  ///
  /// - Parameter role: that of the name.
  mutating func open(_ name: UnsafeBufferPointer<UInt8>, _ role: Role) -> Bool {
    guard hasRoom else {
      deeper += 1
      return false
    }
    if role == .description { descriptions += 1 }
    elements.append(Element(start: names.count, role: role))
    names.append(contentsOf: name)
    return true
  }

  /// Whether an element without content may stand here.
  var hasRoom: Bool { elements.count < Self.maximumDepth }

  /// Closes what was never closed before an item begins: the item before it, and everything in the feed
  /// where there is little room left.
  ///
  /// - Parameter name: the item's.
  mutating func closeLost(
    before name: UnsafeBufferPointer<UInt8>, telling target: inout some MarkupTarget
  ) {
    guard !elements.isEmpty else { return }
    // An entry of Atom may hold another one as its content.
    let isRSS = name.last.map { $0 | 0x20 } == UInt8(ascii: "m")
    if isRSS, let item = match(name) { close(from: item, telling: &target) }
    if elements.count + Self.itemDepth > Self.maximumDepth {
      close(from: elements[1].role == .feed ? 2 : 1, telling: &target)
    }
  }

  /// Closes the innermost element of a name, whatever its case, with those in it that were never
  /// closed. Nothing happens where no such element is open.
  ///
  /// End tags that may belong to elements that are too deep end one of those, but for the end of a
  /// description, an item or the feed.
  mutating func close(
    _ name: UnsafeBufferPointer<UInt8>, telling target: inout some MarkupTarget
  ) {
    let match = deeper == 0 || Self.role(of: name) != .other ? match(name) : nil
    if let match {
      close(from: match, telling: &target)
    } else if deeper > 0, !EmptyElement.isNamed(name) {
      deeper -= 1
    }
  }

  /// Closes elements from the innermost one to one of them.
  private mutating func close(from index: Int, telling target: inout some MarkupTarget) {
    deeper = 0
    while elements.count > index, let element = elements.popLast() {
      if element.role == .description { descriptions -= 1 }
      names.withUnsafeBufferPointer {
        target.end(UnsafeBufferPointer(rebasing: $0[element.start...]))
      }
      names.removeLast(names.count - element.start)
    }
  }

  private mutating func match(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    names.withUnsafeBufferPointer { names in
      var end = names.count
      var index = elements.count - 1
      defer { comparisons += elements.count - index }
      while index >= 0 {
        let start = elements[index].start
        if MarkupName.isEqual(UnsafeBufferPointer(rebasing: names[start..<end]), name) {
          return index
        }
        end = start
        index -= 1
      }
      return nil
    }
  }

  /// What an element of a name holds.
  static func role(of name: UnsafeBufferPointer<UInt8>) -> Role {
    let local = MarkupName.local(name)
    func isNamed(_ other: StaticString) -> Bool { MarkupName.isEqual(local, other) }
    switch local.count {
    case 3: return isNamed("rss") || isNamed("rdf") ? .feed : .other
    case 4: return isNamed("item") ? .item : isNamed("feed") ? .feed : .other
    case 5: return isNamed("entry") ? .item : .other
    case 7:
      if isNamed("channel") { return .feed }
      return isNamed("summary") || isNamed("encoded") || isNamed("content") ? .description : .other
    case 8: return isNamed("subtitle") ? .description : .other
    case 11: return isNamed("description") ? .description : .other
    default: return .other
    }
  }
}
