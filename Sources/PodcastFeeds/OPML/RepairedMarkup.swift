/// Writes what is read as well-formed XML.
struct RepairedMarkup: MarkupTarget {
  var output: [UInt8] = []
  private var depth = 0

  var wantsText: Bool { depth > 0 }

  mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes) {
    depth += 1
    output.append(UInt8(ascii: "<"))
    output.append(contentsOf: name)
    attributes.forEach { name, value in
      output.append(UInt8(ascii: " "))
      output.append(contentsOf: name)
      output += "=\"".utf8
      OPMLEscape.append(String(decoding: value, as: UTF8.self), inValue: true, to: &output)
      output.append(UInt8(ascii: "\""))
    }
    output.append(UInt8(ascii: ">"))
  }

  mutating func end(_ name: UnsafeBufferPointer<UInt8>) {
    depth -= 1
    output += "</".utf8
    output.append(contentsOf: name)
    output.append(UInt8(ascii: ">"))
  }

  mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    OPMLEscape.append(String(decoding: bytes, as: UTF8.self), inValue: false, to: &output)
  }
}
