/// The elements that are open while a feed is repaired, so that end tags can be matched.
struct OpenElements {
  /// How deep elements may lie in one another. Deeper tags are left out; their text stays.
  static let maximumDepth = 200

  /// The names of all, one after the other.
  private var names: [UInt8] = []
  private var starts: [Int] = []
  /// How many open elements are too deep.
  private var deeper = 0

  var isEmpty: Bool { starts.isEmpty }

  /// Opens an element; false when it is too deep.
  mutating func open(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard starts.count < Self.maximumDepth else {
      deeper += 1
      return false
    }
    starts.append(names.count)
    names.append(contentsOf: name)
    return true
  }

  /// Whether an element without content may stand here.
  var hasRoom: Bool { starts.count < Self.maximumDepth }

  /// Closes the innermost element of a name, whatever its case, with those in it that were never
  /// closed, and appends the end tags. Nothing happens where no such element is open.
  mutating func close(_ name: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    if deeper > 0 {
      deeper -= 1
      return
    }
    guard let match = match(name) else { return }
    while starts.count > match, let start = starts.popLast() {
      output += "</".utf8
      output += names[start...]
      output.append(UInt8(ascii: ">"))
      names.removeSubrange(start...)
    }
  }

  private func match(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    var end = names.count
    var index = starts.count - 1
    while index >= 0 {
      let start = starts[index]
      if end - start == name.count, isEqual(start, name) { return index }
      end = start
      index -= 1
    }
    return nil
  }

  private func isEqual(_ start: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    for (offset, byte) in name.enumerated() where names[start + offset] != byte {
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      guard isLetter, names[start + offset] | 0x20 == byte | 0x20 else { return false }
    }
    return true
  }
}
