import FoundationEssentials
internal import GRDB

extension LibraryRows {
  /// All episodes, by the paths of their folders and in each in the order of its record.
  static func episodes(_ db: Database) throws -> UniqueEpisodes {
    let podcasts = try podcasts(db)
    let rows = try IndexRows(
      db,
      sql: """
        SELECT folder.path, episode.*
        FROM folder CROSS JOIN episode ON episode.folder = folder.id
        ORDER BY folder.path, episode.position
        """)
    var episodes: [LocalEpisode] = []
    var folder: Int64?
    var path = ""
    while var columns = try rows.next() {
      let place = try columns.integer(at: 1)
      if place != folder { (folder, path) = (place, try columns.text(at: 0)) }
      columns.skip(3)
      guard let podcast = podcasts[try columns.integer()] else {
        throw LibraryDatabase.Failure.damaged
      }
      episodes.append(try episode(&columns, of: podcast, in: path))
    }
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

  private static func episode(
    _ columns: inout RowColumns, of podcast: Podcast, in folder: String
  ) throws -> LocalEpisode {
    let key = try columns.text()
    let episode = Episode(
      id: columns.optionalInteger(), guid: columns.optionalText(), title: try columns.text(),
      date: columns.optionalDate(), duration: columns.optionalDuration(),
      enclosure: Enclosure(url: ""), season: columns.optionalInteger().map(Int.init),
      number: columns.optionalInteger().map(Int.init),
      kind: Episode.Kind(rawValue: try columns.text()) ?? .full)
    return try local(&columns, key: key, episode, of: podcast, in: folder)
  }

  private static func local(
    _ columns: inout RowColumns, key: String, _ listed: Episode, of podcast: Podcast,
    in folder: String
  ) throws -> LocalEpisode {
    var episode = listed
    episode.enclosure = Enclosure(
      url: try columns.text(), length: columns.optionalInteger(), mimeType: columns.optionalText(),
      fileExtension: columns.optionalText())
    episode.artworkURL = columns.optionalText()
    let plan = DownloadPlan(
      key: key, podcast: podcast, episode: episode, folder: folder, stem: try columns.text(),
      announcedExtension: try columns.text())
    guard let status = LocalEpisode.Status(rawValue: try columns.text()) else {
      throw LibraryDatabase.Failure.damaged
    }
    return LocalEpisode(
      plan: plan, path: plan.path, status: status,
      bytes: try columns.integer(), total: columns.optionalInteger(),
      downloadedAt: columns.optionalDate(), sha256: columns.optionalText(),
      isStarred: try columns.flag(), removedAt: columns.optionalDate())
  }
}
