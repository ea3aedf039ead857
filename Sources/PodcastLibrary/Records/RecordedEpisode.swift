internal import CFiles
import FoundationEssentials
package import PodcastModel
package import PodcastTransfer

extension FolderContents.Entry {
  /// The file with its name in the folder; nil if that is not its own file.
  ///
  /// After a removal a file of the recorded length is its own, which a killed podget had not
  /// removed yet. Any other was created since, and is not podget's.
  func fileStatus(in folder: OpenFile) -> podget_file_status? {
    guard let file = finishedFile, let status = folder.mediaStatus(of: file.text) else {
      return nil
    }
    guard removedAt == nil || status.is_regular && status.size == bytes else { return nil }
    return status
  }

  /// Whether its file is a link.
  func isLink(in folder: OpenFile) -> Bool {
    file.map { folder.status(of: $0.text)?.is_link == true } ?? false
  }
}

extension LocalEpisode {
  /// The result of an entry of a folder now; nil when its file was never finished.
  package init?(
    _ entry: FolderContents.Entry, in folder: OpenFile, at path: RelativePath
  ) {
    guard let file = entry.file else { return nil }
    let found = entry.fileStatus(in: folder).flatMap { $0.is_regular ? $0 : nil }
    let isRemoved = entry.removedAt != nil && found == nil
    self.init(
      plan: DownloadPlan(
        key: entry.key, podcast: entry.podcast.podcast, episode: entry.episode.episode,
        file: PlannedFile(folder: path, file: file)),
      file: File(
        status: found != nil ? .complete : isRemoved ? .removed : .missing,
        bytes: found?.size ?? 0, total: entry.bytes,
        downloadedAt: entry.downloadedAt.flatMap { Date(timestamp: $0) },
        marks: entry.marks,
        removedAt: isRemoved ? entry.removedAt.flatMap { Date(timestamp: $0) } : nil,
        inode: found?.inode,
        otherBytes: entry.otherFiles.isEmpty ? nil : ByteSum.of(entry.otherFiles.map(\.bytes)),
        triedAt: entry.wanted.filter { !$0.isHopeless && !entry.has($0.kind) }
          .map { $0.tried ?? Date(timeIntervalSince1970: 0) }.min()),
      sha256: entry.sha256)
  }
}

extension LocalEpisode {
  /// Whether a download overrides this very removal.
  package func isOverridden(by partial: PartialRecord?) -> Bool {
    isOverridden(by: partial?.overridesRemoval)
  }

  /// Whether a download that overrides the removal of a time overrides this very one.
  func isOverridden(by time: String?) -> Bool { time.map { $0 == removalTime } ?? false }

  /// The time of its removal, in the format of records; nil when it was not removed.
  package var removalTime: String? { status == .removed ? removedAt?.timestamp ?? "" : nil }
}
