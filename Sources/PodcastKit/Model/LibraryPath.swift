/// Paths below a library: with `/` between their parts and none at their ends; that of the library
/// itself is empty.
enum LibraryPath {
  /// The path of something in a folder.
  static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : "\(folder)/\(name)"
  }

  /// The path of a file in a folder, by its stem and its extension without the dot; the latter may be
  /// empty.
  static func join(_ folder: String, stem: String, ending: String) -> String {
    var path = folder
    // In one piece: a library has as many paths as there are episodes.
    path.reserveCapacity(path.utf8.count + stem.utf8.count + ending.utf8.count + 2)
    if !path.isEmpty { path += "/" }
    path += stem
    if !ending.isEmpty {
      path += "."
      path += ending
    }
    return path
  }

  /// The folder that a path lies in, and its name there.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[slash...].dropFirst()))
  }
}
