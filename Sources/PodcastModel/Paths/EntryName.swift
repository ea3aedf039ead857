/// The name of something in one folder of a library: not empty, without `/`, and not beginning with
/// a dot, as podget's own files do.
///
/// Names are equal when their bytes are: two spellings of one text in Unicode may be two files.
public struct EntryName: CheckedText {
  /// The problem of a string that is not a name.
  public static let problem = "is not the name of an episode's file"

  /// The name.
  public let text: String

  /// Checks a name; nil if it is not one, or is one of podget's own.
  public init?(_ text: String) {
    guard Self.isName(text.utf8) else { return nil }
    self.text = text
  }

  /// A name that was checked with ``isName(_:)`` when it was read.
  package init(checked text: String) { self.text = text }

  /// Whether these bytes are a name. It can be inlined, because an index calls it for every row.
  @inlinable package static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: ".") else { return false }
    return bytes.count <= FileName.maximumBytes
      && bytes.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") }
  }
}
