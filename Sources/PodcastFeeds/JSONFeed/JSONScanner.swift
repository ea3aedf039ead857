internal import PodcastModel

/// Reads JSON from its beginning, value by value, so that a document that is cut gives all that came
/// before the cut.
struct JSONScanner {
  /// How deep arrays and objects may lie in one another.
  private static let maximumDepth = 64

  /// What cannot be read.
  struct Fault: Error {}

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Reads an object and calls a function for each member, which reads the value.
  mutating func object(_ body: (inout JSONScanner, String) throws(Fault) -> Void) throws(Fault) {
    try expect("{")
    if take("}") { return }
    repeat {
      let name = try string()
      try expect(":")
      try body(&self, name)
    } while take(",")
    try expect("}")
  }

  /// Reads an array and calls a function for each element, which reads it.
  mutating func array(_ body: (inout JSONScanner) throws(Fault) -> Void) throws(Fault) {
    try expect("[")
    if take("]") { return }
    repeat { try body(&self) } while take(",")
    try expect("]")
  }

  /// Whether an array is next.
  mutating func isArray() -> Bool { isNext("[") }

  /// Whether an object is next.
  mutating func isObject() -> Bool { isNext("{") }

  /// Whether nothing follows but white space.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return index == bytes.count
  }

  /// Reads a value; an array or an object is skipped, and nil.
  mutating func scalar() throws(Fault) -> JSONValue? {
    if isArray() || isObject() {
      try skip()
      return nil
    }
    return isNext("\"") ? .string(try string()) : try word()
  }

  /// Skips any value and keeps nothing of it.
  mutating func skip() throws(Fault) {
    // One bit for each open array or object, the innermost one lowest: whether it is an object.
    var kinds: UInt64 = 0
    var depth = 0
    repeat {
      skipSpace()
      guard index < bytes.count else { throw Fault() }
      switch bytes[index] {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard depth < Self.maximumDepth else { throw Fault() }
        kinds = kinds << 1 | (bytes[index] == UInt8(ascii: "{") ? 1 : 0)
        depth += 1
        index += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard depth > 0, kinds & 1 == (bytes[index] == UInt8(ascii: "}") ? 1 : 0) else {
          throw Fault()
        }
        kinds >>= 1
        depth -= 1
        index += 1
      case UInt8(ascii: "\""): try skipString()
      // Where marks stand in what nobody reads is not checked.
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        guard depth > 0 else { throw Fault() }
        index += 1
      default: _ = try word()
      }
    } while depth > 0
  }
}

extension JSONScanner {
  private mutating func skipSpace() {
    while index < bytes.count, MarkupTag.isSpace(bytes[index]) { index += 1 }
  }

  private mutating func isNext(_ mark: Unicode.Scalar) -> Bool {
    skipSpace()
    return index < bytes.count && UInt32(bytes[index]) == mark.value
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard isNext(mark) else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ mark: Unicode.Scalar) throws(Fault) {
    guard take(mark) else { throw Fault() }
  }

  /// A number, or one of the three literal names.
  private mutating func word() throws(Fault) -> JSONValue {
    let start = index
    while index < bytes.count, isWordByte(bytes[index]) { index += 1 }
    // A number at the very end may be cut.
    guard index > start, index < bytes.count else { throw Fault() }
    let word = String(decoding: bytes[start..<index], as: UTF8.self)
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default:
      guard Double(word) != nil, let first = word.utf8.first,
        first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
      else { throw Fault() }
      return .number(word)
    }
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == 0x2B
      || byte == 0x2D || byte == 0x2E
  }

  private mutating func skipString() throws(Fault) {
    try expect("\"")
    while index < bytes.count {
      let byte = bytes[index]
      index += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return }
    }
    throw Fault()
  }

  private mutating func string() throws(Fault) -> String {
    try expect("\"")
    var text: [UInt8] = []
    while index < bytes.count {
      let start = index
      while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
        bytes[index] != UInt8(ascii: "\\")
      {
        index += 1
      }
      text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
      guard index < bytes.count else { break }
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      try escape(to: &text)
    }
    throw Fault()
  }

  private mutating func escape(to text: inout [UInt8]) throws(Fault) {
    guard index < bytes.count else { throw Fault() }
    let byte = bytes[index]
    index += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"), UInt8(ascii: "f"): text.append(0x20)
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      guard (0xD800..<0xDC00).contains(unit), index + 1 < bytes.count,
        bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
      else { return append(unit, to: &text) }
      index += 2
      let low = try hexadecimal()
      if (0xDC00..<0xE000).contains(low) {
        text.append(utf8: 0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00))
      } else {
        append(unit, to: &text)
        append(low, to: &text)
      }
    default: text.append(byte)
    }
  }

  private func append(_ scalar: UInt32, to text: inout [UInt8]) {
    if CharacterReference.isPermitted(scalar) || scalar >= 0xD800 { text.append(utf8: scalar) }
  }

  private mutating func hexadecimal() throws(Fault) -> UInt32 {
    guard index + 4 <= bytes.count,
      let value = UInt32(String(decoding: bytes[index..<(index + 4)], as: UTF8.self), radix: 16)
    else { throw Fault() }
    index += 4
    return value
  }
}
