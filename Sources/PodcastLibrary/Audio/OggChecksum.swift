/// The checksum of an Ogg page (RFC 3533, section 6): a 32-bit cyclic redundancy check with the
/// polynomial 0x04C11DB7, most significant bit first, without inversion at the beginning and the
/// end.
package enum OggChecksum {
  /// The position of the checksum in the header of a page; its own bytes count as zeros.
  static let place = 22..<26

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { rest, _ in
      rest & 0x8000_0000 == 0 ? rest << 1 : rest << 1 ^ 0x04C1_1DB7
    }
  }

  /// The checksum that a page must have.
  static func of(_ page: ArraySlice<UInt8>) -> UInt32 {
    page.withUnsafeBufferPointer { bytes in
      table.withUnsafeBufferPointer { table in
        var rest: UInt32 = 0
        for (index, byte) in bytes.enumerated() {
          let counted = place.contains(index) ? 0 : byte
          rest = rest << 8 ^ table[Int(UInt8(truncatingIfNeeded: rest >> 24) ^ counted)]
        }
        return rest
      }
    }
  }

  /// Whether a complete page has the checksum in its header.
  static func isRight(_ page: ArraySlice<UInt8>) -> Bool {
    Int64(of(page)) == page.dropFirst(place.lowerBound).prefix(place.count).littleEndian
  }
}
