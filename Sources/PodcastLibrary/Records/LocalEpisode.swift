public import FoundationEssentials
public import PodcastModel

/// An episode that the library knows.
///
/// Its content is shared, not copied: a listing moves a hundred thousand of them, and copying all
/// their content would be slow.
public struct LocalEpisode: Sendable, Hashable {
  /// What is on the disk; the raw values are the contract with scripts.
  public enum Status: String, Sendable, Hashable, CaseIterable {
    /// The complete file.
    case complete
    /// Some of its bytes, which `resume` continues.
    case partial
    /// Nothing yet: it is planned, and `resume` downloads it.
    case planned
    /// Nothing: the file existed and is gone.
    case missing
    /// Nothing: the user removed it with podget, which does not download it again automatically.
    /// Listings leave it out.
    case removed

    /// Whether `resume` downloads the rest of it.
    public var isUnfinished: Bool { self == .partial || self == .planned }
  }

  /// The state of the file.
  package struct File: Sendable, Hashable {
    package var status: Status
    package var bytes: Int64
    package var total: Int64?
    package var downloadedAt: Date?
    package var marks = EpisodeMarks()
    package var removedAt: Date?
    /// The inode of the complete file when its folder was read.
    var inode: UInt64?
    /// The bytes of the files beside it, as they are on record; nil if there are none.
    var otherBytes: Int64?
    /// When a file beside it that is not there yet was requested, the longest ago (UTC; 1970 for
    /// never); nil if none is lacking.
    var triedAt: Date?
  }

  private struct Values: Sendable, Hashable {
    var plan: DownloadPlan
    var file: File
    var sha256: String?
  }

  private final class Shared: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }
  }

  private enum Content: Sendable {
    case shared(Shared)
    /// An episode of the index, by its position.
    case packed(PackedEpisodes, Int)
  }

  private var content: Content

  private var values: Values {
    get {
      switch content {
      case .shared(let shared): shared.values
      case .packed(let packed, let row):
        Values(
          plan: packed.rows.plan(of: row), file: packed.rows.facts[row].file,
          sha256: packed.rows.text(.sha256, of: row))
      }
    }
    set { content = .shared(Shared(newValue)) }
  }

  private var file: File {
    get {
      switch content {
      case .shared(let shared): shared.values.file
      case .packed(let packed, let row): packed.rows.facts[row].file
      }
    }
    set { values.file = newValue }
  }

  /// Creates an episode from its plan and the state of its file.
  package init(plan: DownloadPlan, file: File, sha256: String? = nil) {
    content = .shared(Shared(Values(plan: plan, file: file, sha256: sha256)))
  }

  /// An episode of the index.
  package init(_ episodes: PackedEpisodes, row: Int) { content = .packed(episodes, row) }

  /// The episode with its podcast and its key, created on request: a caller that needs only one
  /// property of many episodes asks for that.
  public var plan: DownloadPlan {
    get {
      switch content {
      case .shared(let shared): shared.values.plan
      case .packed(let packed, let row): packed.rows.plan(of: row)
      }
    }
    set { values.plan = newValue }
  }

  /// The file's path relative to the library; for a partial one the planned path.
  public var path: String {
    switch content {
    case .shared(let shared): shared.values.plan.path
    case .packed(let packed, let row): packed.rows.path(of: row)
    }
  }

  /// What is on the disk.
  public var status: Status {
    get {
      switch content {
      case .shared(let shared): shared.values.file.status
      case .packed(let packed, let row): packed.rows.facts[row].file.status
      }
    }
    set { file.status = newValue }
  }

  /// How many bytes are on the disk.
  public var bytes: Int64 {
    get {
      switch content {
      case .shared(let shared): shared.values.file.bytes
      case .packed(let packed, let row): packed.rows.facts[row].file.bytes
      }
    }
    set { file.bytes = newValue }
  }

  /// The size of the complete file, if known.
  public var total: Int64? {
    get { file.total }
    set { file.total = newValue }
  }

  /// The inode of the complete file when its folder was read.
  var inode: UInt64? { file.inode }

  /// The bytes of the files beside it, as they are on record; nil if there are none.
  public var otherBytes: Int64? { file.otherBytes }

  /// Whether a file beside it could not be downloaded yet.
  package var isWanting: Bool { file.triedAt != nil }

  /// When such a file was requested, the longest ago (UTC).
  package var triedAt: Date? { file.triedAt }

  /// When it was finished (UTC).
  public var downloadedAt: Date? { file.downloadedAt }

  /// The SHA-256 at that time in lower-case hex, if it was computed.
  public var sha256: String? {
    get {
      switch content {
      case .shared(let shared): shared.values.sha256
      case .packed(let packed, let row): packed.rows.text(.sha256, of: row)
      }
    }
    set { values.sha256 = newValue }
  }

  /// What a user has said about it.
  package var marks: EpisodeMarks {
    get { file.marks }
    set { file.marks = newValue }
  }

  /// Whether it is a favorite.
  public var isStarred: Bool { file.marks.isStarred }

  /// Whether it was played.
  public var isPlayed: Bool { file.marks.isPlayed }

  /// Where playing continues, in whole seconds; nil is the start.
  public var position: Duration? { file.marks.position }

  /// Whether a person brought it back from the trash or asked for it by name: rules of `sync` leave
  /// it alone until it is removed, played or unstarred.
  package var isKept: Bool { file.marks.isKept }

  /// When the user removed it on purpose (UTC); nil for everything else.
  public var removedAt: Date? {
    get { file.removedAt }
    set { file.removedAt = newValue }
  }
}

