/// Names of elements and attributes as bytes.
enum MarkupName {
  /// The name without its prefix.
  static func local(_ name: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return name }
    return UnsafeBufferPointer(rebasing: name[(colon + 1)...])
  }

  /// The prefix; empty where there is none.
  static func prefix(_ name: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: name[..<(name.firstIndex(of: UInt8(ascii: ":")) ?? 0)])
  }

  /// The prefix that an attribute of this name declares, which is empty for the default namespace; nil
  /// for any other attribute.
  static func declaredPrefix(_ name: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    guard name.count >= 5, name[0] == UInt8(ascii: "x"), name.starts(with: "xmlns".utf8) else {
      return nil
    }
    if name.count == 5 { return UnsafeBufferPointer(rebasing: name[5...]) }
    return name[5] == UInt8(ascii: ":") ? UnsafeBufferPointer(rebasing: name[6...]) : nil
  }

  /// Whether bytes from a place on are those of a text.
  static func begins(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, with text: StaticString
  ) -> Bool {
    guard bytes.count - start >= text.utf8CodeUnitCount else { return false }
    for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] {
      return false
    }
    return true
  }

  /// Whether two names are the same.
  static func isSame(
    _ name: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard name.count == other.count else { return false }
    for index in 0..<name.count where name[index] != other[index] { return false }
    return true
  }

  /// Whether a name is another one, compared without case.
  ///
  /// - Parameter other: a name in lower case.
  static func isEqual(_ name: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
    guard name.count == other.utf8CodeUnitCount else { return false }
    for (index, byte) in name.enumerated() {
      let lowered = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      guard lowered == other.utf8Start[index] else { return false }
    }
    return true
  }

  /// Whether two names are the same, letters compared without case.
  static func isEqual(
    _ name: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard name.count == other.count else { return false }
    for (index, byte) in name.enumerated() where byte != other[index] {
      guard (0x61...0x7A).contains(byte | 0x20), other[index] | 0x20 == byte | 0x20 else {
        return false
      }
    }
    return true
  }
}
