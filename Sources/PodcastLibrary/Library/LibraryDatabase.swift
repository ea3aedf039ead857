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
  private let path: String

  /// Creates the index of a library; nothing is opened yet.
  init(library: Library) {
    root = library.root
    path = "\(library.path)/\(Self.name)"
  }

  /// The recorded episodes as the folders have them now, in the order of the folders' paths.
  ///
  /// Changes since the last time are read from the disk and written to the index.
  ///
  /// - Parameters:
  ///   - query: the requested episodes.
  ///   - others: keys of further episodes that are wanted.
  ///   - hasDetails: whether more than listings show is wanted.
  ///   - isEnough: whether these episodes are enough; if not, all are read with their details.
  func episodes(
    _ query: EpisodeQuery = .all, and others: [EpisodeKey] = [], hasDetails: Bool = true,
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
      return try episodes(query, and: others, hasDetails: hasDetails, isEnough: isEnough)
    }
    // The first command in a new library needs no index.
    if folder.status(of: Self.fileName) == nil, root.isEmptyFolder(except: ".podget") {
      return FoundEpisodes(FolderChanges())
    }
    func found() throws(Failure) -> FoundEpisodes {
      try answer(scan) { db, emptied in
        try LibraryRows.episodes(
          db, query, and: others, hasDetails: hasDetails, emptied: emptied, isEnough: isEnough)
      }
    }
    try prepareFiles(in: folder)
    // Held as long as the index is open: a process that removes a damaged index must be alone.
    flock(folder.number, LOCK_SH)
    do throws(Failure) {
      return try found()
    } catch {
      guard error == .damaged, flock(folder.number, LOCK_EX | LOCK_NB) == 0 else { throw error }
      remove(in: folder)
      try prepareFiles(in: folder)
      return try found()
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
        facts[key] = earlier
      }
      let added = try FolderRecords.log(in: folder).reading(of: record, from: trace.end).lines
      for fact in added {
        guard let key = fact.key else { continue }
        facts[key]?.append(fact)
      }
      return facts
    }
  }

  /// Makes the next query read all records as a whole.
  func forgetReadings() {
    _ = try? using { db in try db.run("UPDATE folder SET stamp = NULL, trace = NULL") }
  }

  /// Uses the index in one transaction, if there is one.
  private func using<Result>(_ work: (SQLiteConnection) throws -> Result?) throws -> Result? {
    let folder = try OpenFile.ownFolder(nil, in: root, creating: false)
    guard folder.status(of: Self.fileName) != nil else { return nil }
    try prepareFiles(in: folder)
    return try withExtendedLifetime(folder) {
      flock(folder.number, LOCK_SH)
      let db = try open()
      try Self.prepare(db)
      var result: Result?
      try db.transaction(.deferred) { result = try work(db) }
      return result
    }
  }
}

