public import PodcastModel

/// A file of the library as its folder's records describe it.
///
/// It is read from the records themselves, never from an index: an index may be wrong.
public struct RecordedFile: Sendable, Hashable {
  /// The episode; its folder, stem and extension are those of the recorded name.
  public var plan: DownloadPlan
  /// The name in the plan's folder.
  public var name: String
  /// The length in bytes at the time of the record, if it was recorded.
  public var bytes: Int64?
  /// The SHA-256 at that time in lower-case hex; nil for a download without a checksum.
  public var sha256: String?

  /// What proves that its audio is intact when its tags were changed.
  package var audio: AudioProof?

  /// Whether it is a file beside the episode's.
  package var isBelonging = false
  /// The SHA-256 of what a server sent, if that is known; podget may have tagged the file since.
  package var receivedSHA256: String?

  /// The path relative to the library.
  public var path: String { LibraryPath.join(plan.folder, name) }

  /// Whether a file with this length and checksum is not the recorded one.
  func differs(bytes: Int64, sha256: String) -> Bool {
    if let wanted = self.bytes, wanted != bytes { return true }
    return self.sha256.map { $0.lowercased() != sha256 } ?? false
  }

  /// Nil for an episode that was never finished.
  package init?(_ entry: FolderContents.Entry, in folder: RelativePath) {
    guard let file = entry.finishedFile else { return nil }
    plan = DownloadPlan(
      key: entry.key, podcast: entry.podcast.podcast, episode: entry.episode.episode,
      file: PlannedFile(folder: folder, file: file))
    name = file.text
    bytes = entry.bytes
    sha256 = entry.sha256
    audio = entry.audio
    receivedSHA256 = entry.receivedSHA256
  }

  /// A file beside that of an episode.
  init(_ file: EpisodeFile, beside media: Self) {
    plan = media.plan
    name = file.path.text
    bytes = file.bytes
    sha256 = file.sha256
    isBelonging = true
  }
}
