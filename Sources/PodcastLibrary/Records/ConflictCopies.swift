internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// Copies of a folder's record that a synchronizer made because two machines wrote to it at once.
///
/// Lines that are states may come in any order, so a copy is merged by adding its lines. Lines of
/// earlier versions count only if they say that they are later than what the record says.
extension FolderRecords {
  /// The most copies that are looked at in one folder, and the most bytes of all of them together.
  /// The others wait until these are merged.
  private static let mostCopies = 100
  private static let mostCopiedBytes: Int64 = 64 << 20

  /// The names of the copies in a folder, as Syncthing (`.podget.sync-conflict-20260101-120000-ABCDEFG
  /// .ndjson`), Dropbox and Nextcloud (`.podget (conflicted copy 2026-01-01 120000).ndjson`,
  /// `.podget_conflict-20260101-120000.ndjson`) make them. Any other file is nobody's copy.
  static func conflictCopies(in folder: OpenFile) -> [String] {
    var left = mostCopiedBytes
    var copies: [String] = []
    for name in folder.entries() where copies.count < mostCopies && isConflictCopy(name) {
      guard let status = folder.status(of: name), status.is_regular else { continue }
      // One that is too large for itself is refused when it is read.
      if status.size <= mostCopiedBytes {
        guard status.size <= left else { continue }
        left -= status.size
      }
      copies.append(name)
    }
    return copies
  }

  /// Whether a file is a copy of a record, by its name.
  ///
  /// - Parameter stem: the name of the record without its ending.
  static func isConflictCopy(_ name: String, of stem: String = ".podget") -> Bool {
    guard name != "\(stem).ndjson", name.hasPrefix(stem), name.hasSuffix(".ndjson") else {
      return false
    }
    let middle = name.dropFirst(stem.count).dropLast(".ndjson".count)
    return middle.hasPrefix(".sync-conflict-") || middle.hasPrefix("_conflict-")
      || middle.hasPrefix(" (") && middle.hasSuffix(")")
        && middle.lowercased().contains("conflicted copy")
  }

  /// The lines of copies that the record does not have, to be read after it.
  ///
  /// - Parameters:
  ///   - copies: the names of the copies.
  ///   - own: the lines of the record.
  ///   - onError: called for each copy that cannot be read.
  /// - Returns: nil if there is no line of podget in any copy.
  static func read(
    _ copies: [String], in folder: OpenFile, besides own: [FolderFact],
    onError: (DiskError) -> Void
  ) -> [FolderFact]? {
    var known = Set(own)
    var contents = FolderContents(own)
    var added: [FolderFact] = []
    var isCopy = false
    for name in copies {
      do throws(DiskError) {
        let lines = try log(named: name, in: folder, limit: mostCopiedBytes).reading().lines
        if !lines.isEmpty { isCopy = true }
        let new = lines.filter { !contents.isNewer(than: $0) && known.insert($0).inserted }
        contents.add(new)
        added += new
      } catch {
        onError(error.at("read", name))
      }
    }
    return isCopy ? added : nil
  }

  /// Adds the lines of a copy that the record does not have, and then removes the copy.
  ///
  /// - Returns: whether it was merged. It is left alone if none of its lines is podget's, while
  ///   another process has its lock, and if somebody replaced it or the record in the meantime.
  static func merge(_ copy: String, in folder: OpenFile) throws(DiskError) -> Bool {
    let other = try OpenFile.ownFile(copy, in: folder, limit: mostCopiedBytes)
    // Some file systems cannot lock a file that is only read.
    guard flock(other.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return false }
    guard let before = other.status else { throw DiskError(errno, "examine", copy) }
    let lines = try other.readAll(copy, limit: mostCopiedBytes)
    guard try log(in: folder).absorb(lines), try folder.remove(copy, ifStill: before) else {
      return false
    }
    try folder.synchronize(copy)
    return true
  }
}

extension FolderContents {
  /// Whether a line of a conflict copy must not change what these contents say.
  ///
  /// A line of an earlier version says at most when something happened. After a removal here, a
  /// copy from before it would bring the episode back.
  fileprivate func isNewer(than fact: FolderFact) -> Bool {
    guard fact.state == nil, let kind = fact.kind else { return false }
    guard kind != .podcast else { return podcast != nil }
    guard let key = fact.key, let entry = entry(key) else { return false }
    guard let at = RecordTime(event: fact.at) else { return true }
    switch kind {
    case .starred, .unstarred: return at <= entry.parts.star.time
    case .removed:
      let finished = RecordTime(event: entry.downloadedAt) ?? .never
      return at <= max(entry.parts.removal.time, finished)
    case .podcast, .finished, .moved: return true
    }
  }
}

