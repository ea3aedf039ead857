/// Finds lines and characters of places in a text that come in ascending order.
struct OPMLPlaces {
  private let bytes: [UInt8]
  private var offset = 0
  private var place: OPMLPosition

  /// - Parameter line: the number of the first line.
  init(_ bytes: [UInt8], line: Int = 1) {
    self.bytes = bytes
    place = OPMLPosition(line: line, column: 1)
  }

  /// The place of a byte. One before the last that was asked for has the same place as that.
  mutating func position(of wanted: Int) -> OPMLPosition {
    let end = min(wanted, bytes.count)
    while offset < end {
      if Self.endsLine(bytes, offset) {
        place.line += 1
        place.column = 1
      } else if bytes[offset] & 0xC0 != 0x80 {
        place.column += 1
      }
      offset += 1
    }
    return place
  }

  /// The place of the last of some marks before a place in the text; that place where there is none
  /// behind the last that was asked for.
  mutating func position(ofLast marks: [UInt8], before wanted: Int) -> OPMLPosition {
    var start = min(wanted, bytes.count) - 1
    while start > offset, !marks.contains(bytes[start]) { start -= 1 }
    return position(of: start >= offset && marks.contains(bytes[start]) ? start : wanted)
  }

  /// Finds podget's own attributes in the tag whose place was asked for last.
  mutating func locate(_ attributes: inout [OPMLAttribute]) {
    var wanted = attributes.indices.filter { attributes[$0].isOwn }.map { index in
      (index: index, name: Array(attributes[index].name.utf8))
    }
    var index = offset
    while !wanted.isEmpty, index < bytes.count, bytes[index] != UInt8(ascii: ">") {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        index = (bytes[(index + 1)...].firstIndex(of: byte) ?? bytes.count - 1) + 1
        continue
      }
      let start = index
      while index < bytes.count, !Self.separates(bytes[index]) { index += 1 }
      if index == start { index += 1 }
      guard let found = wanted.firstIndex(where: { bytes[start..<index].elementsEqual($0.name) })
      else { continue }
      attributes[wanted[found].index].position = position(of: start)
      wanted.remove(at: found)
    }
  }

  /// Whether a byte of a tag is in no name.
  private static func separates(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"),
      UInt8(ascii: "/"), UInt8(ascii: "<"), UInt8(ascii: ">"):
      true
    default: false
    }
  }

  /// How many lines end in some bytes.
  static func lineEnds(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.indices.reduce(0) { $0 + (endsLine(bytes, $1) ? 1 : 0) }
  }

  /// A line ends with LF, CR LF or CR (XML 1.0, section 2.11).
  private static func endsLine<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes, _ index: Int
  ) -> Bool where Bytes.Index == Int {
    switch bytes[index] {
    case 0x0A: true
    case 0x0D: index + 1 == bytes.endIndex || bytes[index + 1] != 0x0A
    default: false
    }
  }
}
