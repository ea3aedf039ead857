import Glibc
import PodcastModel
import PodcastTransfer

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
