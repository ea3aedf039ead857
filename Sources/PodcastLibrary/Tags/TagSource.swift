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
