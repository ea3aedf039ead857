internal import CFiles
import Glibc
import PodcastModel
import PodcastTransfer

/// A file that gets tags: one of the library, or one that is about to come into it.
struct TagSource: Sendable {
  let key: EpisodeKey
  /// The path of its folder below the library.
  let place: RelativePath
  let folder: OpenFile
  let name: EntryName
  let file: PartFile
  let bytes: Int64
  /// Whether people and programs know the file already.
  let isKnown: Bool

  /// A file of the library.
  init(_ episode: LockedEpisode) {
    (key, place, folder) = (episode.key, episode.place, episode.folder)
    (name, file, bytes) = (episode.name, episode.file, episode.before.size)
    isKnown = true
  }

  /// A file that waits for its name. Its folder is created if it is not there.
  init(_ order: Committer.Order, in library: Library) throws(DiskError) {
    let plan = order.plan
    guard let name = EntryName("\(plan.stem).\(order.fileExtension)") else {
      throw DiskError(ENAMETOOLONG, "tag", plan.stem)
    }
    (key, place) = (plan.episodeKey, plan.file.folder)
    folder = try library.episodeFolder(place)
    // What looks at a file from anywhere must not be able to change it.
    (self.name, file, bytes) = (name, try order.part.forReading(), order.bytes)
    isKnown = false
  }
}

/// A copy of a file with its tags, under a hidden name in the file's folder. What gives back the file is
/// on the disk already.
package struct TaggedCopy: Sendable {
  let file: PartFile
  let kept: KeptOriginal
  /// What proves that its audio is intact.
  let audio: AudioProof?
  /// The names of what was missing.
  let added: [String]
  /// What it did not get, in a sentence.
  package let omission: String?
  let tags: TagFolder

  /// Makes sure that it still has its name, before it gets the file's.
  func requireName() throws(DiskError) {
    guard try file.hasItsName() else {
      throw DiskError(EBUSY, "rename", kept.file.text, reason: "another file has replaced the copy")
    }
  }

  /// Keeps what gives back the file, after the copy has its name and is on record.
  func noteRecorded() throws(DiskError) { try tags.move(kept.key, from: .new, to: .undo) }

  /// Ends the work on it; it is removed unless it has the file's name.
  package func end() {
    if (try? file.hasItsName()) == true {
      tags.remove(kept.key, .new)
      file.remove()
    }
    tags.end(kept.key)
  }
}
