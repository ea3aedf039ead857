/// The values of header fields that podget stores, and may send back.
package enum FieldValue {
  /// The longest value in bytes that is stored.
  package static let maximumBytes = 1024

  /// The value if it can be stored; nil if it is empty or too long, or has control characters: a
  /// line break would start another field.
  ///
  /// The same rule holds for what a server sends and for what a record says. Otherwise podget could
  /// write what it does not read.
  package static func storable(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text.utf8.count <= maximumBytes,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return nil }
    return text
  }
}
