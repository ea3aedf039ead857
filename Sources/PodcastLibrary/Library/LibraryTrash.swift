internal import CFiles
public import FoundationEssentials
import Glibc
public import PodcastModel
import PodcastTransfer
import Synchronization

extension Library {
  /// Permanently deletes files that have expired in the trash, both now and at an earlier check: a
  /// clock that is wrong once deletes nothing.
  public func emptyTrash(at now: Date) {
    Trash(of: self).deleteDue(at: now)
  }

  /// Permanently deletes the files of removed episodes, expired or not.
  public func deleteFromTrash(_ episodes: [LocalEpisode]) {
    let keys = Set(episodes.map(\.plan.episodeKey))
    for folder in Trash(of: self).contents.folders {
      for item in folder.all where keys.contains(item.key) { item.delete() }
      try? folder.synchronize()
    }
    forgetTags(of: keys)
  }

  /// Permanently deletes files of the trash, expired or not.
  ///
  /// - Returns: those that are gone; another process may have been faster.
  package func deleteFromTrash(_ files: [TrashedFile]) -> [TrashedFile] {
    let folders = Dictionary(
      Trash(of: self).contents.folders.map { ($0.path, $0) }
    ) { first, _ in first }
    let all = folders.mapValues { Dictionary(grouping: $0.all, by: \.term) }
    let deleted = files.filter { file in
      // The disk of a folder may be gone by now, and has its files.
      let (folder, name) = LibraryPath.split(file.path)
      guard let item = folders[folder].flatMap({ TrashFolder.Item(name, in: $0) }) else {
        return false
      }
      for other in all[folder]?[item.term] ?? [] where other.role != nil { other.delete() }
      return item.delete()
    }
    forgetTags(of: deleted.map(\.key))
    return deleted
  }

  /// A file in the trash, with those that were beside it.
  package struct TrashedFile: Sendable, Hashable {
    /// Its path below the library.
    package var path: String
    /// The key of its episode.
    package var key: EpisodeKey
    /// Until when it is kept (UTC).
    package var keptUntil: Date
    /// Its size and that of those beside it, in bytes.
    package var bytes: Int64
  }

  /// What the trash has, in the order of its terms.
  package var trashedFiles: [TrashedFile] {
    var files: [TrashedFile] = []
    var places: [String: Int] = [:]
    // Those of an episode come first.
    let all = Trash(of: self).contents.all
    for item in all.filter({ $0.role == nil }) + all.filter({ $0.role != nil }) {
      let term = "\(item.holder.path)/\(item.term)"
      let bytes = item.status?.size ?? 0
      if item.role != nil, let place = places[term] {
        files[place].bytes = ByteSum.of([files[place].bytes, bytes])
        continue
      }
      places[term] = files.endIndex
      files.append(
        TrashedFile(path: item.path, key: item.key, keptUntil: item.keptUntil, bytes: bytes))
    }
    return files
  }

  /// Which files of the trash cannot be restored now, in a sentence: those on disks that are not there.
  /// Nil if there are none.
  ///
  /// - Parameter now: the time of day (UTC).
  package func absentTrash(at now: Date) -> String? {
    sentence(about: Trash(of: self).contents.absent.filter { $0.until > now }.map(\.place))
  }

  private func sentence(about places: [RelativePath]) -> String? {
    guard let first = places.first else { return nil }
    return places.count == 1
      ? "The disk of \(path)/\(first) is not there, so the files in its trash cannot be restored now."
      : "The disks of \(places.count) folders, such as \(path)/\(first), are not there, so the files in "
        + "their trash cannot be restored now."
  }

  /// Restores a removed episode from the trash; see the function for several.
  ///
  /// - Returns: the episode as it is now, complete.
  /// - Throws: a ``PodgetError``: `notFound` when it is no longer in the trash, `disk` and
  ///   `diskFull` when the disk fails.
  public func restore(_ episode: LocalEpisode, at now: Date) throws(PodgetError) -> LocalEpisode {
    guard let restored = restore([episode], at: now).first else { return episode }
    return try restored.get()
  }

