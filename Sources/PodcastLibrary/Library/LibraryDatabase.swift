internal import CFiles
internal import CSQLite
import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// The index of a library, `.podget/library.sqlite`: the content of the folders' records, in one
/// place.
///
/// It is derived from the folders alone, and can be lost at any moment. It is opened for one query
/// and closed after it, so that it may be deleted while podget runs.
package struct LibraryDatabase {
  /// Why the index cannot be used.
  package enum Failure: Error, Sendable, Hashable {
    /// A newer podget wrote it, and it may contain what this one does not know.
    case newer
    /// Its content is invalid.
    case damaged
    /// It cannot be opened, locked, read or written now.
    case unavailable
  }

  static let name = ".podget/\(fileName)"
  static let fileName = "library.sqlite"

  /// The version of SQLite, such as `3.40.1`.
  package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// Whether this user may not use it, or it is no file. Any other reason ends by itself.
  var isClosed: Bool {
    guard let status = root.status(of: Self.name) else {
      // On a read-only disk there can be none.
      return faccessat(root.number, ".podget", W_OK, AT_EACCESS) != 0 && errno != EROFS
    }
    guard status.is_regular else { return true }
    return faccessat(root.number, Self.name, R_OK | W_OK, AT_EACCESS) != 0 && errno != EROFS
  }

  private let root: OpenFile
  private let file: DatabaseFile

  /// Creates the index of a library; nothing is opened yet.
  init(library: Library) {
    root = library.root
    file = DatabaseFile(
      Self.fileName, version: LibrarySchema.version, in: library, create: LibrarySchema.create)
  }

  /// The recorded episodes as the folders have them now, in the order of the folders' paths.
  ///
  /// Changes since the last time are read from the disk and written to the index.
  ///
  /// - Parameters:
  ///   - query: the requested episodes.
  ///   - others: keys of further episodes that are wanted.
  ///   - hasDetails: whether more than listings show is wanted.
  ///   - earlier: what was found a moment ago; then nothing is read from the disk.
  ///   - isEnough: whether these episodes are enough; if not, all are read with their details.
  func episodes(
    _ query: EpisodeQuery = .all, and others: [EpisodeKey] = [], hasDetails: Bool = true,
    at earlier: FoundEpisodes? = nil,
    isEnough: (UniqueEpisodes) -> Bool = { _ in true }
  ) throws(Failure) -> FoundEpisodes {
    let scan = FolderScan(root: root)
    let folder: OpenFile
    do throws(DiskError) {
      folder = try OpenFile.ownFolder(nil, in: root, creating: false)
    } catch {
      // Nothing is stored if a link or a file has the folder's name.
      guard error.number == ENOENT else { throw .unavailable }
      // A command that only looks into a folder without a library leaves nothing behind.
      let found = FoundEpisodes(scan.changes(since: []))
      guard !found.episodes.all.isEmpty,
        (try? OpenFile.ownFolder(nil, in: root, creating: true)) != nil
      else { return found }
      return try episodes(
        query, and: others, hasDetails: hasDetails, at: earlier, isEnough: isEnough)
    }
    // The first command in a new library needs no index.
    if folder.status(of: Self.fileName) == nil, root.isEmptyFolder(except: ".podget") {
      return FoundEpisodes(FolderChanges())
    }
    do {
      return try file.use(in: folder) {
        try answer(scan, at: earlier) { db, emptied in
          try LibraryRows.episodes(
            db, query, and: others, hasDetails: hasDetails, emptied: emptied, isEnough: isEnough)
        }
      }
    } catch {
      throw DatabaseFile.failure(error)
    }
  }
}

extension LibraryDatabase {
  /// What the record of a folder says about episodes, by their keys, without reading more of it than
  /// these lines and what was added to it. It blocks on the disk.
  ///
  /// - Parameter record: the opened record.
  /// - Returns: nil if the index cannot be used, or does not know the record as it is.
  func facts(
    about keys: [EpisodeKey], in folder: OpenFile, at path: RelativePath, of record: OpenFile
  ) -> [EpisodeKey: [FolderFact]]? {
    try? using { db in
      let index = FolderIndex(db)
      guard let known = try index.folder(path),
        let trace = known.trace.flatMap(FolderTrace.init(text:)), trace.isProven(by: record)
      else { return nil }
      var facts: [EpisodeKey: [FolderFact]] = [:]
      for key in keys {
        guard
          let earlier = try index.facts(about: key, in: known.id, of: record, before: trace.end)
        else { return nil }
        facts[key] = earlier.map(\.fact)
      }
      let added = try FolderRecords.log(in: folder).reading(of: record, from: trace.end).lines
      for fact in added {
        guard let key = fact.key else { continue }
        facts[key]?.append(fact)
      }
      return facts
    }
  }

