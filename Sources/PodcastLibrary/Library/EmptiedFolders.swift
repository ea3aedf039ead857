internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// A folder that is empty, although episodes were complete in it or below it before and are nowhere
/// else now: most likely its disk is not mounted any more.
struct EmptiedFolder: Sendable, Hashable {
  var path: RelativePath
  /// How many episodes were complete.
  var count: Int

  /// What is wrong, after the name of the folder.
  var reason: String {
    "is empty, although its record lists \(count == 1 ? "1 file" : "\(count) files"): mount the disk that "
      + "it is on, or remove the folder to forget them"
  }
}

extension FolderChanges {
  /// Ignores everything about folders that are empty because their disks are missing, and returns
  /// those folders: their state in the index stays.
  ///
  /// - Parameter complete: the episodes that the index knows as complete, with their folders.
  mutating func takeEmptied(
    _ complete: [(folder: RelativePath, key: String)]
  ) -> [EmptiedFolder] {
    var touched: [RelativePath: Set<String>] = [:]
    for folder in scanned {
      touched[folder.path] = folder.touched.map { Set($0.lazy.map(\.text)) }
    }
    let changed = Set(scanned.lazy.filter { $0.touched == nil }.map(\.path))
      .union(gone.map(\.path))
    var elsewhere = Set(
      scanned.flatMap(\.episodes).lazy.filter { $0.status == .complete }.map(\.key))
    elsewhere.formUnion(
      complete.lazy.filter { episode in
        !changed.contains(episode.folder)
          && touched[episode.folder]?.contains(episode.key) != true
      }.map(\.key))
    let found = empty.compactMap { path -> EmptiedFolder? in
      let lost = Set(
        complete.lazy.filter { $0.folder.isSame(orIn: path) }.map(\.key).filter {
          !elsewhere.contains($0)
        })
      return lost.isEmpty ? nil : EmptiedFolder(path: path, count: lost.count)
    }
    scanned.removeAll { folder in found.contains { folder.path.isSame(orIn: $0.path) } }
    gone.removeAll { folder in found.contains { folder.path.isSame(orIn: $0.path) } }
    return found
  }
}

extension Library {
  /// A folder that is empty, or a link that leads nowhere, and of which no index has to know: a disk may
  /// not be mounted there. It reads all records.
  package func emptyFolder() -> String? {
    FolderScan(root: root).changes(since: []).empty.first { $0 != .library }?.text
      ?? (try? root.links())?.first { faccessat(root.number, $0, F_OK, 0) != 0 }
  }

  /// Opens the folder of episodes to write there, and creates it if there is none. Whatever writes files
  /// or records of episodes opens their folder here. It blocks on the disk.
  ///
  /// - Throws: a ``DiskError``, also for a folder that is empty although episodes were complete in it:
  ///   its disk is not mounted, and what is written there would hide what is on that disk.
  func episodeFolder(_ path: RelativePath) throws(DiskError) -> OpenFile {
    func existing(_ path: RelativePath) -> OpenFile? {
      try? OpenFile.folder(path, in: root, creating: false)
    }
    if let folder = existing(path), folder.status(of: FolderRecords.name) != nil { return folder }
    var place = path
    while place != .library, existing(place) == nil, root.status(of: place.text)?.is_link != true,
      let parent = place.split?.folder
    {
      place = parent
    }
    // Few folders are empty, or links that lead nowhere, so the library is rarely read here.
    if place != .library, existing(place)?.isEmptyFolder() ?? true,
      let emptied = reading().emptied(around: path)
    {
      throw DiskError(ENOENT, "use", emptied.folder.text, reason: emptied.reason)
    }
    return try OpenFile.folder(path, in: root, creating: true)
  }
}
