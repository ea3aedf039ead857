import FoundationEssentials
internal import GRDB

/// Folders and episodes as rows of the index, by the place of their columns: names would cost more
/// than the values.
enum LibraryRows {
  /// The folders that the index knows, by their paths.
  static func folders(_ db: Database) throws -> [KnownFolder] {
    let rows = try IndexRows(
      db,
      sql: """
        SELECT id, path, device, inode, size, modified, changed,
          recordsDevice, recordsInode, recordsSize, recordsModified, recordsChanged, isSettled
        FROM folder ORDER BY path
        """)
    var folders: [KnownFolder] = []
    while var columns = try rows.next() {
      let id = try columns.integer()
      let path = try columns.text()
      let folder = try stamp(&columns)
      let records = columns.isNull ? try skippedStamp(&columns) : try stamp(&columns)
      folders.append(
        KnownFolder(
          id: id, path: path, stamp: FolderStamp(folder: folder, records: records),
          isSettled: try columns.flag()))
    }
    return folders
  }

  /// Brings the rows up to what was found on the disk.
  static func apply(_ changes: FolderChanges, in db: Database) throws {
    let forget = try db.makeStatement(sql: "DELETE FROM folder WHERE id = ?")
    for id in changes.gone { try forget.execute(arguments: [id]) }
    let replace = try db.makeStatement(sql: "DELETE FROM folder WHERE path = ?")
    let writer = try EpisodeRowWriter(db)
    let insert = try db.makeStatement(
      sql: """
        INSERT INTO folder VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for folder in changes.scanned {
      try replace.execute(arguments: [folder.path])
      try insert.execute(
        arguments: [folder.path] + arguments(folder.stamp.folder)
          + arguments(folder.stamp.records) + [folder.isSettled])
      try writer.write(folder.episodes, of: db.lastInsertedRowID)
    }
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
