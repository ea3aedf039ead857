internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// Files that somebody renamed or moved inside the library, without podget.
extension Library {
  /// Every local episode, like ``episodes()``, but finds files that are missing at their recorded
  /// places.
  ///
  /// A file without a record is a missing one if its length and its SHA-256 match; only files of
  /// the same length are read. A file that a killed `rename` has moved is found by its list of
  /// moves, even if it has changed since the download. If no file is missing, nothing is searched.
  ///
  /// - Parameters:
  ///   - query: the requested episodes. If one of these is missing, all are read.
  ///   - recording: whether the record is updated with the new place. If it cannot be, on a
  ///     read-only disk, that is not a failure.
  ///   - isEnough: whether these episodes are enough; if not, all are read.
  public func locatedReading(
    of query: EpisodeQuery = .all, recording: Bool = true,
    isEnough: ([LocalEpisode]) -> Bool = { _ in true }
  ) -> LibraryReading {
    locatedReading(of: query, recording: recording, at: nil, isEnough: isEnough)
  }

  /// The same at the moment of an earlier reading.
  package func locatedReading(
    of query: EpisodeQuery, recording: Bool, at moment: LibraryMoment?,
    isEnough: ([LocalEpisode]) -> Bool = { _ in true }
  ) -> LibraryReading {
    let reading = reading(query, at: moment) { episodes in
      !episodes.contains { $0.status == .missing } && isEnough(episodes)
    }
    return located(reading, recording: recording)
  }

  /// The episodes of ``locatedReading(of:recording:isEnough:)``.
  public func locatedEpisodes(recording: Bool = true) -> [LocalEpisode] {
    locatedReading(recording: recording).episodes
  }

  /// A reading with the missing files that are found.
  func located(_ reading: LibraryReading, recording: Bool) -> LibraryReading {
    var reading = recording ? merged(reading) : reading
    reading.episodes = located(reading.episodes, beside: reading.copies, recording: recording)
    return reading
  }

  private func located(
    _ episodes: [LocalEpisode], beside copies: [LocalEpisode], recording: Bool
  ) -> [LocalEpisode] {
    var episodes = episodes
    findInterrupted(&episodes, isRecording: recording)
    // Many short episodes have the same length, so the checksums are not compared one by one.
    var missing: [Int64: [String: [Int]]] = [:]
    // Backwards, so that the first one of equal files is at the end.
    for place in episodes.indices.reversed() where episodes[place].status == .missing {
      let episode = episodes[place]
      guard let total = episode.total, let sha256 = episode.sha256 else { continue }
      missing[total, default: [:]][sha256, default: []].append(place)
    }
    guard !missing.isEmpty else { return episodes }
    let recorded = Set(
      (episodes + copies).lazy.filter { $0.status == .complete }
        .compactMap { RelativePath($0.path) })
    walk(root, at: "") { folder, path, name, size in
      guard missing[size] != nil, let place = RelativePath(LibraryPath.join(path, name)),
        !recorded.contains(place), let (folderPath, fileName) = place.split,
        let file = try? folder.mediaFile(name),
        let sha256 = try? file.sha256(name),
        let found = missing[size]?[sha256]?.popLast()
      else { return }
      let old = episodes[found]
      episodes[found] = old.located(at: PlannedFile(folder: folderPath, file: fileName))
      if recording { try? record(old, in: folder, at: folderPath, as: fileName) }
    }
    return episodes
  }

  /// Records that a file is in another place now: first there, so that it is always in at least one
  /// record.
  ///
  /// - Parameter interrupted: the move of podget in which it was, so that the files beside it move,
  ///   too. If nil, a person has moved it, and those files only if they are there.
  func record(
    _ local: LocalEpisode, in folder: OpenFile, at path: RelativePath, as name: EntryName,
    interrupted: ListedMove? = nil
  ) throws(DiskError) {
    let (key, home) = (local.plan.episodeKey, local.plan.file.folder)
    let before = Result { () throws(DiskError) in
      try OpenFile.folder(home, in: root, creating: false)
    }
    // The folder may have been emptied, and then has no record to correct.
    let recorded = Result { () throws(DiskError) in try entry(key, in: before.get(), at: home) }
    let known = (try? recorded.get()) ?? nil
    var moved = known ?? FolderContents.Entry(planned: local)
    if moved.sha256 != local.sha256 { moved.audio = nil }
    (moved.bytes, moved.sha256) = (local.total, local.sha256)
    moved.downloadedAt = local.downloadedAt?.timestamp
    // What was recorded since the reading stays.
    if known?.file == nil {
      moved.set(local.marks)
      moved.removedAt = nil
    }
    var others = BelongingMoves(source: (try? before.get()) ?? folder, target: folder)
    var moves: [BelongingMoves.Move] = []
    if !moved.otherFiles.isEmpty {
      others.left = try OwnedNames(in: others.source)
      others.owned = try OwnedNames(in: folder)
      others.movedSince = interrupted?.began
      (moved.otherFiles, moves) = others.follow(moved, to: name, isMoving: interrupted != nil)
      try folder.synchronize(path.text)
    }
    let there = path == home ? nil : try entry(key, in: folder, at: path)?.parts ?? EpisodeParts()
    try FolderRecords.append(
      moved.arrival(as: name, after: path == home ? known : nil, over: there), in: folder)
    others.removeCopied(moves)
    guard path != home, try entry(key, in: folder, at: path)?.file == name else { return }
    // Two paths may be one folder if they differ in the Unicode form.
    guard try !before.get().isSameFolder(as: folder), let left = try recorded.get() else { return }
    try FolderRecords.append([left.departure], in: try before.get())
  }
}

extension Library {
  /// Visits all visible files; only links to podcasts' folders are followed, so that a loop cannot
  /// occur.
  private func walk(
    _ folder: OpenFile, at path: String,
    _ visit: (_ folder: OpenFile, _ path: String, _ name: String, _ size: Int64) -> Void
  ) {
    for name in folder.entries() where !name.hasPrefix(".") {
      let below = LibraryPath.join(path, name)
      // The same depth as for reading the library; each level has an open folder.
      guard RelativePath(below) != nil, let status = folder.mediaStatus(of: name) else { continue }
      if status.is_regular {
        visit(folder, path, name, status.size)
      } else if let child = try? OpenFile.open(
        name, in: folder, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      {
        walk(child, at: below, visit)
      } else if path.isEmpty, let child = try? folder.linkedFolder(name) {
        walk(child, at: name, visit)
      }
    }
  }
}

extension LocalEpisode {
  /// The same episode with its complete file in another place.
  func located(at file: PlannedFile) -> LocalEpisode {
    var local = self
    local.plan = plan.with(file: file)
    local.status = .complete
    local.bytes = total ?? bytes
    return local
  }
}
