/// The name of something in one folder of a library: not empty, without `/`, and not beginning with a
/// dot, as podget's own files do.
///
/// Names are equal when their bytes are: two spellings of one text in Unicode may be two files.
public struct EntryName: Sendable {
  /// The name.
  public let text: String

  /// Reads a name; nil for one that is none, or is one of podget's own.
  public init?(_ text: String) {
    guard Self.isName(text.utf8) else { return nil }
    self.text = text
  }

  /// A name that was checked with ``isName(_:)`` when it was read.
  init(checked text: String) { self.text = text }

  /// Whether these bytes are a name.
  static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: ".") else { return false }
    return bytes.count <= FileName.maximumBytes
      && bytes.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") }
  }
}

extension EntryName: Hashable {
  /// Names are equal when their bytes are.
  public static func == (first: EntryName, second: EntryName) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension EntryName: CustomStringConvertible {
  /// The name.
  public var description: String { text }
}

extension EntryName: Codable {
  /// Reads a string that is a name.
  public init(from decoder: any Decoder) throws {
    guard let name = EntryName(try decoder.singleValueContainer().decode(String.self)) else {
      throw RecordProblem(decoder, "is not the name of an episode's file")
    }
    self = name
  }

  /// Writes the name as a string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
