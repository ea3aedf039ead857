internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// The complete file of an episode, with the lock of its downloads: no other podget changes it now.
/// Only to look at it, no lock is needed.
struct LockedEpisode {
  typealias Refusal = TagRefusal

  let key: EpisodeKey
  /// The path of the folder below the library.
  let place: RelativePath
  let folder: OpenFile
  let entry: FolderContents.Entry
  let name: EntryName
  let file: PartFile
  /// The file when it was opened.
  let before: podget_file_status
  private let lock: PartFile?

  /// Opens the file of an episode, and locks it.
  ///
  /// - Parameters:
  ///   - partials: where episodes are locked; nil only to look at the file.
  ///   - isReplaced: whether another file is to take its place, which one with two names would outlive.
  init(
    _ key: EpisodeKey, at place: RelativePath, in library: Library, _ partials: PartialFolder?,
    isReplaced: Bool = true
  ) throws(Refusal) {
    let lock: PartFile?
    do throws(DiskError) { lock = try partials?.openPart(key.text) } catch {
      throw .failed(error.podgetError)
    }
    guard partials == nil || lock != nil else {
      throw .failed(PodgetError(.disk, "Another podget is using it."))
    }
    do throws(DiskError) {
      let folder = try OpenFile.folder(place, in: library.root, creating: false)
      guard let entry = try library.entry(key, in: folder, at: place),
        let name = entry.finishedFile, entry.removedAt == nil,
        let status = folder.status(of: name.text)
      else { throw DiskError(ENOENT, "open", place.text, reason: "its file is not there") }
      guard !status.is_link else {
        throw DiskError(ENOTSUP, "tag", name.text, reason: "It is a symbolic link.")
      }
      guard status.links == 1 || !isReplaced else {
        throw DiskError(
          ENOTSUP, "tag", name.text,
          reason: "It has another name too (a hard link), under which it would stay as it is.")
      }
      guard let file = try PartFile.opened(name.text, in: folder) else {
        throw DiskError(EINVAL, "open", name.text, reason: "it is not a regular file")
      }
      (self.key, self.place, self.folder, self.entry) = (key, place, folder, entry)
      (self.name, self.file, self.before, self.lock) = (name, file, try file.status(), lock)
    } catch {
      Self.release(lock)
      throw error.number == ENOTSUP
        ? .leftAlone(error.explanation) : .failed(error.podgetError)
    }
  }

  /// Ends the lock; a file that was created for it only is removed.
  func release() { Self.release(lock) }

  /// Ends a lock.
  static func release(_ lock: PartFile?) {
    if let lock, (try? lock.size()) == 0 { lock.remove() }
  }

  /// Lets another file take the place of the file, durably.
  func replace(with copy: PartFile) throws(DiskError) {
    guard folder.status(of: name.text)?.isUnchanged(since: before) == true else {
      throw DiskError(EBUSY, "replace", name.text, reason: "it is being changed")
    }
    guard try copy.hasItsName() else {
      throw DiskError(EBUSY, "rename", name.text, reason: "another file has replaced the copy")
    }
    _ = try copy.place(as: name.text, in: folder, replacing: true)
    try folder.synchronize(place.text)
  }

  /// Records another version of the file.
  func record(
    _ version: KeptOriginal.Version, _ audio: AudioProof?, at now: Date
  ) throws(DiskError) {
    var entry = entry
    (entry.sha256, entry.bytes, entry.audio) = (version.sha256, version.bytes, audio)
    try FolderRecords.append([FolderFact(.finished, entry, at: now)], in: folder)
  }
}