  /// The folders that were on another disk than the library's own folder when they were read, and those
  /// whose state is not sure. None if the index cannot be used.
  func foldersOnOtherDisks() -> [RelativePath] {
    guard let device = root.status?.device else { return [] }
    let stamps = "\(Int64(bitPattern: device)) %"
    let found = try? using { db in
      let rows = try IndexRows(
        db,
        """
        SELECT path FROM folder WHERE stamp IS NULL OR stamp NOT LIKE \(stamps) ORDER BY path
        """)
      var paths: [RelativePath] = []
      while var columns = try rows.next() { paths.append(try columns.path()) }
      return paths
    }
    return (found ?? nil) ?? []
  }

  /// The keys of episodes in a folder whose files have a stem. None if the index cannot be used.
  func keys(withStem stem: String, in folder: RelativePath) -> [EpisodeKey] {
    let found = try? using { db in
      let rows = try IndexRows(
        db,
        """
        SELECT key FROM episode WHERE stem = \(stem)
          AND folder = (SELECT id FROM folder WHERE path = \(folder.text))
        """)
      var keys: [EpisodeKey] = []
      while var columns = try rows.next() {
        if let key = EpisodeKey(try columns.text()) { keys.append(key) }
      }
      return keys
    }
    return (found ?? nil) ?? []
  }

  /// Makes the next query read all records as a whole.
  func forgetReadings() {
    _ = try? using { db in try db.run("UPDATE folder SET stamp = NULL, trace = NULL") }
  }

  /// Uses the index in one transaction, if there is one.
  private func using<Result>(_ work: (SQLiteConnection) throws -> Result?) throws -> Result? {
    let folder = try OpenFile.ownFolder(nil, in: root, creating: false)
    guard folder.status(of: Self.fileName) != nil else { return nil }
    return try file.use(in: folder) {
      let db = try file.open()
      var result: Result?
      try db.transaction(.deferred) { result = try work(db) }
      return result
    }
  }
}

extension LibraryDatabase {
  /// Brings the index up to date and answers a query from it.
  ///
  /// - Parameter earlier: what was found when it was brought up to date; nil to do that now.
  private func answer(
    _ scan: FolderScan, at earlier: FoundEpisodes?,
    _ read: (SQLiteConnection, [EmptiedFolder]) throws -> (episodes: UniqueEpisodes, areAll: Bool)
  ) throws -> FoundEpisodes {
    let db = try file.open()
    if var found = earlier {
      var isKnown = false
      try db.transaction(.deferred) {
        // Somebody may have deleted the index since; it is filled as a whole.
        isKnown = try db.integer("SELECT 1 FROM folder LIMIT 1") != nil
        if isKnown { (found.episodes, found.areAll) = try read(db, found.emptied) }
      }
      if isKnown { return found }
    }
    var found: (episodes: UniqueEpisodes, areAll: Bool)?
    var changes = FolderChanges()
    var emptied: [EmptiedFolder] = []
    var lost: [LibraryReading.Lost] = []
    var known: [KnownFolder]?
    // Usually nothing has changed, and then no other process has to wait.
    for kind in [SQLiteConnection.Transaction.deferred, .immediate] where found == nil {
      try db.transaction(kind) {
        // Another podget may have been faster.
        let now = try LibraryRows.folders(db)
        if now != known {
          known = now
          let tails = FolderTails(db, open: { [file] in try file.open() })
          changes = scan.changes(since: now, tails)
          if let failure = tails.failure { throw failure }
          emptied =
            changes.empty.isEmpty ? [] : changes.takeEmptied(try LibraryRows.complete(db))
        }
        if kind == .immediate { try LibraryRows.apply(changes, in: db) }
        if kind == .immediate || changes.isEmpty {
          found = try read(db, emptied)
          lost = try LibraryRows.lost(db)
        }
      }
    }
    var all = FoundEpisodes(found ?? (UniqueEpisodes(), true), changes, emptied: emptied)
    all.lost = lost
    return all
  }
}
