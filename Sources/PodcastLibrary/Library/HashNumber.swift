/// The FNV-1a hash of bytes: equal bytes have equal numbers, today and in later runs.
enum HashNumber {
  static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
