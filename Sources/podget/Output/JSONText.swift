/// Writes JSON (RFC 8259): the same value always gives the same text.
///
/// What would act on a terminal — control characters beyond ASCII's and marks that turn the
/// direction of writing — is escaped too, since stdout may be a terminal; to a parser the text
/// means the same.
enum JSONText {
  /// The value on one line, without a space outside strings.
  static func line(_ value: JSONValue) -> String {
    var text = ""
    append(value, to: &text)
    return text
  }

  /// An array with one element a line and a newline at its end.
  static func lines(_ elements: some Collection<JSONValue>) -> String {
    guard !elements.isEmpty else { return "[]\n" }
    var text = "[\n"
    var isFirst = true
    for element in elements {
      if !isFirst { text += ",\n" }
      isFirst = false
      append(element, to: &text)
    }
    return text + "\n]\n"
  }
}

extension JSONText {
  private static func append(_ value: JSONValue, to text: inout String) {
    switch value {
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .integer(let number): text += String(number)
    case .thousandths(let number): append(thousandths: number, to: &text)
    case .string(let string): append(string, to: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        append(element, to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        append(member.name, to: &text)
        text += ":"
        append(member.value, to: &text)
      }
      text += "}"
    }
  }

  private static func append(thousandths number: Int64, to text: inout String) {
    if number < 0 { text += "-" }
    text += String(number.magnitude / 1000) + "."
    var decimals = String(number.magnitude % 1000)
    decimals = String(repeating: "0", count: 3 - decimals.count) + decimals
    while decimals.count > 1, decimals.hasSuffix("0") { decimals.removeLast() }
    text += decimals
  }

  private static func append(_ string: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    guard mayNeedEscapes(string) else {
      text += string
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where actsOnTerminal(scalar): append(escaped: scalar.value, to: &text)
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// A quick look at the bytes: most strings need no escape, and a library has many strings. What
  /// acts on a terminal begins, in UTF-8, with one of three bytes.
  private static func mayNeedEscapes(_ string: String) -> Bool {
    string.utf8.contains { byte in
      switch byte {
      case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xD8, 0xE2: true
      default: false
      }
    }
  }

  private static func actsOnTerminal(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Everything that is escaped lies in the basic plane, so four digits are enough.
  private static func append(escaped value: UInt32, to text: inout String) {
    let digits = String(value, radix: 16)
    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