extension RecordLog where Line == FolderFact {
  /// Adds the lines of another file of the same kind that are not here yet, byte for byte: what cannot
  /// be understood too. Lines that are older than what is here are left out.
  ///
  /// - Returns: whether all is on the disk under the name of this file now. False also if no line
  ///   is podget's; then nothing is added.
  func absorb(_ lines: Data) throws(DiskError) -> Bool {
    let decoder = JSONDecoder()
    func fact(_ line: Data.SubSequence) -> FolderFact? {
      guard line.count <= FolderRecords.maximumLineBytes else { return nil }
      return try? decoder.decode(FolderFact.self, from: Data(line))
    }
    let others = lines.split(separator: 0x0A).map { (line: $0, fact: fact($0)) }
    guard others.contains(where: { $0.fact != nil }) else { return false }
    let (file, status) = try lockedFile { false }
    let own = try file.readAll(name, limit: maximumBytes)
    let ownLines = own.split(separator: 0x0A)
    let contents = FolderContents(ownLines.compactMap(fact))
    var known = Set(ownLines.map { Array($0) })
    var data = Data()
    for (line, fact) in others {
      if let fact, contents.isNewer(than: fact) { continue }
      guard known.insert(Array(line)).inserted else { continue }
      data.append(line)
      data.append(0x0A)
    }
    guard Int64(own.count + data.count) < maximumBytes else {
      throw OpenFile.tooLarge(name, maximumBytes)
    }
    if !data.isEmpty, !own.isEmpty, own.last != 0x0A { data.insert(0x0A, at: data.startIndex) }
    do throws(DiskError) {
      try file.writeAll(data, name)
      // Also if nothing is added: another process may not have synced it.
      try file.synchronize(name)
      try folder.synchronize(name)
    } catch {
      ftruncate(file.number, off_t(status.size))
      throw error
    }
    // A synchronizer may have replaced it in the meantime.
    return folder.status(of: name)?.isSameFile(as: status) ?? false
  }
}

extension Library {
  /// Merges copies of records that synchronizers left, which a reading found and has read. A command
  /// that changes records does so first.
  ///
  /// - Returns: the reading, with a notice about each folder.
  public func merged(_ reading: LibraryReading) -> LibraryReading {
    guard !reading.conflicts.isEmpty else { return reading }
    var merged = reading
    let notices = mergeConflictCopies(in: reading.conflicts)
    for folder in reading.conflicts { try? follow(from: folder, to: reading.episodes) }
    merged.conflicts = []
    if !notices.isEmpty {
      merged.notice = ([reading.notice].compactMap(\.self) + notices).joined(separator: " ")
    }
    return merged
  }

  /// Takes what another machine said of episodes in the record of a folder that their files have
  /// left to where they are now.
  private func follow(
    from path: RelativePath, to episodes: [LocalEpisode]
  ) throws(DiskError) {
    let folder = try OpenFile.folder(path, in: root, creating: false)
    // The other machine may also have brought back the record of a folder that is over here.
    let left = FolderContents(try FolderRecords.read(in: folder), in: folder).entries.filter {
      $0.fileStatus(in: folder) == nil
    }
    guard !left.isEmpty else { return }
    let parts = Dictionary(left.map { ($0.key.text, $0.parts) }) { first, _ in first }
    let moved = Dictionary(
      grouping: episodes.filter { parts[$0.key] != nil && $0.plan.file.folder != path },
      by: \.plan.file.folder)
    for (place, episodes) in moved {
      let folder = try OpenFile.folder(place, in: root, creating: false)
      var facts: [FolderFact] = []
      for episode in episodes {
        guard let left = parts[episode.key],
          var entry = try entry(episode.plan.episodeKey, in: folder, at: place),
          entry.parts.follow(left)
        else { continue }
        facts.append(entry.remark(at: Date()))
      }
      if !facts.isEmpty { try FolderRecords.append(facts, in: folder) }
    }
  }

  /// Merges copies of records that synchronizers left.
  ///
  /// - Parameter folders: the folders with such copies.
  /// - Returns: a sentence for the user about each folder.
  private func mergeConflictCopies(in folders: [RelativePath]) -> [String] {
    folders.compactMap { path in
      let place = "\(self.path)/\(LibraryPath.join(path.text, FolderRecords.name))"
      var merged = 0
      var failure: DiskError?
      do throws(DiskError) {
        let folder = try OpenFile.folder(path, in: root, creating: false)
        for copy in FolderRecords.conflictCopies(in: folder) {
          do throws(DiskError) {
            if try FolderRecords.merge(copy, in: folder) { merged += 1 }
          } catch {
            failure = failure ?? error
          }
        }
      } catch {
        failure = error
      }
      if let failure {
        return "A conflict copy of \(place) cannot be merged: \(failure.explanation)."
      }
      switch merged {
      case 0: return nil
      case 1: return "A conflict copy of \(place) was merged into it."
      default: return "\(merged) conflict copies of \(place) were merged into it."
      }
    }
  }
}
