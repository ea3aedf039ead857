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
      try replace.execute(arguments: [folder.path.text])
      try insert.execute(
        arguments: [folder.path.text] + arguments(folder.stamp.folder)
          + arguments(folder.stamp.records) + [folder.isSettled])
      try writer.write(folder.episodes, of: db.lastInsertedRowID)
    }
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
