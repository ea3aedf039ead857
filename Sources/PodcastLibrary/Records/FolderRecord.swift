internal import CFiles
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// The record of one folder, for additions that depend on its content: nothing is added after lines
/// that were not read.
struct FolderRecord: Sendable {
  /// How often an addition is retried because another process has written to the record.
  private static let attempts = 100

  let folder: OpenFile
  /// The content of the record at the last read.
  private(set) var contents = FolderContents([])
  private var file: OpenFile.Status?

  /// Reads the record of a folder; a folder may have none.
  init(in folder: OpenFile) throws(DiskError) {
    self.folder = folder
    try read()
  }

  /// Reads the record again if another process has written to it.
  mutating func refresh() throws(DiskError) {
    let now = folder.status(of: FolderRecords.name)
    switch (file, now) {
    case (nil, nil): return
    case (let file?, let now?) where now.isSameFile(as: file) && now.size == file.size: return
    default: try read()
    }
  }

  private mutating func read() throws(DiskError) {
    // What is added between the two is read twice.
    file = folder.status(of: FolderRecords.name)
    contents = FolderContents(try FolderRecords.read(in: folder), in: folder)
  }

  /// Adds facts, if no other process has written to the record since it was read.
  ///
  /// - Returns: whether they are recorded.
  mutating func append(_ facts: [FolderFact]) throws(DiskError) -> Bool {
    guard !facts.isEmpty else { return true }
    guard let written = try FolderRecords.append(facts, in: folder, ifStill: file) else {
      return false
    }
    file = written
    contents.add(facts)
    return true
  }

  /// Adds facts that depend on the content of the record, which is read again each time another
  /// process writes to it.
  mutating func update(
    _ facts: (_ record: FolderRecord) throws(DiskError) -> [FolderFact]
  ) throws(DiskError) {
    for _ in 0..<Self.attempts {
      try refresh()
      if try append(try facts(self)) { return }
    }
    throw DiskError(
      EBUSY, "write", FolderRecords.name, reason: "other processes keep writing to it")
  }
}

extension FolderContents.Entry {
  /// Whether another entry of the episode is about the same file.
  func hasSameFile(as other: Self) -> Bool {
    file == other.file && bytes == other.bytes && sha256 == other.sha256 && audio == other.audio
      && receivedSHA256 == other.receivedSHA256 && otherFiles == other.otherFiles
      && downloadedAt == other.downloadedAt && removedAt == other.removedAt
  }

  /// The same with other files beside it.
  func with(_ others: [EpisodeFile]) -> Self {
    var entry = self
    entry.otherFiles = others
    return entry
  }

  /// The facts for a record when the file has this name in its folder.
  ///
  /// - Parameters:
  ///   - told: the entry before; nil for the record of a folder without the star.
  ///   - there: what another folder's record has of the episode, if it arrives there. The arrival is
  ///     later, also if the clock was ahead then. A star keeps its own time, but for a moment: one
  ///     that was set on another machine before the move may still be later.
  func arrival(
    as name: EntryName, after told: Self? = nil, over there: EpisodeParts? = nil
  ) -> [FolderFact] {
    var entry = self
    entry.file = name
    var changes = told == nil ? Changes.all : .file
    if let there {
      changes = [.file, .removal]
      entry.parts.arrive(over: there)
    }
    var facts = [entry.line(.finished, changes, laterThan: there?.latest ?? .never)]
    if isStarred != (told?.isStarred ?? false) {
      facts.append(entry.line(isStarred ? .starred : .unstarred, []))
    }
    if let removedAt {
      // Its removal was interrupted before the file was removed.
      var removed = entry.line(.removed, [])
      removed.at = removedAt
      facts.append(removed)
    }
    return facts
  }

  /// The fact for the record of the folder that the file leaves.
  var departure: FolderFact { departure(over: EpisodeParts()) }

  /// The same, later than what that record has of the episode.
  func departure(over there: EpisodeParts) -> FolderFact {
    var left = Self(key: key, podcast: podcast, episode: episode)
    left.parts = parts
    left.parts.leave(over: there)
    return left.line(.moved, [.file, .removal], laterThan: there.latest)
  }

  /// The line that says this state, whose parts have their times. Earlier versions read the star from
  /// it.
  func remark(at date: Date) -> FolderFact {
    var entry = self
    return entry.line(isStarred ? .starred : .unstarred, [], at: date)
  }

  /// Parts of what is known of an episode.
  struct Changes: OptionSet {
    let rawValue: Int
    static let file = Changes(rawValue: 1)
    static let star = Changes(rawValue: 2)
    static let removal = Changes(rawValue: 4)
    static let others = Changes(rawValue: 8)
    static let all: Changes = [.file, .star, .removal, .others]
  }

  /// The line that says this state, with the time of now for what has changed.
  ///
  /// - Parameters:
  ///   - kind: the event that earlier versions read.
  ///   - changes: what has changed.
  ///   - at: the time of the event.
  ///   - latest: a time before that of what has changed.
  mutating func line(
    _ kind: FolderFact.Kind, _ changes: Changes, at: Date? = nil,
    laterThan latest: RecordTime = .never
  ) -> FolderFact {
    if !changes.isEmpty {
      let time = RecordTime.next(after: max(parts.latest, latest))
      if changes.contains(.file) { parts.file = time }
      if changes.contains(.star) { parts.star.time = time }
      if changes.contains(.removal) { parts.removal.time = time }
      if changes.contains(.others) {
        for name in parts.others.keys { parts.others[name]?.time = time }
      }
    }
    return FolderFact(
      fact: kind.rawValue, version: FolderFact.currentVersion, key: key, podcast: podcast,
      episode: episode, file: file, bytes: bytes, sha256: sha256, audio: audio,
      receivedSHA256: receivedSHA256, otherFiles: otherFiles, downloadedAt: downloadedAt,
      at: at?.timestamp, state: parts, writer: RecordWriter.own)
  }
}

extension FolderFact {
  /// What happened to an episode of this folder, with its state afterwards.
  init(_ kind: Kind, _ entry: FolderContents.Entry, at date: Date) {
    var entry = entry
    switch kind {
    case .podcast: self = entry.line(kind, [], at: date)
    case .finished:
      entry.removedAt = nil
      self = entry.line(kind, [.file, .removal], at: date)
    case .moved: self = entry.departure
    case .starred, .unstarred:
      entry.isStarred = kind == .starred
      self = entry.line(kind, .star, at: date)
    case .removed:
      entry.removedAt = date.timestamp
      entry.isKept = false
      self = entry.line(kind, .removal, at: date)
    }
  }
}
