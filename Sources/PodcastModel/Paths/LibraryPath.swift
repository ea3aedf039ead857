/// Paths below a library: with `/` between their parts and none at their ends; the path of the
/// library itself is empty.
package enum LibraryPath {
  /// The path of something in a folder.
  package static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : "\(folder)/\(name)"
  }

  /// The path of a file in a folder, by its stem and its extension without the dot; the latter may be
  /// empty.
  package static func join(_ folder: String, stem: String, ending: String) -> String {
    var path = folder
    // In one allocation: a library has as many paths as episodes.
    path.reserveCapacity(path.utf8.count + stem.utf8.count + ending.utf8.count + 2)
    if !path.isEmpty { path += "/" }
    path += stem
    if !ending.isEmpty {
      path += "."
      path += ending
    }
    return path
  }

  /// The folder of a path, and the name in it.
  ///
  /// Paths are split between bytes, as the system does it: a slash with a combining mark is one
  /// `Character`, which is not equal to a slash.
  package static func split(_ path: String) -> (folder: String, name: String) {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (
      String(Substring(bytes[..<slash])), String(Substring(bytes[bytes.index(after: slash)...]))
    )
  }

  /// The names in a path; empty ones are left out.
  package static func parts(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  /// Whether a path begins at the root of the file system.
  package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }
}
