extension String {
  /// Whether some bytes of UTF-8 are part of the text: much faster than a search by characters.
  func containsBytes(_ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    var text = self
    return text.withUTF8 { bytes in
      guard bytes.count >= wanted.count else { return false }
      for start in 0...bytes.count - wanted.count where bytes[start] == first {
        if bytes[start..<start + wanted.count].elementsEqual(wanted) { return true }
      }
      return false
    }
  }
}
