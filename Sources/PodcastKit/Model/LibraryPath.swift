/// Paths below a library: with `/` between their parts and none at their ends; that of the library
/// itself is empty.
enum LibraryPath {
  /// The path of something in a folder.
  static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : "\(folder)/\(name)"
  }

  /// The folder that a path lies in, and its name there.
  static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[slash...].dropFirst()))
  }
}
