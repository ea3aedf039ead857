import FoundationEssentials
internal import GRDB
import PodcastModel

extension LibraryRows {
  /// All episodes, by the paths of their folders and in each in the order of its record.
  ///
  /// - Parameter emptied: folders whose disk is not there; what is in them and below is missing.
  static func episodes(
    _ db: Database, emptied: [EmptiedFolder] = []
  ) throws -> UniqueEpisodes {
    let podcasts = try podcasts(db)
    let rows = try IndexRows(
      db,
      sql: """
        SELECT folder.path, episode.*
        FROM folder CROSS JOIN episode ON episode.folder = folder.id
        ORDER BY folder.path, episode.position
        """)
    var episodes: [LocalEpisode] = []
    var folder: EpisodePacker?
    while var columns = try rows.next() {
      let number = try columns.integer(at: 1)
      if number != folder?.number {
        folder?.add(to: &episodes)
        guard let path = RelativePath(try columns.text(at: 0)) else {
          throw LibraryDatabase.Failure.damaged
        }
        folder = EpisodePacker(
          number: number, path: path,
          isEmptied: emptied.contains { path.isSame(orIn: $0.path) })
      }
      columns.skip(3)
      try folder?.read(&columns, of: podcasts)
    }
    folder?.add(to: &episodes)
    return UniqueEpisodes(episodes)
  }

  private static func podcasts(_ db: Database) throws -> [Int64: Podcast] {
    let rows = try IndexRows(
      db, sql: "SELECT id, appleID, title, author, feedURL, artworkURL FROM podcast")
    var podcasts: [Int64: Podcast] = [:]
    while var columns = try rows.next() {
      let number = try columns.integer()
      podcasts[number] = Podcast(
        id: columns.optionalInteger(), title: try columns.text(), author: columns.optionalText(),
        feedURL: columns.optionalText(), artworkURL: columns.optionalText())
    }
    return podcasts
  }
}

/// Gathers the rows of one folder.
private struct EpisodePacker {
  let number: Int64
  private let path: RelativePath
  private let isEmptied: Bool
  private var podcasts: [Podcast] = []
  private var lastPodcast: Int64?
  private var facts: [PackedEpisodes.Facts] = []
  private var texts = PackedTexts()

  init(number: Int64, path: RelativePath, isEmptied: Bool) {
    self.number = number
    self.path = path
    self.isEmptied = isEmptied
  }

  /// Takes a row, from its podcast on.
  mutating func read(_ columns: inout RowColumns, of all: [Int64: Podcast]) throws {
    let podcast = try columns.integer()
    if podcast != lastPodcast {
      guard let found = all[podcast] else { throw LibraryDatabase.Failure.damaged }
      lastPodcast = podcast
      podcasts.append(found)
    }
    // The texts go by the order of `PackedEpisodes.Text`, which is that of the columns. What becomes
    // a path is checked here: an index may have come from anywhere.
    try columns.text(into: &texts) { EpisodeKey.isKey($0) }
    let id = columns.optionalInteger()
    try columns.optionalText(into: &texts)
    try columns.text(into: &texts)
    let (date, duration) = (columns.optionalDate(), columns.optionalDuration())
    let (season, number) = (columns.optionalInteger(), columns.optionalInteger())
    let kind = Episode.Kind(rawValue: try columns.text()) ?? .full
    try columns.text(into: &texts)
    let length = columns.optionalInteger()
    try columns.optionalText(into: &texts)
    try columns.optionalText(into: &texts)
    try columns.optionalText(into: &texts)
    try columns.text(into: &texts) { EntryName.isName($0) }
    try columns.text(into: &texts) { PlannedFile.isExtension($0) }
    guard var status = LocalEpisode.Status(rawValue: try columns.text()) else {
      throw LibraryDatabase.Failure.damaged
    }
    var (bytes, total) = (try columns.integer(), columns.optionalInteger())
    guard bytes >= 0, total ?? 0 >= 0 else { throw LibraryDatabase.Failure.damaged }
    if isEmptied, status == .complete { (status, bytes, total) = (.missing, 0, total ?? bytes) }
    let downloadedAt = columns.optionalDate()
    try columns.optionalText(into: &texts)
    facts.append(
      PackedEpisodes.Facts(
        podcast: podcasts.endIndex - 1, date: date,
        file: LocalEpisode.File(
          status: status, bytes: bytes, total: total, downloadedAt: downloadedAt,
          isStarred: try columns.flag(), removedAt: columns.optionalDate()),
        duration: duration, id: id, season: season.map(Int.init), number: number.map(Int.init),
        kind: kind, length: length))
  }

  /// Hands over what was gathered.
  func add(to episodes: inout [LocalEpisode]) {
    let packed = PackedEpisodes(folder: path, podcasts: podcasts, facts: facts, texts: texts)
    for row in facts.indices { episodes.append(LocalEpisode(packed, row: row)) }
  }
}
