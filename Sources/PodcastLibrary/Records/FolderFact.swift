import FoundationEssentials
import PodcastModel
import PodcastTransfer

/// One line of a folder's `.podget.ndjson`: a fact about that folder.
package struct FolderFact: RecordLine, Hashable {
  /// 1 named only the episode's file; 2 names all files of the episode, and says what was received.
  package static let currentVersion = 2

  /// The kind of the line; a reader ignores kinds that it does not know.
  package enum Kind: String, Codable, Sendable {
    /// The folder has episodes of this podcast.
    case podcast
    /// An episode's file was complete and on the disk; also written when it got another name.
    case finished
    /// The episode's file is in another folder now, whose record describes it.
    case moved
    /// The episode became a favorite.
    case starred
    /// The episode is no longer a favorite.
    case unstarred
    /// The user removed the episode's file on purpose; it is not downloaded again automatically.
    case removed
  }

  var fact: String
  package var version = FolderFact.currentVersion
  var key: EpisodeKey?
  var podcast: StoredPodcast
  var episode: StoredEpisode?
  /// The name of the episode's file in this folder, so that the folder may be moved or copied.
  var file: EntryName?
  var bytes: Int64?
  /// The SHA-256 of the file as it is on the disk, in lower-case hex.
  var sha256: String?
  /// What proves that the file's audio is intact when its tags were changed.
  var audio: AudioProof?
  /// The SHA-256 of what a server sent, in lower-case hex: the file may have got tags since.
  var receivedSHA256: String?
  /// Its other files.
  var otherFiles: [EpisodeFile] = []
  var downloadedAt: String?
  /// When a star was added or removed, or a file removed (UTC).
  var at: String?
}

extension FolderFact {
  private enum CodingKeys: String, CodingKey {
    case fact, version, key, podcast, episode, file, bytes, sha256, files, receivedSha256
    case downloadedAt, at
  }

  /// Reads a line; a value that podget never writes is a `RecordProblem`.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    fact = try members.decode(String.self, forKey: .fact)
    version = try members.decode(Int.self, forKey: .version)
    guard Kind(rawValue: fact) != nil else {
      // A newer podget's line may contain anything.
      throw DecodingError.dataCorruptedError(
        forKey: .fact, in: members, debugDescription: "not known")
    }
    key = try members.decodeIfPresent(EpisodeKey.self, forKey: .key)
    podcast = try members.decode(StoredPodcast.self, forKey: .podcast)
    episode = try members.decodeIfPresent(StoredEpisode.self, forKey: .episode)
    if version == 1 {
      file = try members.decodeIfPresent(EntryName.self, forKey: .file)
      bytes = try members.decodeIfPresent(Int64.self, forKey: .bytes)
      sha256 = try members.decodeIfPresent(String.self, forKey: .sha256)
      // The first version did not say whether that was received or found, as by `adopt`.
      receivedSHA256 = nil
    } else {
      var files = try members.decodeIfPresent([EpisodeFile].self, forKey: .files) ?? []
      if let place = files.firstIndex(where: { $0.role == EpisodeFile.media }) {
        let media = files.remove(at: place)
        (file, bytes, sha256) = (media.path, media.bytes, media.sha256)
        audio = media.audio
      }
      otherFiles = files
      receivedSHA256 = try members.decodeIfPresent(String.self, forKey: .receivedSha256)
    }
    downloadedAt = try members.decodeIfPresent(String.self, forKey: .downloadedAt)
    at = try members.decodeIfPresent(String.self, forKey: .at)
    if let bytes, bytes < 0 { throw RecordProblem("\"bytes\" is negative") }
  }

  /// Writes the line in the newest format version.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(fact, forKey: .fact)
    try members.encode(Self.currentVersion, forKey: .version)
    try members.encodeIfPresent(key, forKey: .key)
    try members.encode(podcast, forKey: .podcast)
    try members.encodeIfPresent(episode, forKey: .episode)
    let media = file.map {
      EpisodeFile(
        role: EpisodeFile.media, path: $0, bytes: bytes, sha256: sha256, audio: audio)
    }
    let files = [media].compactMap(\.self) + otherFiles
    if !files.isEmpty { try members.encode(files, forKey: .files) }
    try members.encodeIfPresent(receivedSHA256, forKey: .receivedSha256)
    try members.encodeIfPresent(downloadedAt, forKey: .downloadedAt)
    try members.encodeIfPresent(at, forKey: .at)
  }

  /// The content of the line; nil for kinds that this podget does not know.
  var kind: Kind? { Kind(rawValue: fact) }

  /// A fact about an episode of this folder.
  init(_ kind: Kind, _ entry: FolderContents.Entry, at date: Date) {
    self.init(
      fact: kind.rawValue, key: entry.key, podcast: entry.podcast, episode: entry.episode,
      file: entry.file, bytes: entry.bytes, sha256: entry.sha256,
      // Lines of other kinds say nothing about the file.
      audio: kind == .finished ? entry.audio : nil,
      receivedSHA256: entry.receivedSHA256, otherFiles: entry.otherFiles,
      downloadedAt: entry.downloadedAt, at: date.timestamp)
  }
}
