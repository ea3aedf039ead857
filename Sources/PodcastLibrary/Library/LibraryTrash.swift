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
      for item in folder.items where keys.contains(item.key) { item.delete() }
      try? folder.synchronize()
    }
  }

  /// Permanently deletes files of the trash, expired or not.
  ///
  /// - Returns: those that are gone; another process may have been faster.
  package func deleteFromTrash(_ files: [TrashedFile]) -> [TrashedFile] {
    let folders = Dictionary(
      Trash(of: self).contents.folders.map { ($0.path, $0) }
    ) { first, _ in first }
    return files.filter { file in
      // The disk of a folder may be gone by now, and has its files.
      let (folder, name) = LibraryPath.split(file.path)
      return folders[folder].flatMap { TrashFolder.Item(name, in: $0) }?.delete() ?? false
    }
  }

  /// A file in the trash.
  package struct TrashedFile: Sendable, Hashable {
    /// Its path below the library.
    package var path: String
    /// The key of its episode.
    package var key: EpisodeKey
    /// Until when it is kept (UTC).
    package var keptUntil: Date
    /// Its size in bytes.
    package var bytes: Int64
  }

  /// What the trash has, in the order of its terms.
  package var trashedFiles: [TrashedFile] {
    Trash(of: self).contents.items.map {
      TrashedFile(
        path: $0.path, key: $0.key, keptUntil: $0.keptUntil, bytes: $0.status?.size ?? 0)
    }
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
    let items = Dictionary(grouping: trash.items, by: \.key)
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
          let (item, given, part) = try giveBack(episode, as: entry, to: folder, items)
          items[item.key]?.removeAll { $0.path == item.path }
          if let part { copied.append(part) }
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

  /// Gives a file its name in its folder.
  ///
  /// - Returns: the file in the trash, what is to be recorded, and what must be removed after a copy.
  private func giveBack(
    _ episode: LocalEpisode, as recorded: FolderContents.Entry, to folder: OpenFile,
    _ items: [EpisodeKey: [TrashFolder.Item]]
  ) throws(DiskError) -> (TrashFolder.Item, FolderContents.Entry, PartFile?) {
    let plan = episode.plan
    var entry = recorded
    guard let item = Trash.item(of: entry, among: items[entry.key] ?? [])
    else { throw DiskError(ENOENT, "find in the trash", episode.path) }
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
      if case .copied = placement { return (item, entry, part) }
      return (item, entry, nil)
    }
    throw DiskError(EEXIST, "restore", episode.path)
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
