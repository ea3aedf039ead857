extension FileName {
  /// The form in which two names are one name to some file system: one Unicode form, without case,
  /// without invisible characters.
  ///
  /// It is coarser than any single file system, so names that differ here differ everywhere.
  package static func comparisonKey(_ name: String) -> String {
    PlainText.folded(name) ?? foldedByProperties(name)
  }

  /// The same for any text.
  static func foldedByProperties(_ name: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      // Most texts are, and looking up their properties is slow.
      if let ascii = UInt8(exactly: scalar.value), ascii < 0x80 {
        let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(ascii)
        folded.append(Unicode.Scalar(isUpper ? ascii | 0x20 : ascii))
        continue
      }
      guard !scalar.properties.isDefaultIgnorableCodePoint else { continue }
      // Upper, then lower: so that ß equals SS, and the two small sigmas are equal.
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(folded).composed
  }

  /// The name without its extension, if it ends in a possible extension.
  package static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
      FileExtension.sanitized(String(name[name.index(after: dot)...])) != nil
    else { return name }
    return String(name[..<dot])
  }
}

/// A folder and a name in it, in the form in which two of them are one to some file system.
package struct ComparableName: Sendable, Hashable {
  private let folder: String
  private let name: String

  /// Compares a folder's path and a name in it.
  package init(folder: String, name: String) {
    self.init(comparableFolder: FileName.comparisonKey(folder), name: name)
  }

  /// Compares a name in a folder whose path is already in its comparison form, as for many names of
  /// one folder.
  package init(comparableFolder: String, name: String) {
    folder = comparableFolder
    self.name = FileName.comparisonKey(name)
  }

  // Both are in one Unicode form, so that equal texts have equal bytes.

  /// Names are equal when their comparison forms are.
  package static func == (first: ComparableName, second: ComparableName) -> Bool {
    first.name.utf8.elementsEqual(second.name.utf8)
      && first.folder.utf8.elementsEqual(second.folder.utf8)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    for var text in [name, folder] {
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(0 as UInt8)
    }
  }
}
