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

  /// Prepares the statements.
  init(_ db: SQLiteConnection) throws {
    self.db = db
    func statement(_ table: String, _ columns: Int) throws -> SQLiteStatement {
      let marks = repeatElement("?", count: columns).joined(separator: ", ")
      return try SQLiteStatement(
        SQLQuery(stringLiteral: "INSERT INTO \(table) VALUES (\(marks))"), in: db)
    }
    podcast = try statement("podcast", 9)
    episode = try statement("episode", 22)
    detail = try statement("detail", 10)
    removal = try SQLiteStatement("DELETE FROM episode WHERE id = ?", in: db)
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
      SQLValue(local.isKept), SQLValue(local.marks.correction.title),
      SQLValue(local.marks.correction.date?.timeIntervalSince1970),
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
