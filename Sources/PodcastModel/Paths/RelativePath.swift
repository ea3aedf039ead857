/// A path inside a library: folders, or folders and a file, with `/` between them.
///
/// No part is empty or begins with a dot, so that it leads neither outside the library nor to podget's
/// own files. The empty path is the library itself. Paths are equal when their bytes are: two
/// spellings of one text in Unicode may be two files.
public struct RelativePath: CheckedText {
  /// The problem of a string that is not a path.
  public static let problem = "is not a path inside the library"

  /// The longest path in bytes of UTF-8, which leaves space for the library's own path.
  package static let maximumBytes = 3_500
  /// The maximum number of parts.
  static let maximumDepth = 64

  /// The library itself.
  package static let library = RelativePath(checked: "")

  /// The path.
  public let text: String

  /// Checks a path; nil for one that leads outside the library or to podget's own files, or is too
  /// long.
  public init?(_ text: String) {
    guard text.isEmpty || Self.isPath(text.utf8) else { return nil }
    self.text = text
  }

  private init(checked text: String) { self.text = text }

  /// The path of something in this folder; nil when it is too long.
  package func appending(_ name: EntryName) -> RelativePath? {
    RelativePath(text.isEmpty ? name.text : "\(text)/\(name.text)")
  }

  /// The folder that it is in, and its name there; nil for the library itself.
  package var split: (folder: RelativePath, name: EntryName)? {
    let (folder, name) = LibraryPath.split(text)
    guard let name = EntryName(name) else { return nil }
    return (RelativePath(checked: folder), name)
  }

  /// The names in the path.
  package var components: [EntryName] { LibraryPath.parts(text).compactMap(EntryName.init) }

  /// Whether this is a folder or is in it.
  package func isSame(orIn folder: RelativePath) -> Bool {
    folder.text.isEmpty || self == folder
      || text.utf8.starts(with: folder.text.utf8) && text.utf8.count > folder.text.utf8.count
        && text.utf8[text.utf8.index(text.utf8.startIndex, offsetBy: folder.text.utf8.count)]
          == UInt8(ascii: "/")
  }

  /// Whether these bytes are a path of at least one part.
  private static func isPath(_ bytes: String.UTF8View) -> Bool {
    guard bytes.count <= maximumBytes else { return false }
    // Without creating its parts: a library has as many paths as episodes.
    var (start, depth) = (bytes.startIndex, 0)
    while true {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      depth += 1
      guard depth <= maximumDepth, EntryName.isName(bytes[start..<end]) else { return false }
      guard end < bytes.endIndex else { return true }
      start = bytes.index(after: end)
    }
  }
}
