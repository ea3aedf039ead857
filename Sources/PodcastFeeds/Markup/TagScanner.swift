/// Finds the end of a tag, in pieces of any size.
struct TagScanner {
  /// The quote in which the tag stands, or 0.
  private(set) var quote: UInt8 = 0
  /// The last byte of the tag that is no white space.
  private var significant: UInt8 = 0

  /// Steps to the `>` that ends a tag, quotes honored, or to the `<` of another one, and returns it; 0
  /// where neither is there.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> UInt8 {
    var (place, quote, significant) = (index, quote, significant)
    defer { (index, self.quote, self.significant) = (place, quote, significant) }
    while place < bytes.count {
      if quote != 0 {
        place = ByteSearch.first(quote, in: bytes, from: place)
        guard place < bytes.count else { return 0 }
        (significant, quote) = (quote, 0)
        place += 1
        continue
      }
      let byte = bytes[place]
      // Letters are all above `>`.
      if byte <= UInt8(ascii: ">") {
        if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<") { return byte }
        if significant == UInt8(ascii: "="),
          byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        {
          quote = byte
        }
        if MarkupTag.isSpace(byte) {
          place += 1
          continue
        }
      }
      significant = byte
      place += 1
    }
    return 0
  }
}
