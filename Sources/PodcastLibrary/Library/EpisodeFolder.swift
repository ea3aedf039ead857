import Glibc
import PodcastModel
import PodcastTransfer

extension Library {
  /// Opens the folder of episodes to write there, and creates it if there is none. Whatever writes files
  /// or records of episodes opens their folder here. It blocks on the disk.
  ///
  /// - Throws: a ``DiskError``, also for a folder that is empty although episodes were complete in it:
  ///   its disk is not mounted, and what is written there would hide what is on that disk.
  func episodeFolder(_ path: RelativePath) throws(DiskError) -> OpenFile {
    func existing(_ path: RelativePath) -> OpenFile? {
      try? OpenFile.folder(path, in: root, creating: false)
    }
    if let folder = existing(path), folder.status(of: FolderRecords.name) != nil { return folder }
    var place = path
    while place != .library, existing(place) == nil, let parent = place.split?.folder {
      place = parent
    }
    // Few folders are empty, so the library is rarely read here.
    if place != .library, existing(place)?.isEmptyFolder() == true,
      let emptied = reading().emptied(around: path)
    {
      throw DiskError(ENOENT, "use", emptied.folder.text, reason: emptied.reason)
    }
    return try OpenFile.folder(path, in: root, creating: true)
  }
}
