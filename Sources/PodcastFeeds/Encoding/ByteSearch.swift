/// Looks through text eight bytes at a time, which is what most of a feed's reading consists of.
enum ByteSearch {
  /// The place of the first byte that is no printable ASCII: below 0x20, or 0x80 and above. The end
  /// where there is none.
  static func firstSpecial(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    search(bytes, from: start) { word in
      // Taking 0x20 from a byte below it sets its high bit.
      ((word &- spaces) | word) & highBits
    }
  }

  /// The place of the first byte beyond ASCII; the end where there is none.
  static func firstBeyondASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    search(bytes, from: 0) { word in word & highBits }
  }

  /// The place of the first `<`, `&` or CR; the end where there is none.
  static func firstInText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    search(bytes, from: start) { word in
      zeros(word ^ lessThans) | zeros(word ^ ampersands) | zeros(word ^ returns)
    }
  }

  /// The place of the first `&`, byte below 0x20, or a quote; the end where there is none.
  static func firstInValue(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, quote: UInt8
  ) -> Int {
    let quotes = UInt64(quote) &* ones
    return search(bytes, from: start) { word in
      zeros(word ^ quotes) | zeros(word ^ ampersands)
        | ((word &- spaces) & ~word & highBits)
    }
  }

  /// The place of the first byte of a kind; the end where there is none.
  static func first(
    _ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int {
    let wanted = UInt64(byte) &* ones
    return search(bytes, from: start) { word in zeros(word ^ wanted) }
  }

  // Each byte repeated eight times.
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
  private static var spaces: UInt64 { 0x2020_2020_2020_2020 }
  private static var lessThans: UInt64 { 0x3C3C_3C3C_3C3C_3C3C }
  private static var ampersands: UInt64 { 0x2626_2626_2626_2626 }
  private static var returns: UInt64 { 0x0D0D_0D0D_0D0D_0D0D }

  /// The high bit of each byte that is zero. Bits above the lowest one may be wrong.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & highBits }

  /// - Parameter match: sets the high bit of the bytes that are sought; only the lowest one counts.
  @inline(__always)
  private static func search(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ match: (UInt64) -> UInt64
  ) -> Int {
    guard let base = bytes.baseAddress else { return start }
    let count = bytes.count
    let raw = UnsafeRawPointer(base)
    var index = start
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    // Long texts four words at a time.
    while index &+ 32 <= count,
      match(word(index)) | match(word(index &+ 8)) | match(word(index &+ 16))
        | match(word(index &+ 24)) == 0
    {
      index &+= 32
    }
    while index &+ 8 <= count {
      let found = match(word(index))
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < count {
      if match(UInt64(base[index]) | fillers) & 0x80 != 0 { return index }
      index &+= 1
    }
    return count
  }

  /// Letters in all bytes but the lowest, which are not sought.
  private static var fillers: UInt64 { 0x6161_6161_6161_6100 }
}
