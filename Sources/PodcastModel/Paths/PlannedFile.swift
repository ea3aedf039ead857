/// The destination of an episode's file: a folder inside the library, a stem and an extension. It
/// can name nothing outside the library and none of podget's own files.
public struct PlannedFile: Sendable, Hashable {
  /// The folder.
  public let folder: RelativePath
  /// The file name without its extension.
  public let stem: EntryName
  /// The extension without a dot; may be empty.
  public let fileExtension: String

  /// Checks the parts; nil when one of them is not valid.
  public init?(folder: String, stem: String, fileExtension: String) {
    guard let folder = RelativePath(folder), let stem = EntryName(stem),
      Self.isExtension(fileExtension)
    else { return nil }
    self.init(folder: folder, stem: stem, fileExtension: fileExtension)
  }

  /// A file in a folder.
  package init(folder: RelativePath, file: EntryName) {
    let stem = FileName.stem(of: file.text)
    // A stem begins as the name does and is never empty.
    self.init(
      folder: folder, stem: EntryName(checked: stem),
      fileExtension: String(file.text.dropFirst(stem.count + 1)))
  }

  /// The same file with another extension; nil when that is not valid.
  package func with(fileExtension: String) -> PlannedFile? {
    Self.isExtension(fileExtension)
      ? PlannedFile(folder: folder, stem: stem, fileExtension: fileExtension) : nil
  }

  /// A file whose parts were checked when they were read.
  package init(folder: RelativePath, stem: EntryName, fileExtension: String) {
    self.folder = folder
    self.stem = stem
    self.fileExtension = fileExtension
  }

  /// Whether a text can follow a stem and a dot.
  @inlinable package static func isExtension(_ text: String) -> Bool { isExtension(text.utf8) }

  /// Whether these bytes can follow a stem and a dot.
  @inlinable package static func isExtension(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count <= 32 && bytes.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "/") }
  }
}
