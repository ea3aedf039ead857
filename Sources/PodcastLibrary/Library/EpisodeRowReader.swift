import FoundationEssentials
internal import GRDB
import PodcastModel

extension LibraryRows {
  /// The episodes of a query, by the paths of their folders and within each folder in the order of
  /// its record.
  ///
  /// - Parameters:
  ///   - query: the request; of an episode in several folders all rows are read.
  ///   - others: keys of further episodes that are wanted.
  ///   - hasDetails: whether the detail table is read too.
  ///   - emptied: folders whose disk is missing; everything in them and below is missing.
  ///   - isEnough: whether these episodes are enough; if not, all are read with their details.
  /// - Returns: the episodes, and whether they are all that the index has.
  static func episodes(
    _ db: Database, _ query: EpisodeQuery = .all, and others: [EpisodeKey] = [],
    hasDetails: Bool = true, emptied: [EmptiedFolder] = [],
    isEnough: (UniqueEpisodes) -> Bool = { _ in true }
  ) throws -> (episodes: UniqueEpisodes, areAll: Bool) {
    if !hasDetails {
      let episodes = UniqueEpisodes(
        try rows(db, "ORDER BY episode.id", emptied, hasDetails: false))
      if isEnough(episodes) { return (episodes, true) }
    }
    if let keys = try query.keys(and: others, in: db) {
      // In the order of the rows, SQLite would read all of them.
      let found = try rows(
        db, "WHERE key IN (\(keys)) ORDER BY +episode.id", emptied)
      let episodes = UniqueEpisodes(found)
      // A copy may be newer or older than the original: the rows do not say which one counts.
      let counts = !query.countsRows || episodes.all.count == found.count
      if counts, isEnough(episodes) { return (episodes, false) }
    }
    return (UniqueEpisodes(try rows(db, "ORDER BY episode.id", emptied)), true)
  }

  static func rows(
    _ db: Database, _ condition: SQL, _ emptied: [EmptiedFolder], hasDetails: Bool = true
  ) throws -> [LocalEpisode] {
    // The order is the one in which `EpisodePacker` reads them.
    let columns: SQL = """
      episode.folder, episode.podcast, key, guid, title, stem, fileExtension, status, bytes, total,
      appleID, date, duration, downloadedAt, isStarred, removedAt
      """
    let rows = try IndexRows(
      db,
      hasDetails
        ? """
        SELECT \(columns), url, mimeType, announcedExtension, artworkURL, sha256, kind, season,
          number, length
        FROM episode LEFT JOIN detail ON detail.episode = episode.id \(condition)
        """
        : "SELECT \(columns) FROM episode \(condition)")
    var podcasts: [Int64: Podcast] = [:]
    var folders: [EpisodePacker] = []
    while var columns = try rows.next() {
      let folder = try columns.integer()
      if folder != folders.last?.number {
        let path = try path(of: folder, in: db)
        folders.append(
          EpisodePacker(
            number: folder, path: path,
            isEmptied: emptied.contains { path.isSame(orIn: $0.path) },
            details: hasDetails ? PackedDetails() : nil))
      }
      let podcast = try columns.integer()
      if podcast != folders[folders.endIndex - 1].podcast {
        let value = try podcasts[podcast] ?? self.podcast(podcast, in: db)
        podcasts[podcast] = value
        folders[folders.endIndex - 1].begin(podcast, value)
      }
      try folders[folders.endIndex - 1].read(&columns)
    }
    folders.sort { $0.path.text < $1.path.text }
    return folders.flatMap(\.episodes)
  }

  private static func path(of folder: Int64, in db: Database) throws -> RelativePath {
    let text = try IndexRows.first(db, "SELECT path FROM folder WHERE id = \(folder)") {
      try $0.text()
    }
    guard let path = text.flatMap(RelativePath.init) else { throw LibraryDatabase.Failure.damaged }
    return path
  }

  private static func podcast(_ number: Int64, in db: Database) throws -> Podcast {
    let podcast = try IndexRows.first(
      db, "SELECT appleID, title, author, feedURL, artworkURL FROM podcast WHERE id = \(number)"
    ) { columns in
      Podcast(
        id: columns.optionalInteger(), title: try columns.text(), author: columns.optionalText(),
        feedURL: columns.optionalText().flatMap(FeedURL.init), artworkURL: columns.optionalText())
    }
    guard let podcast else { throw LibraryDatabase.Failure.damaged }
    return podcast
  }
}

/// Collects the rows of one folder.
private struct EpisodePacker {
  let number: Int64
  let path: RelativePath
  let isEmptied: Bool
  /// The podcast of the next rows.
  private(set) var podcast: Int64?
  private var podcasts: [Podcast] = []
  private var facts: [PackedEpisodes.Facts] = []
  private var texts = PackedTexts()
  /// The details of the rows; nil if the rows have none.
  private var details: PackedDetails?

  init(number: Int64, path: RelativePath, isEmptied: Bool, details: PackedDetails?) {
    self.number = number
    self.path = path
    self.isEmptied = isEmptied
    self.details = details
  }

  /// The episodes of the rows, in their order.
  var episodes: [LocalEpisode] {
    let packed = PackedEpisodes(
      folder: path, podcasts: podcasts, facts: facts, texts: texts, details: details)
    return facts.indices.map { LocalEpisode(packed, row: $0) }
  }

  /// The following rows are of this podcast.
  mutating func begin(_ podcast: Int64, _ value: Podcast) {
    self.podcast = podcast
    podcasts.append(value)
  }

  /// Reads a row, from its key on.
  mutating func read(_ columns: inout RowColumns) throws {
    // The texts are in the order of `PackedEpisodes.Text`, which is that of the columns. Texts that
    // become paths are checked here: an index may have come from anywhere.
    try columns.text(into: &texts) { EpisodeKey.isKey($0) }
    try columns.optionalText(into: &texts)
    try columns.text(into: &texts)
    try columns.text(into: &texts) { EntryName.isName($0) }
    try columns.text(into: &texts) { PlannedFile.isExtension($0) }
    guard var status = LocalEpisode.Status(rawValue: try columns.text()) else {
      throw LibraryDatabase.Failure.damaged
    }
    var (bytes, total) = (try columns.integer(), columns.optionalInteger())
    guard bytes >= 0, total ?? 0 >= 0 else { throw LibraryDatabase.Failure.damaged }
    if isEmptied, status == .complete { (status, bytes, total) = (.missing, 0, total ?? bytes) }
    let id = columns.optionalInteger()
    let (date, duration) = (columns.optionalDate(), columns.optionalDuration())
    let file = LocalEpisode.File(
      status: status, bytes: bytes, total: total, downloadedAt: columns.optionalDate(),
      isStarred: try columns.flag(), removedAt: columns.optionalDate())
    facts.append(
      PackedEpisodes.Facts(
        podcast: podcasts.endIndex - 1, date: date, file: file, duration: duration, id: id))
    try details?.read(&columns)
  }
}

extension PackedDetails {
  /// Reads the rest of a row, from its address on.
  fileprivate mutating func read(_ columns: inout RowColumns) throws {
    // In the order of `PackedDetails.Text`.
    try columns.text(into: &texts)
    for _ in 0..<4 { try columns.optionalText(into: &texts) }
    let kind = Episode.Kind(rawValue: try columns.text()) ?? .full
    let (season, number) = (columns.optionalInteger(), columns.optionalInteger())
    facts.append(
      PackedDetails.Facts(
        kind: kind, season: season.map(Int.init), number: number.map(Int.init),
        length: columns.optionalInteger()))
  }
}
