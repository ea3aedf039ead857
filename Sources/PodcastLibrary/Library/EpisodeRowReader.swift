import FoundationEssentials
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
    _ db: SQLiteConnection, _ query: EpisodeQuery = .all, and others: [EpisodeKey] = [],
    hasDetails: Bool = true, emptied: [EmptiedFolder] = [],
    isEnough: (UniqueEpisodes) -> Bool = { _ in true }
  ) throws -> (episodes: UniqueEpisodes, areAll: Bool) {
    // A state depends on the disk that is missing.
    let isAnswered = if case .matching = query { emptied.isEmpty } else { true }
    if isAnswered, let keys = try query.keys(and: others, in: db) {
      // In the order of the rows, SQLite would read all of them.
      let condition: SQLQuery = "WHERE key IN (\(keys)) ORDER BY +episode.id"
      let found = try rows(db, condition, emptied, hasDetails: hasDetails)
      let episodes = UniqueEpisodes(found)
      // A copy may be newer or older than the original: the rows do not say which one counts.
      let counts = !query.countsRows || episodes.all.count == found.count
      if counts, isEnough(episodes) { return (episodes, false) }
    }
    if !hasDetails {
      let episodes = UniqueEpisodes(try rows(db, "ORDER BY episode.id", emptied, hasDetails: false))
      if isEnough(episodes) { return (episodes, true) }
    }
    return (UniqueEpisodes(try rows(db, "ORDER BY episode.id", emptied)), true)
  }

  static func rows(
    _ db: SQLiteConnection, _ condition: SQLQuery, _ emptied: [EmptiedFolder],
    hasDetails: Bool = true
  ) throws -> [LocalEpisode] {
    // The order is the one in which `PackedRows` reads them.
    let columns: SQLQuery = """
      episode.folder, episode.podcast, key, guid, title, stem, fileExtension, status, bytes, total,
      appleID, date, duration, downloadedAt, isStarred, isPlayed, position,
      isKept, isOnlyListed, editedTitle, editedDate, removedAt, inode,
      otherBytes, triedAt
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
    var folders: [PackedRows] = []
    var places: [Int64: Int] = [:]
    var place = 0
    var last: (folder: Int64, podcast: Int64)?
    while var columns = try rows.next() {
      let (folder, podcast) = (try columns.integer(), try columns.integer())
      if folder != last?.folder {
        // Its newest episodes may come behind those of other folders.
        place = places[folder, default: folders.endIndex]
        if place == folders.endIndex {
          places[folder] = place
          folders.append(PackedRows(folder: try path(of: folder, in: db), hasDetails: hasDetails))
        }
      }
      if folder != last?.folder || podcast != last?.podcast {
        let value = try podcasts[podcast] ?? self.podcast(podcast, in: db)
        podcasts[podcast] = value
        folders[place].podcasts.append(value)
      }
      last = (folder, podcast)
      try folders[place].read(&columns)
    }
    folders.sort { $0.folder.text < $1.folder.text }
    for place in folders.indices {
      let path = folders[place].folder
      if emptied.contains(where: { path.isSame(orIn: $0.path) }) { folders[place].loseFiles() }
    }
    return folders.map { PackedEpisodes($0) }.flatMap { packed in
      packed.rows.facts.indices.map { LocalEpisode(packed, row: $0) }
    }
  }

  private static func path(of folder: Int64, in db: SQLiteConnection) throws -> RelativePath {
    let query: SQLQuery = "SELECT path FROM folder WHERE id = \(folder)"
    guard let path = try IndexRows.first(db, query, { try $0.path() }) else {
      throw LibraryDatabase.Failure.damaged
    }
    return path
  }

  private static func podcast(_ number: Int64, in db: SQLiteConnection) throws -> Podcast {
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

extension PackedRows {
  /// Reads a row of the last podcast, from its key on. The texts are in the order of ``Text``, which
  /// is that of the columns.
  fileprivate mutating func read(_ columns: inout RowColumns) throws {
    // Texts that become paths are checked here: an index may have come from anywhere.
    try columns.text(into: &texts) { EpisodeKey.isKey($0) }
    try columns.text(into: &texts, isRequired: false)
    try columns.text(into: &texts)
    try columns.text(into: &texts) { EntryName.isName($0) }
    try columns.text(into: &texts) { PlannedFile.isExtension($0) }
    guard let status = LocalEpisode.Status(rawValue: try columns.text()) else {
      throw LibraryDatabase.Failure.damaged
    }
    let (bytes, total) = (try columns.integer(), columns.optionalInteger())
    guard bytes >= 0, total ?? 0 >= 0 else { throw LibraryDatabase.Failure.damaged }
    let id = columns.optionalInteger()
    let (date, duration) = (columns.optionalDate(), columns.optionalDuration())
    let downloadedAt = columns.optionalDate()
    var marks = EpisodeMarks(
      isStarred: try columns.integer() != 0, isPlayed: try columns.integer() != 0,
      position: EpisodeMarks.position(columns.optionalInteger()))
    marks.isKept = try columns.integer() != 0
    marks.isOnlyListed = try columns.integer() != 0
    marks.correction = EpisodeCorrection(
      title: columns.optionalText(), date: columns.optionalDate())
    var file = LocalEpisode.File(
      status: status, bytes: bytes, total: total, downloadedAt: downloadedAt, marks: marks,
      removedAt: columns.optionalDate())
    file.inode = columns.optionalInteger().map { UInt64(bitPattern: $0) }
    file.otherBytes = columns.optionalInteger()
    file.triedAt = columns.optionalDate()
    guard file.otherBytes ?? 0 >= 0 else { throw LibraryDatabase.Failure.damaged }
    facts.append(
      Facts(podcast: podcasts.endIndex - 1, date: date, file: file, duration: duration, id: id))
    guard hasDetails else { return }
    try columns.text(into: &texts)
    for _ in 0..<4 { try columns.text(into: &texts, isRequired: false) }
    let kind = Episode.Kind(rawValue: try columns.text()) ?? .full
    let (season, number) = (columns.optionalInteger(), columns.optionalInteger())
    details.append(
      Details(
        kind: kind, season: season.map(Int.init), number: number.map(Int.init),
        length: columns.optionalInteger()))
  }

  /// Reports all complete files as missing.
  fileprivate mutating func loseFiles() {
    for row in facts.indices where facts[row].file.status == .complete {
      let file = facts[row].file
      facts[row].file.status = .missing
      (facts[row].file.bytes, facts[row].file.total) = (0, file.total ?? file.bytes)
    }
  }
}
