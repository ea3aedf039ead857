internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
internal import PodcastSystem
import PodcastTransfer

/// A folder as the index knows it.
package struct KnownFolder: Sendable, Hashable {
  /// The row's number.
  var id: Int64
  /// The path below the library, empty for the library itself.
  var path: RelativePath
  /// The text of its ``FolderStamp`` when it was read; nil if a later change might have the same.
  var stamp: String?
  /// The text of its ``FolderTrace``; nil if it must be read as a whole.
  var trace: String?
}

/// A folder as it was read from the disk.
struct ScannedFolder: Sendable {
  var path: RelativePath
  /// As in ``KnownFolder``. Taken before anything was read, so that a change during the reading
  /// shows the next time.
  var stamp: String?
  var trace: FolderTrace?
  /// All its episodes; for a folder of which only new lines were read, those that changed.
  var episodes: [LocalEpisode]
  /// The lines that were read, by the keys in them.
  var lines: [IndexedLine] = []
  /// Lines that were read before, and say nothing any more.
  var superseded: [IndexedLine] = []
  /// The keys of the episodes that new lines are about; nil if the folder was read as a whole.
  var touched: Set<EpisodeKey>?
  /// Files that are there, and that its record named once and does not name now.
  var lost: [EntryName] = []
}

/// Where a record says something about an episode.
struct IndexedLine: Sendable, Hashable {
  /// The number of the episode's key.
  var key: Int64
  var place: LinePlace
}

/// The differences between the index and the disk.
package struct FolderChanges: Sendable {
  /// The folders that are gone.
  var gone: [KnownFolder] = []
  /// The folders that are new or changed, by their paths.
  var scanned: [ScannedFolder] = []
  /// Folders that cannot be read: their records are unknown now, and their old state stays in the
  /// index.
  var unreadable: [DiskError] = []
  /// Records and folders with refused parts, which podget never writes; the rest counts.
  var refused: [DiskError] = []
  /// The folders of both, whose episodes may be others than the index knows.
  var incomplete: [RelativePath] = []
  /// Folders whose records have conflict copies.
  var conflicts: [RelativePath] = []
  /// Empty folders without even a record, and links without a target.
  var empty: [RelativePath] = []

  var isEmpty: Bool { gone.isEmpty && scanned.isEmpty }

  /// The episodes of the folders that were read.
  var episodes: UniqueEpisodes {
    UniqueEpisodes(scanned.flatMap(\.episodes))
  }
}

/// Checks the folders of a library and reads those that are new or changed. Each other folder costs
/// one `stat` for itself and one for its record.
package struct FolderScan {
  let root: OpenFile
  /// The time of day in nanoseconds since 1970.
  var now = Int64(Date().timeIntervalSince1970 * 1_000_000_000)

  /// Compares the disk with what is known; if nothing is known, reads everything.
  ///
  /// - Parameter tails: reads only what was added to a record, where that is enough.
  func changes(since known: [KnownFolder], _ tails: FolderTails? = nil) -> FolderChanges {
    var left: [RelativePath: KnownFolder] = [:]
    var children: [RelativePath: [RelativePath]] = [:]
    for folder in known {
      left[folder.path] = folder
      if let parent = folder.path.split?.folder { children[parent, default: []] += [folder.path] }
    }
    var changes = FolderChanges()
    var unknown: Set<RelativePath> = []
    var seen: Set<RelativePath> = []
    var linkTargets: Set<[Int64]> = []
    // The stamp of a link does not show changes of its target.
    var waiting = linkedFolders() + [RelativePath.library]
    while let path = waiting.popLast() {
      guard seen.insert(path).inserted else { continue }
      do throws(DiskError) {
        guard let (stamp, isLink) = try stamp(of: path) else {
          if left[path] != nil, root.status(of: path.text)?.is_link == true {
            changes.empty.append(path)
          }
          continue
        }
        // Two links to one folder would list it twice.
        let target = [stamp.folder.device, stamp.folder.inode]
        if isLink, !linkTargets.insert(target).inserted { continue }
        if let known = left[path], stamp.isEqual(to: known.stamp) {
          waiting += children[path] ?? []
        } else if let known = left[path],
          let found = tails?.reading(of: known, stamp, by: self, before: left.values)
        {
          if let folder = found.folder { changes.scanned.append(folder) }
          waiting += found.subfolders ?? children[path] ?? []
        } else {
          waiting += try read(path, stamp, &changes, tails)
        }
        left[path] = nil
      } catch {
        waiting += children[path] ?? []
        let isKnown = left.removeValue(forKey: path) != nil
        if !isKnown { unknown.insert(path) }
        // Folders that never had episodes are not podget's, such as `lost+found`.
        if isKnown || error.path.hasSuffix(FolderRecords.name) || !error.isForbidden {
          changes.unreadable.append(error)
          changes.incomplete.append(path)
        }
      }
    }
    changes.gone = Array(left.values)
    // A folder that the index does not know is found only through its parent.
    let parents = Set(unknown.compactMap { $0.split?.folder })
    for index in changes.scanned.indices where parents.contains(changes.scanned[index].path) {
      (changes.scanned[index].stamp, changes.scanned[index].trace) = (nil, nil)
    }
    changes.scanned.sort { $0.path.text < $1.path.text }
    return changes
  }
}

