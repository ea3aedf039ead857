internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// Copies of a folder's record that a synchronizer made because two machines wrote to it at once.
///
/// All lines of both are true, and they may come in any order, so a copy is merged by adding its lines.
extension FolderRecords {
  /// The most copies that are looked at in one folder.
  private static let mostCopies = 100

  /// The names of the copies in a folder, as Syncthing (`.podget.sync-conflict-20260101-120000-ABCDEFG
  /// .ndjson`), Dropbox and Nextcloud (`.podget (conflicted copy 2026-01-01 120000).ndjson`,
  /// `.podget_conflict-20260101-120000.ndjson`) make them. Any other file is nobody's copy.
  static func conflictCopies(in folder: OpenFile) -> [String] {
    let names = folder.entries().filter(isConflictCopy).sorted()
    return Array(names.prefix(mostCopies))
  }

  /// Whether a file is a copy of a record, by its name.
  static func isConflictCopy(_ name: String) -> Bool {
    guard name != self.name, name.hasPrefix(".podget"), name.hasSuffix(".ndjson") else {
      return false
    }
    let middle = name.dropFirst(".podget".count).dropLast(".ndjson".count)
    return middle.hasPrefix(".sync-conflict-") || middle.hasPrefix("_conflict-")
      || middle.hasPrefix(" (") && middle.hasSuffix(")")
        && middle.lowercased().contains("conflicted copy")
  }

  /// The lines of copies that the record does not have, to be read after it.
  static func read(
    _ copies: [String], in folder: OpenFile, besides own: [FolderFact]
  ) throws(DiskError) -> [FolderFact] {
    var known = Set(own)
    var added: [FolderFact] = []
    for name in copies {
      for fact in try log(named: name, in: folder).reading().lines
      where known.insert(fact).inserted {
        added.append(fact)
      }
    }
    return added
  }

  /// Adds the lines of a copy that the record does not have, and then removes the copy.
  static func merge(_ copy: String, in folder: OpenFile) throws(DiskError) {
    let other = try OpenFile.ownFile(copy, in: folder, limit: maximumBytes)
    guard let before = other.status else { throw DiskError(errno, "examine", copy) }
    let lines = try other.readAll(copy, limit: maximumBytes)
    try log(in: folder).absorb(lines)
    // A synchronizer may have replaced it in the meantime.
    guard let now = folder.status(of: copy), now.isSameFile(as: before), now.size == before.size
    else { return }
    unlinkat(folder.number, copy, 0)
    try folder.synchronize(copy)
  }
}

extension RecordLog {
  /// Adds the lines of another file of the same kind that are not here yet, byte for byte: what cannot
  /// be understood too.
  func absorb(_ lines: Data) throws(DiskError) {
    let (file, status) = try lockedFile { false }
    let own = try file.readAll(name, limit: maximumBytes)
    var known = Set(own.split(separator: 0x0A).map { Array($0) })
    var data = Data()
    for line in lines.split(separator: 0x0A) {
      let line = Array(line)
      guard known.insert(line).inserted else { continue }
      data.append(contentsOf: line)
      data.append(0x0A)
    }
    guard !data.isEmpty else { return }
    guard Int64(own.count + data.count) <= maximumBytes else {
      throw OpenFile.tooLarge(name, maximumBytes)
    }
    if !own.isEmpty, own.last != 0x0A { data.insert(0x0A, at: data.startIndex) }
    do throws(DiskError) {
      try file.writeAll(data, name)
      try file.synchronize(name)
      try folder.synchronize(name)
    } catch {
      ftruncate(file.number, off_t(status.size))
      throw error
    }
  }
}

extension Library {
  /// Merges copies of records that synchronizers left.
  ///
  /// - Parameter folders: the folders with such copies.
  /// - Returns: a sentence for the user about each folder.
  func mergeConflictCopies(in folders: [RelativePath]) -> [String] {
    folders.compactMap { path in
      let place = "\(self.path)/\(LibraryPath.join(path.text, FolderRecords.name))"
      do throws(DiskError) {
        let folder = try OpenFile.folder(path, in: root, creating: false)
        let copies = FolderRecords.conflictCopies(in: folder)
        for copy in copies { try FolderRecords.merge(copy, in: folder) }
        guard !copies.isEmpty else { return nil }
        return copies.count == 1
          ? "A conflict copy of \(place) was merged into it."
          : "\(copies.count) conflict copies of \(place) were merged into it."
      } catch {
        return "A conflict copy of \(place) cannot be merged: \(error.explanation)."
      }
    }
  }
}
