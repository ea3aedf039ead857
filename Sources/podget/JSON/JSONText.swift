import PodcastKit

/// Writes JSON (RFC 8259): the same value always gives the same text.
///
/// Characters that would control a terminal (control characters beyond ASCII's and marks that
/// change the direction of writing) are escaped too, because stdout may be a terminal; for a parser
/// the text means the same.
enum JSONText {
  /// The value on one line, without a space outside strings.
  static func line(_ value: JSONValue) -> String {
    var text: [UInt8] = []
    append(value, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The value with one member or element per line, indented by two spaces.
  static func indented(_ value: JSONValue, _ depth: Int = 0) -> String {
    let inner = "\n" + String(repeating: " ", count: 2 * depth + 2)
    let outer = "\n" + String(repeating: " ", count: 2 * depth)
    switch value {
    case .object(let members) where !members.isEmpty:
      let lines = members.map { "\(line(.string($0.name))): \(indented($0.value, depth + 1))" }
      return "{\(inner)\(lines.joined(separator: ",\(inner)"))\(outer)}"
    case .array(let elements) where elements.contains(where: \.isContainer):
      let lines = elements.map { indented($0, depth + 1) }
      return "[\(inner)\(lines.joined(separator: ",\(inner)"))\(outer)]"
    default: return line(value)
    }
  }

  /// An array with one element per line and a newline at its end.
  static func lines(_ elements: [JSONValue]) -> String {
    var text = ""
    lines(elements, json: { $0 }) { text += $0 }
    return text
  }

  /// The same in pieces, made from any elements, so that at most one batch of them is in memory.
  static func lines<Element: Sendable, Failure: Error>(
    _ elements: [Element], json: @Sendable (Element) -> JSONValue,
    send: (String) throws(Failure) -> Void
  ) throws(Failure) {
    try send("[")
    let batch = share * Processors.count
    for start in stride(from: 0, to: elements.count, by: batch) {
      let rest = elements[start..<min(start + batch, elements.count)]
      let texts = Processors.shares(of: rest.count, fewest: share) { range in
        var text: [UInt8] = []
        for place in range {
          text.append(contentsOf: (start + place == 0 ? "\n" : ",\n").utf8)
          append(json(rest[start + place]), to: &text)
        }
        return String(decoding: text, as: UTF8.self)
      }
      for text in texts { try send(text) }
    }
    try send(elements.isEmpty ? "]\n" : "\n]\n")
  }

  /// How many elements one processor converts at a time.
  private static let share = 250
}

extension JSONText {
  private static func append(_ value: JSONValue, to text: inout [UInt8]) {
    switch value {
    case .null: text.append(contentsOf: "null".utf8)
    case .bool(let flag): text.append(contentsOf: (flag ? "true" : "false").utf8)
    case .integer(let number): text.append(contentsOf: String(number).utf8)
    case .thousandths(let number): append(thousandths: number, to: &text)
    case .string(let string): append(string, to: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(element, to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        append(member.name, to: &text)
        text.append(UInt8(ascii: ":"))
        append(member.value, to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  private static func append(thousandths number: Int64, to text: inout [UInt8]) {
    if number < 0 { text.append(UInt8(ascii: "-")) }
    text.append(contentsOf: "\(number.magnitude / 1000).".utf8)
    var decimals = String(number.magnitude % 1000)
    decimals = String(repeating: "0", count: 3 - decimals.count) + decimals
    while decimals.count > 1, decimals.hasSuffix("0") { decimals.removeLast() }
    text.append(contentsOf: decimals.utf8)
  }

  /// Copies the characters between those that need an escape; most strings need none.
  private static func append(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    var string = string
    let mayNeedEscape = mayNeedEscape
    string.withUTF8 { bytes in
      var copied = 0
      var index = 0
      while index < bytes.count {
        guard mayNeedEscape[Int(bytes[index])], let (length, escape) = escape(bytes, at: index)
        else {
          index += 1
          continue
        }
        text.append(contentsOf: bytes[copied..<index])
        text.append(contentsOf: escape.utf8)
        index += length
        copied = index
      }
      text.append(contentsOf: bytes[copied...])
    }
    text.append(UInt8(ascii: "\""))
  }

  /// By byte: most need no second check.
  private static let mayNeedEscape = (0...255).map { byte in
    byte < 0x20 || [0x22, 0x5C, 0x7F, 0xC2, 0xD8, 0xE2].contains(byte)
  }

  /// The escape for the character that begins at a byte, and its number of bytes; nil for most.
  /// Characters that control a terminal begin, in UTF-8, with one of three bytes.
  private static func escape(
    _ bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> (length: Int, text: String)? {
    switch bytes[index] {
    case UInt8(ascii: "\""): return (1, "\\\"")
    case UInt8(ascii: "\\"): return (1, "\\\\")
    case UInt8(ascii: "\n"): return (1, "\\n")
    case UInt8(ascii: "\r"): return (1, "\\r")
    case UInt8(ascii: "\t"): return (1, "\\t")
    case 0..<0x20, 0x7F: return (1, escaped(UInt32(bytes[index])))
    case 0xC2, 0xD8:
      let scalar = UInt32(bytes[index] & 0x1F) << 6 | UInt32(bytes[index + 1] & 0x3F)
      return actsOnTerminal(scalar) ? (2, escaped(scalar)) : nil
    case 0xE2:
      let scalar =
        0x2000 | UInt32(bytes[index + 1] & 0x3F) << 6 | UInt32(bytes[index + 2] & 0x3F)
      return actsOnTerminal(scalar) ? (3, escaped(scalar)) : nil
    default: return nil
    }
  }

  private static func actsOnTerminal(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x80..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// All escaped characters are in the basic plane, so four digits are enough.
  private static func escaped(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