extension FolderScan {
  /// The stamp of a folder whose stamp is no longer the known one; nil for any other, and for links.
  func changedStamp(of known: KnownFolder) -> FolderStamp? {
    guard let (stamp, isLink) = (try? stamp(of: known.path)) ?? nil, !isLink,
      !stamp.isEqual(to: known.stamp)
    else { return nil }
    return stamp
  }

  /// The links in the library's own folder, the first of them last.
  private func linkedFolders() -> [RelativePath] {
    let names = (try? root.links()) ?? []
    return names.compactMap(EntryName.init).sorted { $0.text > $1.text }
      .compactMap { RelativePath.library.appending($0) }
  }

  /// Nil for what is no longer a folder or never was, and for links that are not followed.
  private func stamp(
    of path: RelativePath
  ) throws(DiskError) -> (stamp: FolderStamp, isLink: Bool)? {
    guard var status = root.status(of: path.text.isEmpty ? "." : path.text) else {
      guard errno == ENOENT || errno == ENOTDIR else {
        throw DiskError(errno, "examine", path.text)
      }
      return nil
    }
    let isLink = status.is_link
    if isLink {
      guard path.split?.folder == .library, let folder = try? root.linkedFolder(path.text),
        let target = folder.status
      else { return nil }
      status = target
    }
    guard status.is_folder else { return nil }
    let records = root.status(of: LibraryPath.join(path.text, FolderRecords.name))
    return (FolderStamp(folder: FileStamp(status), records: records.map { FileStamp($0) }), isLink)
  }

  /// Reads a folder and returns its subfolders.
  private func read(
    _ path: RelativePath, _ stamp: FolderStamp, _ changes: inout FolderChanges,
    _ tails: FolderTails?
  ) throws(DiskError) -> [RelativePath] {
    let folder = try OpenFile.folder(path, in: root, creating: false)
    let isLocal = !OperatingSystem.mayBeRemote(folder.number)
    var stampText = stamp.isSettled(at: now, isLocal: isLocal) ? stamp.text : nil
    var subfolders: [RelativePath] = []
    let listing: FolderListing
    do throws(DiskError) {
      // Before the files are looked at: a change between the two shows the next time.
      listing = try FolderListing(folder)
    } catch {
      throw error.at("list", path.text)
    }
    for name in listing.subfolders.compactMap(EntryName.init) {
      if let below = path.appending(name) {
        subfolders.append(below)
      } else {
        changes.refused.append(
          DiskError(
            ENAMETOOLONG, "list", path.text,
            reason: "folders are nested too deep or have names that are too long"))
      }
    }
    let name = LibraryPath.join(path.text, FolderRecords.name)
    do throws(DiskError) {
      let log = FolderRecords.log(in: folder)
      let record = try log.existing()
      let status = record?.status
      let reading =
        try record.map { record throws(DiskError) in try log.reading(of: record) }
        ?? RecordLog.Reading()
      if let refusal = reading.refusal {
        changes.refused.append(DiskError(EINVAL, "use all of", name, reason: refusal))
        changes.incomplete.append(path)
        // It must be reported every time.
        stampText = nil
      }
      var lines = reading.lines
      let copies = listing.hasCopies ? FolderRecords.conflictCopies(in: folder) : []
      var refused: [DiskError] = []
      let added = FolderRecords.read(copies, in: folder, besides: lines) { error in
        refused.append(error.at("read", LibraryPath.join(path.text, error.path)))
      }
      if let added {
        lines += added
        changes.conflicts.append(path)
      }
      changes.refused += refused
      if !refused.isEmpty { changes.incomplete.append(path) }
      // Until they are merged, and to report them every time.
      if added != nil || !refused.isEmpty { stampText = nil }
      let contents = FolderContents(lines, in: folder)
      let episodes = contents.entries.compactMap { LocalEpisode($0, in: folder, at: path) }
      // What a link leads to changes without the folder.
      let hasLinks = listing.hasLinks && contents.entries.contains { $0.isLink(in: folder) }
      if hasLinks { stampText = nil }
      if stamp.records == nil, folder.isEmptyFolder() { changes.empty.append(path) }
      var scanned = ScannedFolder(path: path, stamp: stampText, episodes: episodes)
      scanned.lost = tails?.lostFiles(of: path, besides: contents, in: folder) ?? []
      // What depends on more than single lines is read as a whole each time.
      if let record, let status, reading.refusal == nil, !reading.isTorn, copies.isEmpty,
        scanned.lost.isEmpty, !hasLinks, !contents.hasOtherForms, !contents.hasSharedFiles
      {
        scanned.trace = FolderTrace(
          record, status, end: reading.end, wholeEnd: reading.end, stamp.folder, listing.names,
          middle: listing.middle, at: now, isLocal: isLocal)
      }
      if scanned.trace != nil { scanned.lines = reading.indexedLines }
      changes.scanned.append(scanned)
      return subfolders
    } catch {
      throw error.at("read", name)
    }
  }
}
