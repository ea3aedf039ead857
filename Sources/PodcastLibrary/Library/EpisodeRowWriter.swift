import FoundationEssentials
internal import GRDB
import PodcastModel
import PodcastTransfer

/// Writes the episodes of folders into the index.
struct EpisodeRowWriter {
  private let db: Database
  private let podcast: Statement
  private let episode: Statement

  /// Prepares the statements.
  init(_ db: Database) throws {
    self.db = db
    podcast = try db.makeStatement(sql: "INSERT INTO podcast VALUES (NULL, ?, ?, ?, ?, ?, ?)")
    let marks = Array(repeating: "?", count: 26).joined(separator: ", ")
    episode = try db.makeStatement(sql: "INSERT INTO episode VALUES (\(marks))")
  }

  /// Writes a folder's episodes in their order, and the podcasts that they belong to once each.
  func write(_ episodes: [LocalEpisode], of folder: Int64) throws {
    var podcasts: [Podcast: Int64] = [:]
    for (position, local) in episodes.enumerated() {
      let known = podcasts[local.plan.podcast]
      let podcast = try known ?? write(local.plan.podcast, of: folder)
      if known == nil { podcasts[local.plan.podcast] = podcast }
      let listed = local.plan.episode
      try episode.execute(arguments: [
        folder, position, podcast, local.plan.key, listed.id, listed.guid, listed.title,
        listed.date?.timeIntervalSince1970, listed.duration?.inSeconds,
        listed.season, listed.number, listed.kind.rawValue, listed.enclosure.url,
        listed.enclosure.length, listed.enclosure.mimeType, listed.enclosure.fileExtension,
        listed.artworkURL, local.plan.stem,
        local.plan.announcedExtension, local.status.rawValue,
        local.bytes, local.total, local.downloadedAt?.timeIntervalSince1970, local.sha256,
        local.isStarred, local.removedAt?.timeIntervalSince1970,
      ])
    }
  }

  private func write(_ listed: Podcast, of folder: Int64) throws -> Int64 {
    try podcast.execute(arguments: [
      folder, listed.id, listed.title, listed.author, listed.feedURL, listed.artworkURL,
    ])
    return db.lastInsertedRowID
  }
}
