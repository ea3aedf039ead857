/// The elements that are open while a feed is repaired, so that end tags can be matched.
struct OpenElements {
  /// How deep elements may lie in one another. Deeper tags are left out; their text stays.
  static let maximumDepth = 200

  /// The names of all, one after the other.
  private var names: [UInt8] = []
  private var elements: [Element] = []
  /// How many open elements are too deep.
  private var deeper = 0

  private struct Element {
    /// Where its name begins.
    var start: Int
    var isDescription: Bool
  }

  var isEmpty: Bool { elements.isEmpty }

  /// Whether the innermost element holds a description, by its name.
  var isInDescription: Bool { elements.last?.isDescription ?? false }

  /// Opens an element; false when it is too deep.
  mutating func open(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard hasRoom else {
      deeper += 1
      return false
    }
    elements.append(Element(start: names.count, isDescription: Self.isDescription(name)))
    names.append(contentsOf: name)
    return true
  }

  /// Whether an element without content may stand here.
  var hasRoom: Bool { elements.count < Self.maximumDepth }

  /// Closes the innermost element of a name, whatever its case, with those in it that were never
  /// closed, and appends the end tags. Nothing happens where no such element is open.
  mutating func close(_ name: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    if deeper > 0 {
      deeper -= 1
      return
    }
    guard let match = match(name) else { return }
    while elements.count > match, let start = elements.popLast()?.start {
      output.append(UInt8(ascii: "<"))
      output.append(UInt8(ascii: "/"))
      names.withUnsafeBufferPointer {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start...]))
      }
      output.append(UInt8(ascii: ">"))
      names.removeLast(names.count - start)
    }
  }

  private func match(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    var end = names.count
    var index = elements.count - 1
    while index >= 0 {
      let start = elements[index].start
      if end - start == name.count, isEqual(start, name) { return index }
      end = start
      index -= 1
    }
    return nil
  }

  private static func isDescription(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    let colon = name.firstIndex(of: UInt8(ascii: ":"))
    let local = UnsafeBufferPointer(rebasing: name[(colon.map { $0 + 1 } ?? 0)...])
    switch local.count {
    case 7: return isName(local, "summary") || isName(local, "encoded") || isName(local, "content")
    case 8: return isName(local, "subtitle")
    case 11: return isName(local, "description")
    default: return false
    }
  }

  private static func isName(
    _ bytes: UnsafeBufferPointer<UInt8>, _ name: StaticString
  ) -> Bool {
    for (index, byte) in bytes.enumerated() where byte != name.utf8Start[index] { return false }
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
