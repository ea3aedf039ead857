extension [UInt8] {
  /// Appends a scalar as UTF-8. What is no scalar, such as half of a surrogate pair, becomes U+FFFD.
  package mutating func append(utf8 value: UInt32) {
    let value = Unicode.Scalar(value) == nil ? 0xFFFD : value
    switch value {
    case 0..<0x80:
      append(UInt8(truncatingIfNeeded: value))
    case 0x80..<0x800:
      append(0xC0 | UInt8(truncatingIfNeeded: value >> 6))
      append(continuation: value)
    case 0x800..<0x10000:
      append(0xE0 | UInt8(truncatingIfNeeded: value >> 12))
      append(continuation: value >> 6)
      append(continuation: value)
    default:
      append(0xF0 | UInt8(truncatingIfNeeded: value >> 18))
      append(continuation: value >> 12)
      append(continuation: value >> 6)
      append(continuation: value)
    }
  }

  private mutating func append(continuation value: UInt32) {
    append(0x80 | UInt8(truncatingIfNeeded: value & 0x3F))
  }
}
