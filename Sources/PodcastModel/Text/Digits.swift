extension FixedWidthInteger {
  /// Parses ASCII digits and nothing else: the standard initializer alone would accept a sign. Nil
  /// for an empty text, and for a number that does not fit.
  package init?(digits text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    self.init(text, radix: 10)
  }
}
