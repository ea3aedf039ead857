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
