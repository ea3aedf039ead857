/// The attributes of an element while it begins, as libxml2 lends them: five pointers each, to the
/// name, its prefix, its namespace, and the value's beginning and end.
struct ElementAttributes {
  private let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
  let count: Int

  init(_ pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, count: Int) {
    self.pointers = pointers
    self.count = pointers == nil ? 0 : max(0, count)
  }

  /// The value of an attribute without a prefix, its name compared without case; nil when there is
  /// none.
  subscript(name: StaticString) -> UnsafeBufferPointer<UInt8>? {
    value(name, prefix: nil)
  }

  /// The value of an attribute with a prefix, such as `xml`.
  func value(_ name: StaticString, prefix: StaticString?) -> UnsafeBufferPointer<UInt8>? {
    guard let pointers else { return nil }
    for index in 0..<count {
      let attribute = pointers + index * 5
      guard let local = attribute[0], Self.isEqual(local, name),
        Self.hasPrefix(attribute[1], prefix), let start = attribute[3], let end = attribute[4],
        end >= start
      else { continue }
      return UnsafeBufferPointer(start: start, count: end - start)
    }
    return nil
  }

  private static func hasPrefix(_ prefix: UnsafePointer<UInt8>?, _ wanted: StaticString?) -> Bool {
    guard let wanted else { return prefix == nil }
    return prefix.map { isEqual($0, wanted) } ?? false
  }

  private static func isEqual(_ name: UnsafePointer<UInt8>, _ wanted: StaticString) -> Bool {
    for index in 0..<wanted.utf8CodeUnitCount {
      let byte = name[index]
      let lowered = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      let other = wanted.utf8Start[index]
      guard byte != 0, lowered == ((0x41...0x5A).contains(other) ? other | 0x20 : other) else {
        return false
      }
    }
    return name[wanted.utf8CodeUnitCount] == 0
  }
}
