import FoundationEssentials
import PodcastModel
import PodcastTransfer

/// Writes the episodes of folders into the index.
struct EpisodeRowWriter {
  private let db: SQLiteConnection
  private let podcast: SQLiteStatement
  private let episode: SQLiteStatement
  private let detail: SQLiteStatement
  private let removal: SQLiteStatement
  private let line: SQLiteStatement
  private let lineRemoval: SQLiteStatement

  /// Prepares the statements.
  init(_ db: SQLiteConnection) throws {
    self.db = db
    func statement(_ table: String, _ columns: Int) throws -> SQLiteStatement {
      let marks = repeatElement("?", count: columns).joined(separator: ", ")
      return try SQLiteStatement(
        SQLQuery(stringLiteral: "INSERT INTO \(table) VALUES (\(marks))"), in: db)
    }
    podcast = try statement("podcast", 9)
    episode = try statement("episode", 26)
    detail = try statement("detail", 10)
    line = try statement("line", 4)
    removal = try SQLiteStatement("DELETE FROM episode WHERE id = ?", in: db)
    lineRemoval = try SQLiteStatement(
      "DELETE FROM line WHERE folder = ? AND key = ? AND start = ?", in: db)
  }

  /// Writes where the record of a folder says something, in the order of the table: in any other,
  /// each row changes another page.
  func write(_ lines: [IndexedLine], of folder: Int64) throws {
    let sorted = lines.sorted { ($0.key, $0.place.offset) < ($1.key, $1.place.offset) }
    for known in sorted {
      try line.run([
        .integer(folder), .integer(known.key), .integer(known.place.offset),
        .integer(Int64(known.place.length)),
      ])
    }
  }

  /// Forgets where the record of a folder says what later lines of it say.
  func remove(_ lines: [IndexedLine], of folder: Int64) throws {
    for known in lines {
      try lineRemoval.run([
        .integer(folder), .integer(known.key), .integer(known.place.offset),
      ])
    }
  }

  /// Writes the changed episodes of a folder: known ones in their places, new ones behind the others.
  ///
  /// - Parameter keys: those of all that may have changed; the others of them are no longer there.
  func update(_ episodes: [LocalEpisode], of keys: Set<EpisodeKey>, in folder: Int64) throws {
    var left = keys
    for local in episodes {
      left.remove(local.plan.episodeKey)
      let place = try place(of: local.plan.key, in: folder)
      let podcast = try podcast(local.podcast, in: folder)
      try write(local, as: place?.row, of: folder, podcast)
      if let place, place.podcast != podcast { try removePodcast(place.podcast) }
    }
    for key in left {
      guard let place = try place(of: key.text, in: folder) else { continue }
      try removal.run([.integer(place.row)])
      try removePodcast(place.podcast)
    }
  }

  private func place(
    of key: String, in folder: Int64
  ) throws -> (row: Int64, podcast: Int64)? {
    try IndexRows.first(
      db, "SELECT id, podcast FROM episode WHERE key = \(key) AND folder = \(folder)"
    ) { (row: try $0.integer(), podcast: try $0.integer()) }
  }

  /// The number of a podcast of a folder, which may be new.
  private func podcast(_ listed: Podcast, in folder: Int64) throws -> Int64 {
    let known = try db.integer(
      """
      SELECT id FROM podcast WHERE folder = \(folder) AND appleID IS \(listed.id)
        AND title = \(listed.title) AND author IS \(listed.author)
        AND feedURL IS \(listed.feedURL?.text) AND artworkURL IS \(listed.artworkURL)
      """)
    return try known ?? write(listed, of: folder)
  }

  /// Removes a podcast that has no more episodes.
  private func removePodcast(_ podcast: Int64) throws {
    try db.run(
      """
      DELETE FROM podcast WHERE id = \(podcast)
        AND NOT EXISTS (SELECT 1 FROM episode WHERE podcast = \(podcast))
      """)
  }

  /// Writes a folder's episodes in their order, and each of their podcasts once.
  func write(_ episodes: [LocalEpisode], of folder: Int64) throws {
    var podcasts: [Podcast: Int64] = [:]
    for local in episodes {
      let known = podcasts[local.podcast]
      let podcast = try known ?? write(local.podcast, of: folder)
      if known == nil { podcasts[local.podcast] = podcast }
      try write(local, as: nil, of: folder, podcast)
    }
  }

  /// Writes an episode, in the place of another one if a row is given.
  func write(_ local: LocalEpisode, as row: Int64?, of folder: Int64, _ podcast: Int64) throws {
    if let row { try removal.run([.integer(row)]) }
    let (plan, listed, enclosure) = (local.plan, local.plan.episode, local.plan.episode.enclosure)
    try episode.run([
      SQLValue(row), .integer(folder), .integer(podcast), .text(plan.key), SQLValue(listed.guid),
      .text(listed.title), .text(plan.stem), .text(plan.announcedExtension),
      .text(local.status.rawValue), .integer(local.bytes), SQLValue(local.total),
      SQLValue(listed.id), SQLValue(listed.date?.timeIntervalSince1970),
      SQLValue(listed.duration?.inSeconds), SQLValue(local.downloadedAt?.timeIntervalSince1970),
      SQLValue(local.removedAt?.timeIntervalSince1970), SQLValue(local.isStarred),
      SQLValue(local.isPlayed), SQLValue(local.position?.components.seconds),
      SQLValue(local.isKept), SQLValue(local.marks.isOnlyListed),
      SQLValue(local.marks.correction.title),
      SQLValue(local.marks.correction.date?.timeIntervalSince1970),
      SQLValue(local.inode.map { Int64(bitPattern: $0) }), SQLValue(local.otherBytes),
      SQLValue(local.triedAt?.timeIntervalSince1970),
    ])
    try detail.run([
      .integer(db.lastInsertedRow), .text(enclosure.url), SQLValue(enclosure.mimeType),
      SQLValue(enclosure.fileExtension), SQLValue(listed.artworkURL), SQLValue(local.sha256),
      .text(listed.kind.rawValue), SQLValue(listed.season), SQLValue(listed.number),
      SQLValue(enclosure.length),
    ])
  }

  private func write(_ listed: Podcast, of folder: Int64) throws -> Int64 {
    let identity = PodcastIdentity(listed)
    try podcast.run([
      nil, .integer(folder), SQLValue(listed.id), .text(listed.title), SQLValue(listed.author),
      SQLValue(listed.feedURL?.text), SQLValue(listed.artworkURL), .text(identity.title),
      SQLValue(identity.feed),
    ])
    return db.lastInsertedRow
  }
}
