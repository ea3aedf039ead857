internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// The removal of some episodes of one folder: the folder's records are read once, and written and
/// synced once.
struct RemovalBatch {
  /// An episode that is locked and may be removed.
  struct Removal {
    /// Its entry in the folder's record.
    var entry: FolderContents.Entry
    /// Its planned file, for an episode that was never finished.
    var plannedFile: EntryName?
    /// Its partial bytes, or an empty file that was created to lock it.
    let part: PartFile

    /// The recorded episode, now that it is locked; nil if it is not on record.
    init(of episode: LocalEpisode, as recorded: FolderContents.Entry?, part: PartFile) {
      entry = recorded ?? FolderContents.Entry(planned: episode)
      plannedFile = RelativePath(episode.plan.path)?.split?.name
      self.part = part
    }

    /// Ends the lock; a file that was created for it only is removed.
    func release() {
      if (try? part.size()) == 0 { part.remove() }
    }
  }

  let partials: PartialFolder
  let path: String
  private let library: Library
  let place: RelativePath
  private let folder: OpenFile
  private let trash: TrashFolder?
  private let keptUntil: Date?

  /// Opens the folder; with `keptUntil` its files go to the trash, otherwise they are deleted.
  init(library: Library, folder path: RelativePath, keptUntil: Date?) throws(DiskError) {
    self.path = path.text
    (self.library, place) = (library, path)
    self.keptUntil = keptUntil
    partials = try PartialFolder(library: library.root)
    let folder = try library.episodeFolder(path)
    self.folder = folder
    trash = try keptUntil.map { keptUntil throws(DiskError) in
      try Trash(of: library).folder(for: folder, at: path, keptUntil: keptUntil)
    }
  }

  /// What the folder's record has of episodes now, by their keys. The record is not read as a whole:
  /// it may have very many others.
  func entries(
    of episodes: [LocalEpisode]
  ) throws(DiskError) -> [EpisodeKey: FolderContents.Entry] {
    try library.entries(episodes.map(\.plan.episodeKey), in: folder, at: place)
  }

  /// Whether it was removed before, and nothing of it was downloaded since.
  func isGone(_ removal: Removal) -> Bool {
    removal.entry.removedAt != nil && !removal.entry.isOnlyListed && !hasFile(removal)
      && (try? partials.read(removal.entry.key.text)) == .some(nil)
  }

  /// Records the removals, unless they are already recorded.
  func record(_ removals: [Removal], at now: Date) throws(DiskError) {
    let facts = removals.filter { !isGone($0) }.map { removal in
      var entry = removal.entry
      entry.file = entry.file ?? removal.plannedFile
      return FolderFact(.removed, entry, at: now)
    }
    try append(facts)
  }

  /// Adds lines to the folder's record.
  func append(_ facts: [FolderFact]) throws(DiskError) {
    if !facts.isEmpty { try FolderRecords.append(facts, in: folder) }
  }

  /// Which record of the folder names which file, apart from the episodes that are removed; none if
  /// nothing with files beside it is removed.
  func ownedNames(for removals: [Removal]) throws(DiskError) -> OwnedNames {
    guard removals.contains(where: { !$0.entry.otherFiles.isEmpty }) else { return OwnedNames() }
    return try OwnedNames(in: folder, without: Set(removals.map(\.entry.key)))
  }

  /// Removes the file with those beside it, and the partial bytes.
  ///
  /// - Parameter owned: the names of ``ownedNames(for:)``.
  func removeFiles(_ removal: Removal, _ owned: OwnedNames) throws(DiskError) {
    let key = removal.entry.key.text
    let file = hasFile(removal) ? removal.entry.finishedFile?.text : nil
    // After a removal, files beside an episode that is gone were created since. Without its file they
    // could not be restored from the trash, so they stay.
    let mayGo = file != nil || removal.entry.removedAt == nil && keptUntil == nil
    let others = mayGo ? others(of: removal, owned) : []
    if let keptUntil {
      try trash?.take(file, with: others, from: folder, key: key, keptUntil: keptUntil)
    } else {
      for (_, name) in others { try unlink(name) }
      if let file { try unlink(file) }
    }
    // Bytes without a record are worthless, so a kill between these two leaves nothing that would
    // be continued.
    partials.removeRecord(key)
    removal.part.remove()
  }

  /// Deletes the bytes before anything is recorded, and keeps the lock.
  func makeRoom(_ removal: Removal) {
    if let file = removal.entry.finishedFile, hasFile(removal) {
      unlinkat(folder.number, file.text, 0)
    }
    try? removal.part.truncate(to: 0)
  }

  /// Makes the new names of the files durable.
  func synchronize() throws(DiskError) {
    try trash?.synchronize()
    try folder.synchronize(path)
  }

  /// The files beside it that no other record names, with what they are.
  private func others(
    of removal: Removal, _ owned: OwnedNames
  ) -> [(role: String, name: String)] {
    let entry = removal.entry
    return zip(TrashFolder.roles(of: entry.otherFiles), entry.otherFiles).compactMap { role, file in
      guard let status = folder.status(of: file.path.text), status.is_regular || status.is_link,
        owned.isFree(file.path, for: entry.key)
      else { return nil }
      return (role, file.path.text)
    }
  }

  private func hasFile(_ removal: Removal) -> Bool {
    removal.entry.fileStatus(in: folder)?.is_regular == true
  }

  private func unlink(_ file: String) throws(DiskError) {
    guard unlinkat(folder.number, file, 0) != 0, errno != ENOENT else { return }
    throw DiskError(errno, "delete", file)
  }
}
