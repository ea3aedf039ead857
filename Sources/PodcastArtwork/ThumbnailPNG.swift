extension Thumbnail {
  /// The thumbnail as a PNG file (RFC 2083). Its rows are stored without compression, which takes no
  /// library and four times the space.
  package var png: [UInt8] {
    let channels = hasAlpha ? 4 : 3
    var rows: [UInt8] = []
    rows.reserveCapacity(pixels.count + height)
    for row in 0..<height {
      // No filter.
      rows.append(0)
      rows += pixels[row * width * channels..<(row + 1) * width * channels]
    }
    // Eight bits, true color, with or without opacity.
    let header =
      UInt32(width).bigEndianBytes + UInt32(height).bigEndianBytes + [8, hasAlpha ? 6 : 2, 0, 0, 0]
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    for (name, content) in [("IHDR", header), ("IDAT", Self.stored(rows)), ("IEND", [])] {
      let body = Array(name.utf8) + content
      file += UInt32(content.count).bigEndianBytes + body + Self.checksum(body).bigEndianBytes
    }
    return file
  }

  /// The bytes as a zlib stream (RFC 1950) of stored blocks (RFC 1951, section 3.2.4).
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(Int(UInt16.max))
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      stream += length.byteSwapped.bigEndianBytes + (~length).byteSwapped.bigEndianBytes
      stream += block
    } while !rest.isEmpty
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return stream + (high << 16 | low).bigEndianBytes
  }

  /// The checksum of chunks (RFC 2083, section 15).
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
  }

  private static let table: [UInt32] = (0..<256).map { entry in
    (0..<8).reduce(entry) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }
}

extension FixedWidthInteger {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
