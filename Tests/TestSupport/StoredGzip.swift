/// Packs bytes as a gzip member of stored blocks (RFC 1951, section 3.2.4; RFC 1952, section 2.3):
/// valid gzip for a client, and written without a library.
public func storedGzip(_ bytes: [UInt8]) -> [UInt8] {
  var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
  var offset = 0
  repeat {
    let count = min(65_535, bytes.count - offset)
    let isLast: UInt8 = offset + count == bytes.count ? 1 : 0
    let length = UInt16(count)
    member.append(isLast)
    member += length.littleEndianBytes + (~length).littleEndianBytes
    member += bytes[offset..<offset + count]
    offset += count
  } while offset < bytes.count
  return member + crc32(bytes).littleEndianBytes + UInt32(bytes.count).littleEndianBytes
}

/// The checksum of RFC 1952, section 8.
func crc32(_ bytes: [UInt8]) -> UInt32 {
  let table = (0..<256 as Range<UInt32>).map { entry in
    (0..<8).reduce(entry) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }
  return ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
}

extension FixedWidthInteger {
  fileprivate var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian, Array.init) }
}
