/// Finds lines and characters of places in a text that come in ascending order.
struct OPMLPlaces {
  private let bytes: [UInt8]
  private var offset = 0
  private var place = OPMLPosition(line: 1, column: 1)

  /// - Parameter bytes: text whose lines end with LF.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The place of a byte. One before the last that was asked for has the same place as that.
  mutating func position(of wanted: Int) -> OPMLPosition {
    let end = min(wanted, bytes.count)
    while offset < end {
      if bytes[offset] == 0x0A {
        place.line += 1
        place.column = 1
      } else if bytes[offset] & 0xC0 != 0x80 {
        place.column += 1
      }
      offset += 1
    }
    return place
  }
}
