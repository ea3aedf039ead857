/// Numbers for bytes: equal bytes have equal numbers, today and in later runs.
enum HashNumber {
  /// The FNV-1a hash of a few bytes.
  static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// A number for many bytes, which are taken eight at a time.
  static func ofMany(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let end = bytes.count & ~7
    var hash = UInt64(bytes.count)
    for place in stride(from: 0, to: end, by: 8) {
      let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      hash = (hash ^ UInt64(littleEndian: word)) &* 0x9E37_79B9_7F4A_7C15
      // Otherwise the upper bits of a word change only the upper bits of the number.
      hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
      hash ^= hash >> 32
    }
    return bytes[end...].reduce(hash) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
