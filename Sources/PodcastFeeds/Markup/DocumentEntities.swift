internal import PodcastModel

/// The entities of plain text that a document type declares (XML 1.0, section 4.2). External ones, those
/// with markup and those that refer to others are none.
struct DocumentEntities {
  /// How much of a document type is looked at, in bytes.
  static let maximumBytes = 16 * 1024
  private static let maximumCount = 100
  private static let maximumValue = 1024
  /// How many bytes all references of a document together stand for: few bytes could stand for many.
  private static let maximumTotal = 256 * 1024

  private var values: [[UInt8]: [UInt8]] = [:]
  private var left = Self.maximumTotal

  /// Reads the declarations of a document type.
  mutating func declare(_ text: [UInt8]) {
    var rest = text[...]
    while values.count < Self.maximumCount,
      let start = rest.firstRange(of: "<!ENTITY".utf8)?.upperBound
    {
      rest = rest[start...]
      let blank = rest.prefix(while: MarkupTag.isSpace)
      let name = rest[blank.endIndex...].prefix(while: CharacterReference.isNameByte)
      let quoted = rest[name.endIndex...].drop(while: MarkupTag.isSpace)
      guard !blank.isEmpty, !name.isEmpty, let quote = quoted.first,
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = quoted.dropFirst().firstIndex(of: quote)
      else { continue }
      let value = quoted[(quoted.startIndex + 1)..<end]
      rest = rest[end...]
      // The first declaration counts.
      guard let text = Self.plain(value), values[Array(name)] == nil else { continue }
      values[Array(name)] = text
    }
  }

  /// The text of an entity; nil if it is none, or if there were too many.
  mutating func text(of name: [UInt8]) -> [UInt8]? {
    guard let value = values[name], value.count <= left else { return nil }
    left -= value.count
    return value
  }

  /// The value with its references to characters replaced; nil if it is more than text.
  private static func plain(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    guard value.count <= maximumValue, !value.contains(UInt8(ascii: "<")),
      !value.contains(UInt8(ascii: "%"))
    else { return nil }
    return value.withUnsafeBufferPointer { bytes in
      var output: [UInt8] = []
      var index = 0
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: "&"),
          CharacterReference.read(bytes, at: index).scalar == nil
        {
          return nil
        }
        index = CharacterReference.decode(bytes, at: index, to: &output)
      }
      // A `<` that a reference stands for would be markup where the entity is used.
      return output.contains(UInt8(ascii: "<")) ? nil : output
    }
  }
}
