internal import PodcastModel

/// References to characters in text and attributes, repaired so that a strict parser accepts them.
enum CharacterReference {
  /// The longest reference that is looked up, without `&` and `;`.
  static let maximumBytes = 32

  /// Appends what a reference means to XML: the character, or a reference that XML knows.
  ///
  /// Names are those of HTML. Numbers from 128 to 159 mean windows-1252, as in HTML (HTML Standard,
  /// section 13.2.5.80). A number that XML forbids is dropped, and what is no reference at all becomes
  /// an `&amp;` with the same text behind it.
  ///
  /// - Parameter name: what stands between `&` and `;`.
  static func append(_ name: some Collection<UInt8>, to output: inout [UInt8]) {
    switch scalar(name) {
    case nil:
      output += "&amp;".utf8
      output += name
      output.append(UInt8(ascii: ";"))
    case 0x26: output += "&amp;".utf8
    case 0x3C: output += "&lt;".utf8
    case 0x3E: output += "&gt;".utf8
    case 0x22: output += "&quot;".utf8
    case 0x27: output += "&apos;".utf8
    case 0x09: output += "&#9;".utf8
    case 0x0A: output += "&#10;".utf8
    case 0x0D: output += "&#13;".utf8
    case .some(let value): if isPermitted(value) { output.append(utf8: value) }
    }
  }

  /// Where text ends that XML accepts as it is: at the first `<`, `>` or `&`, but for references that XML
  /// knows, which are most.
  static func endOfText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while true {
      index = ByteSearch.firstMarkup(bytes, from: index)
      guard index < bytes.count, bytes[index] == UInt8(ascii: "&") else { return index }
      let length = plainLength(bytes, at: index)
      guard length > 0 else { return index }
      index += length
    }
  }

  /// The length of a reference that XML knows, with its `&` and `;`; 0 where there is none.
  private static func plainLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let rest = UnsafeBufferPointer(rebasing: bytes[(index + 1)...])
    guard rest.count >= 3 else { return 0 }
    switch (rest[0], rest[1], rest[2]) {
    case (0x6C, 0x74, 0x3B), (0x67, 0x74, 0x3B): return 4
    case (0x61, 0x6D, 0x70): return rest.count > 3 && rest[3] == 0x3B ? 5 : 0
    case (0x71, 0x75, 0x6F): return rest.count > 4 && rest[3] == 0x74 && rest[4] == 0x3B ? 6 : 0
    case (0x61, 0x70, 0x6F): return rest.count > 4 && rest[3] == 0x73 && rest[4] == 0x3B ? 6 : 0
    default: return 0
    }
  }

  /// The text with its references replaced, once; what is no reference stays as it is.
  static func decoded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
      index = decode(bytes, at: index, to: &output)
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends one byte, or the character of the reference that begins there, and returns where the next
  /// one begins.
  static func decode(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, to output: inout [UInt8]
  ) -> Int {
    let byte = bytes[start]
    guard byte == UInt8(ascii: "&") else {
      output.append(byte)
      return start + 1
    }
    let limit = min(bytes.count, start + 2 + maximumBytes)
    var end = start + 1
    while end < limit, isNameByte(bytes[end]) { end += 1 }
    guard end < limit, bytes[end] == UInt8(ascii: ";"), end > start + 1,
      let value = scalar(UnsafeBufferPointer(rebasing: bytes[(start + 1)..<end]))
    else {
      output.append(byte)
      return start + 1
    }
    if isPermitted(value) { output.append(utf8: value) }
    return end + 1
  }

  /// Whether a byte may be in a reference.
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "#"): true
    default: false
    }
  }

  /// The scalar of a reference; nil when it is none. A number may be one that XML forbids.
  static func scalar(_ name: some Collection<UInt8>) -> UInt32? {
    guard name.first == UInt8(ascii: "#") else {
      return HTMLEntities.scalar(String(decoding: name, as: UTF8.self))
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
  static func isPermitted(_ value: UInt32) -> Bool {
    switch value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
    default: false
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
