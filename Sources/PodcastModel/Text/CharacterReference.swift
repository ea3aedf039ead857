/// References to characters in text and attributes.
package enum CharacterReference {
  /// The longest reference that is looked up, without `&` and `;`.
  package static let maximumBytes = 32

  /// The text with its references replaced, once; what is no reference stays as it is.
  package static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      index = decode(bytes, at: index, to: &output)
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends one byte, or the character of the reference that begins there, and returns where the next
  /// one begins.
  package static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, to output: inout [UInt8]
  ) -> Int {
    let (value, end) = read(bytes, at: start)
    guard let value else {
      output.append(bytes[start])
      return start + 1
    }
    if isPermitted(value) { output.append(utf8: value) }
    return end
  }

  /// The scalar of the reference that begins at a byte, and where it ends; nil when none does.
  package static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> (scalar: UInt32?, end: Int) {
    guard bytes[start] == UInt8(ascii: "&") else { return (nil, start) }
    let limit = min(bytes.count, start + 2 + maximumBytes)
    var end = start + 1
    while end < limit, isNameByte(bytes[end]) { end += 1 }
    guard end < limit, bytes[end] == UInt8(ascii: ";"), end > start + 1 else { return (nil, start) }
    return (scalar(UnsafeBufferPointer(rebasing: bytes[(start + 1)..<end])), end + 1)
  }

  /// Whether a byte may be in a reference.
  package static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "#"): true
    default: false
    }
  }

  /// The scalar of a reference; nil when it is none. A number may be one that XML forbids.
  ///
  /// Names are those of HTML. Numbers from 128 to 159 mean windows-1252, as in HTML (HTML Standard,
  /// section 13.2.5.80).
  ///
  /// - Parameter name: what stands between `&` and `;`.
  package static func scalar(_ name: UnsafeBufferPointer<UInt8>) -> UInt32? {
    guard name.first == UInt8(ascii: "#") else {
      return predefined(name) ?? HTMLEntities.scalar(String(decoding: name, as: UTF8.self))
    }
    let digits = name.dropFirst()
    let isHex = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let text = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
    guard !text.isEmpty, text.utf8.allSatisfy({ isDigit($0, hex: isHex) }) else { return nil }
    // A number that is too large is forbidden like any beyond Unicode.
    let value = UInt32(text, radix: isHex ? 16 : 10) ?? 0x11_0000
    return (0x80..<0xA0).contains(value)
      ? Windows1252.scalar(UInt8(truncatingIfNeeded: value)) : value
  }

  /// Whether XML permits a character (XML 1.0, section 2.2).
  package static func isPermitted(_ value: UInt32) -> Bool {
    switch value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
    default: false
    }
  }

  /// The scalar of a name that XML knows; most references have one of these.
  package static func predefined(_ name: UnsafeBufferPointer<UInt8>) -> UInt32? {
    switch name.count {
    case 2 where name[1] == UInt8(ascii: "t"):
      name[0] == UInt8(ascii: "l") ? 0x3C : name[0] == UInt8(ascii: "g") ? 0x3E : nil
    case 3 where name.elementsEqual("amp".utf8): 0x26
    case 4 where name.elementsEqual("quot".utf8): 0x22
    case 4 where name.elementsEqual("apos".utf8): 0x27
    default: nil
    }
  }

  private static func isDigit(_ byte: UInt8, hex: Bool) -> Bool {
    switch byte {
    case 0x30...0x39: true
    case 0x41...0x46, 0x61...0x66: hex
    default: false
    }
  }
}