  /// Restores removed episodes from the trash to their places, under other names if their own are
  /// taken.
  ///
  /// If the trash has several versions of one, the recorded one is restored, otherwise the one that
  /// was removed last. A version of another length is recorded as it is, without a checksum. The
  /// trash is listed once, and the records of a folder are written together.
  ///
  /// - Returns: the episodes as they are now, complete, in order. Those that are no longer in the
  ///   trash are failures with the code `notFound`, and those that the disk refuses have the codes
  ///   `disk` and `diskFull`.
  public func restore(
    _ episodes: [LocalEpisode], at now: Date
  ) -> [Result<LocalEpisode, PodgetError>] {
    guard !episodes.isEmpty else { return [] }
    let trash = Trash(of: self).contents
    let items = Dictionary(grouping: trash.all, by: \.key)
    let wanted = episodes.indices.filter { items[episodes[$0].plan.episodeKey] != nil }
    let absent = trash.absent.filter { $0.until > now }.map(\.place)
    let unrestored = episodes.map { episode in
      let disk = absent.filter { episode.plan.file.folder.isSame(orIn: $0) }
      return Result<LocalEpisode, PodgetError>.failure(
        sentence(about: disk).map { PodgetError(.notFound, $0) }
          ?? PodgetError(
            .notFound,
            episode.isOnlyPlayed
              ? "It was never downloaded, only marked as played."
              : "It is not in the trash any more.",
            remedy: .downloadAgain))
    }
    let folders = wanted.map { episodes[$0] }.byFolder
    let results = Mutex(unrestored)
    let left = Mutex(items)
    DiskPool.forEach(below: folders.count, isParallel: episodes.haveOwnKeys) { number in
      var rest = folders[number].places.map { wanted[$0] }[...]
      while !rest.isEmpty {
        let some = rest.prefix(Self.restoredTogether)
        rest = rest.dropFirst(some.count)
        let keys = Set(some.map { episodes[$0].plan.episodeKey })
        var own = left.withLock { left in
          keys.reduce(into: [:]) { own, key in own[key] = left.removeValue(forKey: key) }
        }
        let restored = restore(some.map { episodes[$0] }, &own, at: now)
        // A copy of an episode in another folder may have another file here.
        left.withLock { left in left.merge(own) { _, own in own } }
        results.withLock { results in
          for (place, result) in zip(some, restored) {
            switch result {
            case .success(let episode): results[place] = .success(episode)
            case .failure(let error) where error.number == ENOENT: break
            case .failure(let error): results[place] = .failure(error.podgetError)
            }
          }
        }
      }
    }
    return results.withLock(\.self)
  }

  /// How many episodes of a folder are recorded together when they are restored.
  private static var restoredTogether: Int { 1000 }

  /// Restores episodes of one folder.
  private func restore(
    _ episodes: [LocalEpisode], _ items: inout [EpisodeKey: [TrashFolder.Item]], at now: Date
  ) -> [Result<LocalEpisode, DiskError>] {
    guard let place = episodes.first?.plan.file.folder else { return [] }
    do throws(DiskError) {
      let folder = try episodeFolder(place)
      let known = try entries(episodes.map(\.plan.episodeKey), in: folder, at: place)
      var copied: [PartFile] = []
      var facts: [FolderFact] = []
      let restored = episodes.map { episode in
        Result { () throws(DiskError) in
          guard let entry = known[episode.plan.episodeKey] else {
            throw DiskError(ENOENT, "find in the trash", episode.path)
          }
          let (given, used, parts) = try giveBack(episode, as: entry, to: folder, items)
          items[entry.key]?.removeAll { used.contains($0.path) }
          copied += parts
          var kept = given
          kept.isKept = true
          // A kill before this line is harmless: a file that exists is not removed.
          facts.append(FolderFact(.finished, kept, at: now))
          return episode.restored(as: kept)
        }
      }
      try folder.synchronize(place.text)
      for part in copied { part.remove() }
      if !facts.isEmpty { try FolderRecords.append(facts, in: folder) }
      return restored
    } catch {
      return episodes.map { _ in .failure(error) }
    }
  }

