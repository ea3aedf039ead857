internal import CFiles
import Glibc
import PodcastLibrary
import PodcastModel
import PodcastTransfer

extension PublicationFolder {
  /// The folder at a path, or the nearest one above it that exists, and the names below that.
  static func nearest(
    _ path: String
  ) throws(DiskError) -> (folder: OpenFile, missing: [String]) {
    var rest = path
    var missing: [String] = []
    while true {
      do throws(DiskError) {
        return (try OpenFile.folder(rest, creating: false), missing)
      } catch {
        let (parent, name) = LibraryPath.split(rest)
        // As everywhere: no folder is created to go back from it.
        guard error.number == ENOENT, !rest.isEmpty, name != ".." else { throw error }
        if !name.isEmpty, name != "." { missing.insert(name, at: 0) }
        rest = parent.isEmpty && LibraryPath.isAbsolute(rest) ? "/" : parent
      }
    }
  }

  /// Creates folders in each other that everybody can read, whatever the umask.
  static func creating(
    _ names: [String], in folder: OpenFile
  ) throws(DiskError) -> OpenFile {
    var folder = folder
    for name in names {
      let isNew = mkdirat(folder.number, name, 0o755) == 0
      guard isNew || errno == EEXIST else { throw DiskError(errno, "create the folder", name) }
      let child = try OpenFile.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY)
      // Some file systems have no modes.
      if isNew { fchmod(child.number, 0o755) }
      if isNew { try folder.synchronize(name) }
      folder = child
    }
    return folder
  }

  /// Whether a folder is a library, this one or another, or has one in it.
  static func leadsToRecords(_ folder: OpenFile) -> Bool {
    hasRecords(folder) || folder.entries().contains { hasRecords(folder, below: "\($0)/") }
  }

  static func hasRecords(_ folder: OpenFile, below path: String = "") -> Bool {
    [".podget", ".podget.ndjson"].contains { folder.status(of: path + $0) != nil }
  }
}

extension Library {
  /// A server that serves a library serves its records too, with the addresses of private feeds.
  ///
  /// - Parameter names: the folders in the library's own one, of which links lead elsewhere.
  func requireOutside(
    _ folder: OpenFile, _ names: Set<EntryName>, at path: String, exists: Bool
  ) throws(DiskError) {
    func isClear(of library: OpenFile) -> Bool {
      !folder.lies(in: library) && !(exists && library.lies(in: folder))
    }
    let isOutside =
      !(exists && PublicationFolder.leadsToRecords(folder)) && isClear(of: root)
      && names.allSatisfy { name in
        guard root.status(of: name.text)?.is_link == true,
          let linked = try? OpenFile.folder(name.text, in: root, creating: false)
        else { return true }
        return isClear(of: linked)
      }
    guard isOutside else {
      throw DiskError(
        EINVAL, "publish into", path,
        reason: "it is a library, or in one or above one, and its records would be served too; "
          + "choose a folder beside it")
    }
  }
}
