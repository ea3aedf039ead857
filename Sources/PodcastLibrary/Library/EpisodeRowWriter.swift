import FoundationEssentials
internal import GRDB
import PodcastModel
import PodcastTransfer

/// Writes the episodes of folders into the index.
struct EpisodeRowWriter {
  private let db: Database
  private let podcast: Statement
  private let episode: Statement
  private let detail: Statement
  private let removal: Statement

  /// Prepares the statements.
  init(_ db: Database) throws {
    self.db = db
    func statement(_ table: String, _ columns: Int) throws -> Statement {
      let marks = repeatElement("?", count: columns).joined(separator: ", ")
      return try db.makeStatement(sql: "INSERT INTO \(table) VALUES (\(marks))")
    }
    podcast = try statement("podcast", 9)
    episode = try statement("episode", 17)
    detail = try statement("detail", 10)
    removal = try db.makeStatement(sql: "DELETE FROM episode WHERE id = ?")
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
    if let row { try removal.execute(arguments: [row]) }
    let (plan, listed, enclosure) = (local.plan, local.plan.episode, local.plan.episode.enclosure)
    try episode.execute(arguments: [
      row, folder, podcast, plan.key, listed.guid, listed.title, plan.stem,
      plan.announcedExtension, local.status.rawValue, local.bytes, local.total, listed.id,
      listed.date?.timeIntervalSince1970, listed.duration?.inSeconds,
      local.downloadedAt?.timeIntervalSince1970, local.removedAt?.timeIntervalSince1970,
      local.isStarred,
    ])
    try detail.execute(arguments: [
      db.lastInsertedRowID, enclosure.url, enclosure.mimeType, enclosure.fileExtension,
      listed.artworkURL, local.sha256, listed.kind.rawValue, listed.season, listed.number,
      enclosure.length,
    ])
  }

  private func write(_ listed: Podcast, of folder: Int64) throws -> Int64 {
    let identity = PodcastIdentity(listed)
    try podcast.execute(arguments: [
      nil, folder, listed.id, listed.title, listed.author, listed.feedURL?.text, listed.artworkURL,
      identity.title, identity.feed,
    ])
    return db.lastInsertedRowID
  }
}
