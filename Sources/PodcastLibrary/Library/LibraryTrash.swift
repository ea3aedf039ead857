internal import CFiles
public import FoundationEssentials
import Glibc
public import PodcastModel
import PodcastTransfer

extension Library {
  /// Permanently deletes files that have expired in the trash, both now and at an earlier check: a
  /// clock that is wrong once deletes nothing.
  public func emptyTrash(at now: Date) {
    Trash(existingIn: root)?.deleteDue(at: now)
  }

  /// Permanently deletes the files of removed episodes, expired or not.
  public func deleteFromTrash(_ episodes: [LocalEpisode]) {
    guard let trash = Trash(existingIn: root) else { return }
    let keys = Set(episodes.map(\.plan.episodeKey))
    for item in trash.items where keys.contains(item.key) { trash.delete(item) }
  }

  /// A file in the trash.
  package struct TrashedFile: Sendable, Hashable {
    /// Its path below the library.
    package var path: String
    /// The key of its episode.
    package var key: EpisodeKey
    /// Until when it is kept (UTC).
    package var keptUntil: Date
  }

  /// What the trash has, in the order of its terms.
  package var trashedFiles: [TrashedFile] {
    (Trash(existingIn: root)?.items ?? []).map {
      TrashedFile(
        path: LibraryPath.join(Trash.path, $0.name), key: $0.key, keptUntil: $0.keptUntil)
    }
  }

  /// Restores a removed episode from the trash to its place, under another name if its own is
  /// taken.
  ///
  /// If the trash has several versions of it, the recorded one is restored, otherwise the one that
  /// was removed last. A version of another length is recorded as it is, without a checksum.
  ///
  /// - Returns: the episode as it is now, complete.
  /// - Throws: a ``PodgetError``: `notFound` when it is no longer in the trash, `disk` and
  ///   `diskFull` when the disk fails.
  public func restore(_ episode: LocalEpisode, at now: Date) throws(PodgetError) -> LocalEpisode {
    do throws(DiskError) {
      guard let trash = Trash(existingIn: root) else {
        throw DiskError(ENOENT, "find in the trash", episode.path)
      }
      return try restore(episode, from: trash, at: now)
    } catch {
      guard error.number == ENOENT else { throw error.podgetError }
      throw PodgetError(
        .notFound, "It is not in the trash any more.", remedy: .downloadAgain)
    }
  }

  private func restore(
    _ episode: LocalEpisode, from trash: Trash, at now: Date
  ) throws(DiskError) -> LocalEpisode {
    let plan = episode.plan
    let folder = try OpenFile.folder(plan.folder, in: root, creating: true)
    guard
      var entry = try entry(plan.episodeKey, in: folder, at: plan.file.folder),
      let item = trash.item(of: entry)
    else { throw DiskError(ENOENT, "find in the trash", episode.path) }
    let ending = plan.announcedExtension.isEmpty ? "" : ".\(plan.announcedExtension)"
    for suffix in EpisodeIdentity.nameEndings(plan.key) {
      guard let file = EntryName("\(plan.stem)\(suffix)\(ending)") else { continue }
      let name = file.text
      guard try trash.giveBack(item, as: name, to: folder) else { continue }
      let bytes = folder.status(of: name)?.size ?? 0
      // With the same length it is the recorded version, which may be damaged: the checksum shows
      // that.
      if bytes != entry.bytes { (entry.bytes, entry.sha256, entry.audio) = (bytes, nil, nil) }
      entry.file = file
      // A kill before this line is harmless: a file that exists is not removed.
      try FolderRecords.append([FolderFact(.finished, entry, at: now)], in: folder)
      var restored = episode
      restored.status = .complete
      restored.plan = plan.with(file: PlannedFile(folder: plan.file.folder, file: file))
      (restored.bytes, restored.total, restored.sha256) = (bytes, bytes, entry.sha256)
      restored.removedAt = nil
      return restored
    }
    throw DiskError(EEXIST, "restore", episode.path)
  }
}
