internal import CFiles
import FoundationEssentials

extension LocalEpisode {
  /// What an entry of a folder comes to now; nil when no file of it was ever finished.
  init?(
    _ entry: FolderContents.Entry, in folder: FileDescriptor, at path: RelativePath
  ) {
    guard let file = entry.file else { return nil }
    let found = entry.finishedFile.flatMap { folder.status(of: $0.text) }
      .flatMap { $0.is_regular ? $0 : nil }
    let isRemoved = entry.removedAt != nil && found == nil
    self.init(
      plan: DownloadPlan(
        key: entry.key, podcast: entry.podcast.podcast, episode: entry.episode.episode,
        file: PlannedFile(folder: path, file: file)),
      file: File(
        status: found != nil ? .complete : isRemoved ? .removed : .missing,
        bytes: found?.size ?? 0, total: entry.bytes,
        downloadedAt: entry.downloadedAt.flatMap { Date(timestamp: $0) },
        isStarred: entry.isStarred,
        removedAt: isRemoved ? entry.removedAt.flatMap { Date(timestamp: $0) } : nil),
      sha256: entry.sha256)
  }
}
