import FoundationEssentials
import PodcastModel

/// Folders and episodes as rows of the index, by column positions: names would cost more than the
/// values.
enum LibraryRows {
  /// The folders that the index knows, by their paths.
  static func folders(_ db: SQLiteConnection) throws -> [KnownFolder] {
    let rows = try IndexRows(db, "SELECT id, path, stamp, trace FROM folder ORDER BY path")
    var folders: [KnownFolder] = []
    while var columns = try rows.next() { folders.append(try KnownFolder(&columns)) }
    return folders
  }

  /// Updates the rows to the state of the disk.
  static func apply(_ changes: FolderChanges, in db: SQLiteConnection) throws {
    let forget = try SQLiteStatement("DELETE FROM folder WHERE id = ?", in: db)
    for folder in changes.gone { try forget.run([.integer(folder.id)]) }
    let replace = try SQLiteStatement("DELETE FROM folder WHERE path = ?", in: db)
    let writer = try EpisodeRowWriter(db)
    let insert = try SQLiteStatement("INSERT INTO folder (path) VALUES (?)", in: db)
    for folder in changes.scanned {
      if let touched = folder.touched {
        let known: SQLQuery = "SELECT id FROM folder WHERE path = \(folder.path.text)"
        guard let id = try db.integer(known) else { throw LibraryDatabase.Failure.damaged }
        try writer.update(folder.episodes, of: touched, in: id)
        try finish(folder, as: id, in: db, writer)
        continue
      }
      if let id = try update(folder, in: db, writer) {
        try db.run("DELETE FROM line WHERE folder = \(id)")
        try db.run("DELETE FROM lost WHERE folder = \(id)")
        try finish(folder, as: id, in: db, writer)
        continue
      }
      try replace.run([.text(folder.path.text)])
      try insert.run([.text(folder.path.text)])
      let id = db.lastInsertedRow
      try writer.write(folder.episodes, of: id)
      try finish(folder, as: id, in: db, writer)
    }
  }

  /// Stores what was read of a folder, after its episodes.
  private static func finish(
    _ folder: ScannedFolder, as id: Int64, in db: SQLiteConnection, _ writer: EpisodeRowWriter
  ) throws {
    try writer.write(folder.lines, of: id)
    try writer.remove(folder.superseded, of: id)
    for file in folder.lost {
      try db.run("INSERT INTO lost VALUES (\(id), \(file.text))")
    }
    try db.run(
      "UPDATE folder SET stamp = \(folder.stamp), trace = \(folder.trace?.text) WHERE id = \(id)")
  }

  /// Updates the rows of a folder whose record has the same episodes as before, as after a star or a
  /// removal: only what is different is written. In a large library each new row costs several pages.
  ///
  /// - Returns: its number; nil if it has other episodes.
  private static func update(
    _ folder: ScannedFolder, in db: SQLiteConnection, _ writer: EpisodeRowWriter
  ) throws -> Int64? {
    let known: SQLQuery = "SELECT id FROM folder WHERE path = \(folder.path.text)"
    guard let id = try IndexRows.first(db, known, { try $0.integer() }) else { return nil }
    // In the order of the rows, SQLite would read those of all folders.
    let own: SQLQuery = """
      WHERE episode.podcast IN (SELECT id FROM podcast WHERE folder = \(id)) ORDER BY +episode.id
      """
    let before = try rows(db, own, [])
    let now = folder.episodes
    guard before.count == now.count,
      zip(before, now).allSatisfy({ $0.key == $1.key && $0.podcast == $1.podcast })
    else { return nil }
    var places: [(row: Int64, podcast: Int64)] = []
    let rows = try IndexRows(db, "SELECT id, podcast FROM episode \(own)")
    while var columns = try rows.next() {
      places.append((try columns.integer(), try columns.integer()))
    }
    // Names in two Unicode forms are equal as texts.
    for (place, (old, new)) in zip(places, zip(before, now))
    where old != new || !old.path.utf8.elementsEqual(new.path.utf8) {
      try writer.write(new, as: place.row, of: id, place.podcast)
    }
    return id
  }

  /// The folders with files that their records named once and do not name now, by their paths.
  static func lost(_ db: SQLiteConnection) throws -> [LibraryReading.Lost] {
    let rows = try IndexRows(
      db,
      """
      SELECT path, count(*) FROM lost JOIN folder ON folder.id = lost.folder
      GROUP BY folder.id ORDER BY path
      """)
    var lost: [LibraryReading.Lost] = []
    while var columns = try rows.next() {
      lost.append(
        LibraryReading.Lost(folder: try columns.path(), count: Int(try columns.integer())))
    }
    return lost
  }

  /// The keys of the episodes that were complete, with their folders.
  static func complete(_ db: SQLiteConnection) throws -> [(folder: RelativePath, key: String)] {
    let rows = try IndexRows(
      db,
      """
      SELECT folder.path, episode.key FROM folder JOIN episode ON episode.folder = folder.id
      WHERE episode.status = 'complete'
      """)
    var complete: [(folder: RelativePath, key: String)] = []
    while var columns = try rows.next() {
      complete.append((try columns.path(), try columns.text()))
    }
    return complete
  }
}
