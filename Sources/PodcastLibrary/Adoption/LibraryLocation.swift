import Glibc
package import PodcastModel
import PodcastTransfer

/// Where a library is in the file system, to decide which files are in it: looked up once, not
/// again for each file.
package struct LibraryLocation: Sendable {
  /// The library's folder without links; nil if it is gone.
  private let root: String?
  /// The podcasts' folders that are links to others, with their targets.
  private let links: [(name: EntryName, folder: String)]

  /// Finds out where a library is.
  package init(_ library: Library) {
    root = Self.realPath(library.path)
    links = ((try? library.root.links()) ?? []).compactMap(EntryName.init).compactMap { name in
      guard (try? library.root.linkedFolder(name.text)) != nil,
        let folder = Self.realPath("\(library.path)/\(name)")
      else { return nil }
      return (name, folder)
    }
  }

  /// The path in the library of a file that is already there; nil when it is not there, or is in a
  /// hidden folder, which listings ignore.
  package func pathInLibrary(_ file: FoundFile) -> String? {
    // A path of the library has no part that begins with a dot.
    path(of: file).flatMap { RelativePath($0)?.text }
  }

  /// Whether a file is in the folder that podget keeps for itself: removed files, unfinished
  /// downloads, artwork.
  package func isPodgets(_ file: FoundFile) -> Bool {
    path(of: file)?.utf8.starts(with: ".podget/".utf8) ?? false
  }

  /// Where a file of a plan will be, relative to the library: a file that is already in the library
  /// stays where it is.
  package func destination(of file: FoundFile, as plan: DownloadPlan) -> String {
    pathInLibrary(file) ?? plan.path
  }

  private func path(of file: FoundFile) -> String? {
    guard let root, let path = Self.realPath(file.path) else { return nil }
    if path.utf8.starts(with: "\(root)/".utf8) {
      return String(Substring(path.utf8.dropFirst(root.utf8.count + 1)))
    }
    // It may be in a podcast's folder that is a link to another one.
    for (name, folder) in links where path.utf8.starts(with: "\(folder)/".utf8) {
      return "\(name)\(Substring(path.utf8.dropFirst(folder.utf8.count)))"
    }
    return nil
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