package extension LibraryDatabase {
  /// Creates an empty index if there is none, so that SQLite, which gives its other files the mode
  /// of the first, creates none that others may read.
  ///
  /// SQLite would follow a link to the index and wait for a FIFO. After a crash, a file beside an
  /// index without a log may name any file as one to be deleted; such an index is rebuilt instead.
  private func prepareFiles(in folder: OpenFile) throws(Failure) {
    for ending in ["", "-wal", "-shm", "-journal"] {
      guard let status = folder.status(of: Self.fileName + ending) else { continue }
      // SQLite itself does not follow links to the files beside the index.
      guard status.is_regular || status.is_link && !ending.isEmpty else { throw .unavailable }
    }
    // Somebody else created it, such as root by a list, and left it to nobody.
    if let status = folder.status(of: Self.fileName), status.is_regular,
      status.owner != geteuid(),
      faccessat(folder.number, Self.fileName, R_OK | W_OK, AT_EACCESS) != 0,
      flock(folder.number, LOCK_EX | LOCK_NB) == 0
    {
      remove(in: folder)
    }
    if folder.status(of: "\(Self.fileName)-journal") != nil,
      flock(folder.number, LOCK_EX | LOCK_NB) == 0
    {
      remove(in: folder)
    }
    let created = try? OpenFile.writableOwnFile(Self.fileName, in: folder, flags: O_RDWR | O_EXCL)
    // What root creates belongs to the library's owner, who could not use it otherwise.
    if let created, geteuid() == 0, let owner = folder.status?.owner, owner != 0 {
      fchown(created.number, owner, gid_t.max)
    }
  }

  private func remove(in folder: OpenFile) {
    for ending in ["", "-wal", "-shm", "-journal"] {
      unlinkat(folder.number, Self.fileName + ending, 0)
    }
  }

  private func answer(
    _ scan: FolderScan,
    _ read: (SQLiteConnection, [EmptiedFolder]) throws -> (episodes: UniqueEpisodes, areAll: Bool)
  ) throws(Failure) -> FoundEpisodes {
    do {
      let db = try open()
      try Self.prepare(db)
      var found: (episodes: UniqueEpisodes, areAll: Bool)?
      var changes = FolderChanges()
      var emptied: [EmptiedFolder] = []
      var known: [KnownFolder]?
      // Usually nothing has changed, and then no other process has to wait.
      for kind in [SQLiteConnection.Transaction.deferred, .immediate] where found == nil {
        try db.transaction(kind) {
          // Another podget may have been faster.
          let now = try LibraryRows.folders(db)
          if now != known {
            known = now
            let tails = FolderTails(db)
            changes = scan.changes(since: now, tails)
            if let failure = tails.failure { throw failure }
            emptied =
              changes.empty.isEmpty ? [] : changes.takeEmptied(try LibraryRows.complete(db))
          }
          if kind == .immediate { try LibraryRows.apply(changes, in: db) }
          if kind == .immediate || changes.isEmpty { found = try read(db, emptied) }
        }
      }
      return FoundEpisodes(found ?? (UniqueEpisodes(), true), changes, emptied: emptied)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Opens the index, or creates an empty one.
  ///
  /// With a write-ahead log, readers and a writer do not wait for each other, but it needs shared
  /// memory, which some file systems do not have, and which machines never share. On those, a
  /// rollback journal is used. An index that already has such a journal keeps it.
  private func open() throws -> SQLiteConnection {
    if !FileSystemKind.mayBeRemote(root) {
      do {
        return try open(useLog)
      } catch let error as SQLiteError {
        let isWithoutMemory = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_READONLY]
        guard isWithoutMemory.contains(error.code) else { throw error }
      }
    }
    // Processes that leave the log at the same moment each hold a lock that the others wait for, and
    // patience does not end that: each lets go, and tries again at another moment.
    for _ in 1..<Self.attempts {
      do {
        return try open(useRollbackJournal, patience: Self.shortPatience)
      } catch let error as SQLiteError {
        guard [SQLITE_BUSY, SQLITE_PROTOCOL].contains(error.code) else { throw error }
        usleep(.random(in: 1_000...200_000))
      }
    }
    return try open(useRollbackJournal)
  }

  /// How long a statement waits for another process, in milliseconds.
  private static var patience: Int32 { 5_000 }
  private static var shortPatience: Int32 { 20 }
  /// How often an index is opened whose log must be left.
  private static var attempts: Int { 50 }

  private func open(
    _ chooseJournal: (SQLiteConnection) throws -> Void, patience: Int32 = patience
  ) throws -> SQLiteConnection {
    let db = try SQLiteConnection(path: path, patience: patience)
    // For an existing index this changes nothing. A listing reads all pages: few large ones are
    // faster.
    try db.execute("PRAGMA page_size = 16384")
    try chooseJournal(db)
    // A power failure may lose the last changes, which are made again, but must not mix old and new.
    try db.execute("PRAGMA synchronous = NORMAL")
    // Functions that a planted schema calls can do no harm.
    try db.execute("PRAGMA trusted_schema = OFF")
    db.wait(Self.patience)
    return db
  }

  private func useLog(_ db: SQLiteConnection) throws {
    if try db.integer("PRAGMA page_count") == 0 { try db.execute("PRAGMA journal_mode = WAL") }
    // Only the first access to a table uses the memory.
    _ = try db.integer("SELECT count(*) FROM sqlite_schema")
  }

  private func useRollbackJournal(_ db: SQLiteConnection) throws {
    // Without that memory, an index with a log can be read only by a process that is alone and says
    // so before anything else.
    try db.execute("PRAGMA locking_mode = EXCLUSIVE")
    try db.execute("PRAGMA journal_mode = DELETE")
    try db.execute("PRAGMA locking_mode = NORMAL")
  }

  /// Creates the tables in an empty index, and makes sure that any other one has them.
  private static func prepare(_ db: SQLiteConnection) throws {
    func hasTables() throws -> Bool {
      let version = try db.integer("PRAGMA user_version") ?? 0
      guard version <= LibrarySchema.version else { throw Failure.newer }
      // podget creates no views and triggers; they could keep a query from ending.
      let foreign = try db.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')")
      guard foreign == 0 else { throw Failure.damaged }
      if version == LibrarySchema.version { return true }
      // An index of an earlier podget is treated as damaged: all of it can be read again.
      guard try db.integer("SELECT count(*) FROM sqlite_schema") == 0 else { throw Failure.damaged }
      return false
    }
    var isReady = false
    // All reads must see the same moment, and another podget may be faster.
    for kind in [SQLiteConnection.Transaction.deferred, .immediate] where !isReady {
      try db.transaction(kind) {
        isReady = try hasTables()
        if !isReady, kind == .immediate { try LibrarySchema.create(in: db) }
      }
    }
  }

  private static func failure(_ error: any Error) -> Failure {
    if let failure = error as? Failure { return failure }
    switch (error as? SQLiteError)?.code {
    // Tables that differ from the schema are treated as damaged.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      return .damaged
    default: return .unavailable
    }
  }
}
