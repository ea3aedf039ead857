@_spi(_Unicode) import Swift

extension String {
  /// The text in Unicode's Normalization Form C (Unicode Standard Annex 15), in which most file
  /// systems and programs write names.
  ///
  /// The standard library composes without ICU or Foundation, which cost start-up time.
  var composed: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }
}
