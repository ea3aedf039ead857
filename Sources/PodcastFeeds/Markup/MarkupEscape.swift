/// Text as XML and HTML have it.
enum MarkupEscape {
  /// Appends a text, with references for what has a meaning or would not survive reading.
  static func append(_ text: String, inValue: Bool, to output: inout [UInt8]) {
    for byte in permitted(text) {
      switch byte {
      case UInt8(ascii: "&"): output += "&amp;".utf8
      case UInt8(ascii: "<"): output += "&lt;".utf8
      case UInt8(ascii: ">"): output += "&gt;".utf8
      case 0x0D: output += "&#13;".utf8
      case UInt8(ascii: "\"") where inValue: output += "&quot;".utf8
      case 0x09 where inValue: output += "&#9;".utf8
      case 0x0A where inValue: output += "&#10;".utf8
      default: output.append(byte)
      }
    }
  }

  /// The bytes of a text without the characters that XML forbids.
  static func permitted(_ text: String) -> [UInt8] {
    var output: [UInt8] = []
    var cleaner = UTF8Cleaner()
    var text = text
    text.withUTF8 { cleaner.add($0, to: &output) }
    cleaner.finish(to: &output)
    return output
  }
}
