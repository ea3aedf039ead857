import Glibc

/// Paths as other folders and other runs understand them.
enum AbsolutePath {
  /// An absolute path without `.`, `..` and doubled slashes; links are not followed.
  static func normalized(_ path: String, in folder: String) -> String {
    var parts: [Substring] = []
    for part in (path.hasPrefix("/") ? path : "\(folder)/\(path)").split(separator: "/") {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The path with its folders' links resolved; a file's own name stays, because the file may be
  /// gone.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else {
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return path }
      return resolved(String(path[..<slash])) + path[slash...]
    }
    defer { free(real) }
    return String(cString: real)
  }

  /// A path from the root; it may have `.` and `..`.
  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(currentFolder)/\(path)"
  }

  /// Whether something is at a path.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The folder that the process is in.
  static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
