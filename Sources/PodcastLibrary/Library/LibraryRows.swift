import FoundationEssentials
internal import GRDB
import PodcastModel

/// Folders and episodes as rows of the index, by column positions: names would cost more than the
/// values.
enum LibraryRows {
  /// The folders that the index knows, by their paths.
  static func folders(_ db: Database) throws -> [KnownFolder] {
    let rows = try IndexRows(
      db,
      """
      SELECT id, path, device, inode, size, modified, changed,
        recordsDevice, recordsInode, recordsSize, recordsModified, recordsChanged, isSettled
      FROM folder ORDER BY path
      """)
    var folders: [KnownFolder] = []
    while var columns = try rows.next() {
      let id = try columns.integer()
      guard let path = RelativePath(try columns.text()) else {
        throw LibraryDatabase.Failure.damaged
      }
      let folder = try stamp(&columns)
      let records = columns.isNull ? try skippedStamp(&columns) : try stamp(&columns)
      folders.append(
        KnownFolder(
          id: id, path: path, stamp: FolderStamp(folder: folder, records: records),
          isSettled: try columns.flag()))
    }
    return folders
  }

  /// Updates the rows to the state of the disk.
  static func apply(_ changes: FolderChanges, in db: Database) throws {
    let forget = try db.makeStatement(sql: "DELETE FROM folder WHERE id = ?")
    for folder in changes.gone { try forget.execute(arguments: [folder.id]) }
    let replace = try db.makeStatement(sql: "DELETE FROM folder WHERE path = ?")
    let writer = try EpisodeRowWriter(db)
    let insert = try db.makeStatement(
      sql: """
        INSERT INTO folder VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for folder in changes.scanned {
      if try update(folder, in: db, writer) { continue }
      try replace.execute(arguments: [folder.path.text])
      try insert.execute(
        arguments: [folder.path.text] + arguments(folder.stamp.folder)
          + arguments(folder.stamp.records) + [folder.isSettled])
      try writer.write(folder.episodes, of: db.lastInsertedRowID)
    }
  }

  /// Updates the rows of a folder whose record has the same episodes as before, as after a star or a
  /// removal: only what is different is written. In a large library each new row costs several pages.
  ///
  /// - Returns: whether it has the same episodes.
  private static func update(
    _ folder: ScannedFolder, in db: Database, _ writer: EpisodeRowWriter
  ) throws -> Bool {
    let id = try IndexRows.first(
      db, "SELECT id FROM folder WHERE path = \(folder.path.text)"
    ) { try $0.integer() }
    guard let id else { return false }
    // In the order of the rows, SQLite would read those of all folders.
    let own: SQL = """
      WHERE episode.podcast IN (SELECT id FROM podcast WHERE folder = \(id)) ORDER BY +episode.id
      """
    let before = try rows(db, own, [])
    let now = folder.episodes
    guard before.count == now.count,
      zip(before, now).allSatisfy({ $0.key == $1.key && $0.podcast == $1.podcast })
    else { return false }
    var places: [(row: Int64, podcast: Int64)] = []
    let rows = try IndexRows(db, "SELECT id, podcast FROM episode \(own)")
    while var columns = try rows.next() {
      places.append((try columns.integer(), try columns.integer()))
    }
    for (place, (old, new)) in zip(places, zip(before, now)) where old != new {
      try writer.replace(place.row, with: new, of: id, podcast: place.podcast)
    }
    try db.execute(
      sql: """
        UPDATE folder SET device = ?, inode = ?, size = ?, modified = ?, changed = ?,
          recordsDevice = ?, recordsInode = ?, recordsSize = ?, recordsModified = ?,
          recordsChanged = ?, isSettled = ?
        WHERE id = ?
        """,
      arguments: arguments(folder.stamp.folder) + arguments(folder.stamp.records)
        + [folder.isSettled, id])
    return true
  }

  /// The keys of the episodes that were complete, with their folders.
  static func complete(_ db: Database) throws -> [(folder: RelativePath, key: String)] {
    let rows = try IndexRows(
      db,
      """
      SELECT folder.path, episode.key FROM folder JOIN episode ON episode.folder = folder.id
      WHERE episode.status = 'complete'
      """)
    var complete: [(folder: RelativePath, key: String)] = []
    while var columns = try rows.next() {
      guard let path = RelativePath(try columns.text()) else {
        throw LibraryDatabase.Failure.damaged
      }
      complete.append((path, try columns.text()))
    }
    return complete
  }

  private static func stamp(_ columns: inout RowColumns) throws -> FileStamp {
    FileStamp(
      device: try columns.integer(), inode: try columns.integer(), size: try columns.integer(),
      modified: try columns.integer(), changed: try columns.integer())
  }

  private static func skippedStamp(_ columns: inout RowColumns) throws -> FileStamp? {
    columns.skip(5)
    return nil
  }

  private static func arguments(_ stamp: FileStamp?) -> StatementArguments {
    [stamp?.device, stamp?.inode, stamp?.size, stamp?.modified, stamp?.changed]
  }
}
