extension FileName {
  /// The form in which two names are one name to some file system: one Unicode form, without case,
  /// without what shows nothing.
  ///
  /// It is coarser than any single file system, so names that differ here differ everywhere.
  package static func comparisonKey(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    var folded = String.UnicodeScalarView()
    for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
      // Upper, then lower: so that ß meets SS, and the two small sigmas meet.
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(folded).composed
  }

  /// The name without its extension, when it ends in what can be one.
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

  package init(folder: String, name: String) {
    self.folder = FileName.comparisonKey(folder)
    self.name = FileName.comparisonKey(name)
  }
}
