internal import CFiles
public import FoundationEssentials

/// An episode that the library knows.
public struct LocalEpisode: Sendable, Hashable {
  /// What lies on the disk; the raw values are the contract with scripts.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// The whole file.
    case complete
    /// Some of its bytes, which `resume` continues.
    case partial
    /// Nothing: the file was there and is gone.
    case missing
    /// Nothing: the user removed it with podget, which does not fetch it again by itself. Listings
    /// leave it out.
    case removed
  }

  /// The episode with its podcast and its key.
  public var plan: DownloadPlan
  /// The file's path relative to the library; of a partial one the planned path.
  public var path: String
  /// What lies on the disk.
  public var status: Status
  /// How many bytes lie on the disk.
  public var bytes: Int64
  /// How many bytes the whole has, when it is known.
  public var total: Int64?
  /// When it was finished (UTC).
  public var downloadedAt: Date?
  /// The SHA-256 at that time in lower-case hex, when it was computed.
  public var sha256: String?
  /// Whether it is a favourite.
  public var isStarred = false
  /// When the user removed it on purpose (UTC); nil for everything else.
  public var removedAt: Date?
}

extension LocalEpisode {
  /// What an entry of a folder comes to now; nil when no file of it was ever finished.
  init?(
    _ entry: FolderContents.Entry, in folder: FileDescriptor, at path: String
  ) {
    guard let file = entry.file else { return nil }
    // A file under the name of one that was never finished is somebody else's.
    let isFinished = entry.removedAt == nil || entry.downloadedAt != nil
    let found = isFinished ? folder.status(of: file).flatMap { $0.is_regular ? $0 : nil } : nil
    let isRemoved = entry.removedAt != nil && found == nil
    self.init(
      plan: DownloadPlan(
        key: entry.key, podcast: entry.podcast.podcast, episode: entry.episode.episode,
        folder: path, file: file),
      path: LibraryPath.join(path, file),
      status: found != nil ? .complete : isRemoved ? .removed : .missing,
      bytes: found?.size ?? 0, total: entry.bytes,
      downloadedAt: entry.downloadedAt.flatMap { Date(timestamp: $0) }, sha256: entry.sha256,
      isStarred: entry.isStarred,
      removedAt: isRemoved ? entry.removedAt.flatMap { Date(timestamp: $0) } : nil)
  }
}

extension DownloadPlan {
  /// The plan that a file on record comes to.
  init(key: String, podcast: Podcast, episode: Episode, folder: String, file: String) {
    let stem = FileName.stem(of: file)
    self.init(
      key: key, podcast: podcast, episode: episode, folder: folder, stem: stem,
      announcedExtension: String(file.dropFirst(stem.count + 1)))
  }
}