  /// Gives a file its name in its folder, and first those that were beside it: a kill in between
  /// leaves the episode removed, and the next call finds them there.
  ///
  /// - Returns: what is to be recorded, the files of the trash that are back, and those of them that
  ///   must be removed after a copy.
  private func giveBack(
    _ episode: LocalEpisode, as recorded: FolderContents.Entry, to folder: OpenFile,
    _ items: [EpisodeKey: [TrashFolder.Item]]
  ) throws(DiskError) -> (FolderContents.Entry, Set<String>, [PartFile]) {
    let plan = episode.plan
    var entry = recorded
    let all = items[entry.key] ?? []
    guard let item = Trash.item(of: entry, among: all.filter { $0.role == nil })
    else { throw DiskError(ENOENT, "find in the trash", episode.path) }
    var used: Set<String> = [item.path]
    var copied: [PartFile] = []
    let roles = TrashFolder.roles(of: entry.otherFiles)
    entry.otherFiles = zip(entry.otherFiles, roles).compactMap { file, role in
      let found = all.filter { $0.role == role && $0.hasEnding(of: file) }
      // A killed removal was repeated with another term.
      guard
        let other = found.first(where: { $0.term == item.term })
          ?? found.last(where: { $0.isRecorded(as: file) }),
        let back = other.giveBack(beside: plan.file, of: entry.key, as: file.path, to: folder)
      else {
        // One that a person has deleted stays so, and a killed restoration has given one back already;
        // anything else with its name is somebody else's.
        let isOwn = folder.status(of: file.path.text) == nil || folder.has(file)
        return isOwn ? file : nil
      }
      used.insert(other.path)
      if let part = back.copied { copied.append(part) }
      var restored = file
      restored.path = back.name
      return restored
    }
    let ending = plan.announcedExtension.isEmpty ? "" : ".\(plan.announcedExtension)"
    for suffix in EpisodeIdentity.nameEndings(plan.key) {
      guard let name = EntryName("\(plan.stem)\(suffix)\(ending)") else { continue }
      let (placement, part) = try item.giveBack(as: name.text, to: folder)
      if case .taken = placement { continue }
      let bytes = folder.mediaStatus(of: name.text)?.size ?? 0
      // With the same length it is the recorded version, which may be damaged: the checksum shows
      // that.
      if bytes != entry.bytes { (entry.bytes, entry.sha256, entry.audio) = (bytes, nil, nil) }
      entry.file = name
      if case .copied = placement { copied.append(part) }
      return (entry, used, copied)
    }
    throw DiskError(EEXIST, "restore", episode.path)
  }
}

extension OpenFile {
  /// Whether a file in this folder has the name and the bytes that are on record.
  fileprivate func has(_ file: EpisodeFile) -> Bool {
    let name = file.path.text
    guard let sha256 = file.sha256, let found = try? mediaFile(name) else { return false }
    return (try? found.sha256(name)) == sha256
  }
}

extension TrashFolder.Item {
  /// Gives a file that was beside an episode's back to it, under its own name if that is free.
  ///
  /// - Returns: its name, and the file here if it was copied; nil if that is not possible: then it
  ///   stays in the trash.
  fileprivate func giveBack(
    beside media: PlannedFile, of key: EpisodeKey, as recorded: EntryName, to folder: OpenFile
  ) -> (name: EntryName, copied: PartFile?)? {
    guard let planned = EntryName("\(media.stem).\(media.fileExtension)") else { return nil }
    let names =
      [recorded]
      + BelongingName.candidates(
        beside: planned, key: key, ending: BelongingName.ending(of: recorded))
    for name in names where folder.status(of: name.text) == nil {
      guard let (placement, part) = try? giveBack(as: name.text, to: folder) else { return nil }
      switch placement {
      case .taken: continue
      case .renamed: return (name, nil)
      case .copied: return (name, part)
      }
    }
    return nil
  }
}

extension LocalEpisode {
  /// The same episode, complete and as it is on record.
  fileprivate func restored(as entry: FolderContents.Entry) -> LocalEpisode {
    var restored = self
    restored.status = .complete
    if let file = entry.file {
      restored.plan = plan.with(file: PlannedFile(folder: plan.file.folder, file: file))
    }
    (restored.bytes, restored.total, restored.sha256) = (
      entry.bytes ?? 0, entry.bytes, entry.sha256
    )
    restored.removedAt = nil
    restored.marks = entry.marks
    return restored
  }
}
