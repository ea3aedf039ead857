extension StringProtocol {
  /// The text without white space at its ends.
  package func trimmingWhitespace() -> String {
    let trimmed = utf8.withContiguousStorageIfAvailable { trimmingASCII($0) }
    return trimmed.flatMap { $0 } ?? trimmingCharacters()
  }

  /// The same where the text between the white space begins and ends with ASCII; nil where it does not.
  /// Nothing needs to be known of characters then, and often nothing is to be trimmed.
  private func trimmingASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard let start = bytes.firstIndex(where: { !$0.isASCIISpace }),
      let end = bytes.lastIndex(where: { !$0.isASCIISpace })
    else { return "" }
    guard bytes[start] < 0x80, bytes[end] < 0x80 else { return nil }
    if start == 0, end == bytes.count - 1 { return String(self) }
    return String(decoding: UnsafeBufferPointer(rebasing: bytes[start...end]), as: UTF8.self)
  }

  private func trimmingCharacters() -> String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

extension UInt8 {
  /// Whether a byte is white space in ASCII, of that which `Character` knows.
  fileprivate var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
