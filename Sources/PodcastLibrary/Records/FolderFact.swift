import FoundationEssentials
import PodcastModel
import PodcastTransfer

/// One line of a folder's `.podget.ndjson`: the state of one episode there, and the event that led to
/// it, which is all that earlier versions say and read.
package struct FolderFact: RecordLine, Hashable {
  /// 1 named only the episode's file; 2 names all files of the episode, and says what was received; 3
  /// is the whole state of the episode, with the times of its parts.
  package static let currentVersion = 3

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
  package var version = 2
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
  /// The state of the episode; nil in lines of earlier versions.
  var state: EpisodeParts?
  /// Who wrote the line.
  var writer: String?
}

extension FolderFact {
  private enum CodingKeys: String, CodingKey {
    case fact, version, key, podcast, episode, file, bytes, sha256, files, receivedSha256
    case downloadedAt, at, written, writer, times, starred, removedAt
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
    guard version >= 3, let written = try? members.decode(String.self, forKey: .written),
      let written = RecordTime(written), written > .never
    else { return }
    writer = try? members.decode(String.self, forKey: .writer)
    let older = (try? members.decode([String: String].self, forKey: .times)) ?? [:]
    /// A part is never later than its line.
    func time(of part: String) -> RecordTime {
      guard let text = older[part] else { return written }
      return min(RecordTime(text) ?? .never, written)
    }
    var state = EpisodeParts()
    state.file = time(of: EpisodeParts.fileName)
    if let isStarred = try members.decodeIfPresent(Bool.self, forKey: .starred) {
      state.star = EpisodeParts.Part(isStarred, time(of: CodingKeys.starred.rawValue))
    }
    if members.contains(.removedAt) {
      state.removal = EpisodeParts.Part(
        try members.decodeIfPresent(String.self, forKey: .removedAt),
        time(of: CodingKeys.removedAt.rawValue))
    }
    let names = try decoder.container(keyedBy: MemberName.self)
    for name in names.allKeys where CodingKeys(rawValue: name.stringValue) == nil {
      guard let value = try? names.decode(RecordValue.self, forKey: name) else {
        // It could not be written again, so the line stays, as one of a newer podget does.
        version = max(version, Self.currentVersion + 1)
        continue
      }
      state.others[name.stringValue] = EpisodeParts.Part(value, time(of: name.stringValue))
    }
    self.state = state
  }

  /// Writes the line in the newest format version.
  package func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(fact, forKey: .fact)
    // Without a state it is a line of events, which needs no newer reader.
    try members.encode(state == nil ? 2 : Self.currentVersion, forKey: .version)
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
    guard let state else { return }
    let written = state.latest
    try members.encode(written.text, forKey: .written)
    try members.encodeIfPresent(writer, forKey: .writer)
    try members.encode(state.star.value, forKey: .starred)
    try members.encode(state.removal.value, forKey: .removedAt)
    var times = [
      EpisodeParts.fileName: state.file, CodingKeys.starred.rawValue: state.star.time,
      CodingKeys.removedAt.rawValue: state.removal.time,
    ]
    var names = encoder.container(keyedBy: MemberName.self)
    for (name, part) in state.others where CodingKeys(rawValue: name) == nil {
      times[name] = part.time
      try names.encode(part.value, forKey: MemberName(name))
    }
    let older = times.filter { $0.value != written }.mapValues { $0 == .never ? "" : $0.text }
    if !older.isEmpty { try members.encode(older, forKey: .times) }
  }

  /// The content of the line; nil for kinds that this podget does not know.
  var kind: Kind? { Kind(rawValue: fact) }

  /// The name of any member.
  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// What a line says of an episode apart from its file, and since when each part is so. Of two lines
/// about one episode the later part counts, so that lines may come in any order.
package struct EpisodeParts: Sendable, Hashable {
  /// A part with its time.
  package struct Part<Value: Sendable & Hashable>: Sendable, Hashable {
    var value: Value
    var time: RecordTime

    init(_ value: Value, _ time: RecordTime = .never) { (self.value, self.time) = (value, time) }
  }

  /// The name of the file's time.
  static let fileName = "file"

  /// Since when the file is the one of the line, or none.
  var file = RecordTime.never
  /// Whether the episode is a favorite.
  var star = Part(false)
  /// When the episode was removed on purpose; nil if it is not removed.
  var removal = Part(String?.none)
  /// What else is said, by the names of its members: what was played, and what a newer podget says.
  var others: [String: Part<RecordValue>] = [:]

  /// Makes what moves to another folder's record later than what that record has.
  mutating func arrive(over there: Self) {
    if star.value || max(star.time, there.star.time) > .never {
      // Later than the departure from the other folder.
      star.time = max(star.time.following, there.star.time).following
    }
    for (name, part) in others {
      guard let known = there.others[name], known.time >= part.time else { continue }
      others[name]?.time = known.time.following
    }
  }

  /// Takes the star and the removal away when the file leaves a folder. The star's time stays, but
  /// for a moment: only a star of another machine may be later than this and than the arrival.
  mutating func leave(over there: Self) {
    if star.value || max(star.time, there.star.time) > .never {
      star = Part(false, max(star.time, there.star.time).following)
    }
    removal.value = nil
  }

  /// Takes what was said later in the record of a folder that the file has left, by another machine
  /// which did not know of that. A removal is not taken: the file is here.
  ///
  /// - Returns: whether anything was said later.
  mutating func follow(_ left: Self) -> Bool {
    let before = self
    // Earlier versions give the star the time of the departure itself.
    if left.star.time > star.time, !left.star.time.isOfEvent, left.star.time != left.file {
      star = left.star
    }
    for (name, part) in left.others where part.time > others[name]?.time ?? .never {
      others[name] = part
    }
    return self != before
  }

  /// Leaves only the times that lines of states say.
  mutating func forgetTimesOfEvents() {
    if file.isOfEvent { file = .never }
    if star.time.isOfEvent { star.time = .never }
    if removal.time.isOfEvent { removal.time = .never }
  }

  /// When the latest part was written.
  var latest: RecordTime {
    others.values.lazy.map(\.time).reduce(max(file, star.time, removal.time), max)
  }
}