/// Properties that listings read for very many episodes, without the others.
extension LocalEpisode {
  /// The stable key of the episode: 32 lower-case hex digits.
  public var key: String {
    switch content {
    case .shared(let shared): shared.values.plan.key
    case .packed(let packed, let row): packed.rows.required(.key, of: row)
    }
  }

  /// The podcast.
  public var podcast: Podcast {
    switch content {
    case .shared(let shared): shared.values.plan.podcast
    case .packed(let packed, let row): packed.rows.podcasts[packed.rows.facts[row].podcast]
    }
  }

  /// The episode as it was published, with what a user has corrected. The words of its feed, which
  /// decide which episode it is, are in its plan.
  public var episode: Episode {
    switch content {
    case .shared(let shared):
      shared.values.file.marks.correction.applied(to: shared.values.plan.episode)
    case .packed(let packed, let row):
      packed.rows.facts[row].file.marks.correction.applied(to: packed.rows.episode(of: row))
    }
  }

  /// Whether a user has corrected it.
  package var isCorrected: Bool { file.marks.correction != EpisodeCorrection() }

  /// The episode's title, or the one that a user gave it.
  public var title: String {
    if let title = file.marks.correction.title { return title }
    return switch content {
    case .shared(let shared): shared.values.plan.episode.title
    case .packed(let packed, let row): packed.rows.required(.title, of: row)
    }
  }

  /// When the episode was published (UTC), or when a user says so, if known.
  public var date: Date? {
    if let date = file.marks.correction.date { return date }
    return switch content {
    case .shared(let shared): shared.values.plan.episode.date
    case .packed(let packed, let row): packed.rows.facts[row].date
    }
  }

  /// The published duration, if known.
  public var duration: Duration? {
    switch content {
    case .shared(let shared): shared.values.plan.episode.duration
    case .packed(let packed, let row): packed.rows.facts[row].duration
    }
  }

  /// What names it for commands: its track id, else its guid.
  package var name: String? {
    switch content {
    case .shared(let shared):
      shared.values.plan.episode.id.map { String($0) } ?? shared.values.plan.episode.guid
    case .packed(let packed, let row):
      packed.rows.facts[row].id.map { String($0) } ?? packed.rows.text(.guid, of: row)
    }
  }

  /// Reads the bytes of the key.
  func withKey<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    switch content {
    case .shared(let shared):
      var key = shared.values.plan.key
      return key.withUTF8(body)
    case .packed(let packed, let row): return packed.rows.withKey(of: row, body)
    }
  }
}

extension LocalEpisode {
  /// Episodes are equal when all their properties are.
  public static func == (first: LocalEpisode, second: LocalEpisode) -> Bool {
    first.values == second.values
  }

  /// Equal episodes have one key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
