internal import CFiles
internal import CSQLite
import Glibc
internal import PodcastSystem
import PodcastTransfer

/// A database of podget's own in a library's `.podget`: all in it can be made again, so it may be lost at
/// any moment, and it is replaced if it cannot be used.
struct DatabaseFile: Sendable {
  /// The file's name in `.podget`.
  let fileName: String
  /// The version of its tables: the file's `user_version`.
  let version: Int64
  /// Creates the tables in an empty file.
  let create: @Sendable (SQLiteConnection) throws -> Void
  /// Whether it has a write-ahead log where the file system allows that. Without one, it can be read on a
  /// read-only disk.
  let usesLog: Bool
  /// How long a statement waits for another process, in milliseconds.
  private let patience: Int32
  private let root: OpenFile
  private let path: String

  /// Names the file; nothing is opened yet.
  init(
    _ fileName: String, version: Int64, in library: Library, usesLog: Bool = true,
    patience: Int32 = 5_000, create: @escaping @Sendable (SQLiteConnection) throws -> Void
  ) {
    self.fileName = fileName
    self.version = version
    self.create = create
    self.usesLog = usesLog
    self.patience = patience
    root = library.root
    path = "\(library.path)/.podget/\(fileName)"
  }

  /// Opens the database, or creates an empty one, and makes sure that it has its tables.
  func open() throws -> SQLiteConnection {
    let db = try connection()
    try prepare(db)
    return db
  }

  /// Creates an empty index if there is none, so that SQLite, which gives its other files the mode
  /// of the first, creates none that others may read.
  ///
  /// SQLite would follow a link to the index and wait for a FIFO. After a crash, a file beside an
  /// index without a log may name any file as one to be deleted; such an index is rebuilt instead.
  private func prepareFiles(in folder: OpenFile) throws(LibraryDatabase.Failure) {
    for ending in ["", "-wal", "-shm", "-journal"] {
      guard let status = folder.status(of: fileName + ending) else { continue }
      // SQLite itself does not follow links to the files beside the index.
      guard status.is_regular || status.is_link && !ending.isEmpty else { throw .unavailable }
    }
    // Somebody else created it, such as root by a list, and left it to nobody.
    if let status = folder.status(of: fileName), status.is_regular,
      status.owner != geteuid(),
      faccessat(folder.number, fileName, R_OK | W_OK, AT_EACCESS) != 0,
      flock(folder.number, LOCK_EX | LOCK_NB) == 0
    {
      remove(in: folder)
    }
    if folder.status(of: "\(fileName)-journal") != nil,
      flock(folder.number, LOCK_EX | LOCK_NB) == 0
    {
      remove(in: folder)
    }
    let created = try? OpenFile.writableOwnFile(fileName, in: folder, flags: O_RDWR | O_EXCL)
    // What root creates belongs to the library's owner, who could not use it otherwise.
    if let created, geteuid() == 0, let owner = folder.status?.owner, owner != 0 {
      fchown(created.number, owner, gid_t.max)
    }
  }

  /// Prepares the file and uses it. `.podget` stays locked with others as long as `folder` is open.
  ///
  /// A damaged file is replaced by an empty one, and used once more. Who does that must be alone, so it
  /// waits for others that use a file of podget's there: other processes, and other threads of this one.
  ///
  /// - Parameter folder: the opened `.podget`.
  /// - Throws: what `work` throws; ``LibraryDatabase/Failure/unavailable`` if another process holds the
  ///   lock for too long.
  func use<Result>(in folder: OpenFile, _ work: () throws -> Result) throws -> Result {
    try prepareFiles(in: folder)
    guard lock(folder, LOCK_SH, patience) else { throw LibraryDatabase.Failure.unavailable }
    // The lock ends with the folder's descriptor.
    defer { withExtendedLifetime(folder) {} }
    do {
      return try work()
    } catch {
      guard Self.failure(error) == .damaged, lock(folder, LOCK_EX, Self.patienceForReplacing) else {
        throw error
      }
    }
    // Somebody else may have replaced it meanwhile.
    do {
      return try work()
    } catch {
      guard Self.failure(error) == .damaged else { throw error }
      remove(in: folder)
      try prepareFiles(in: folder)
      return try work()
    }
  }

  /// How long a damaged file waits to be replaced, in milliseconds. Others open a file of podget's only
  /// for a moment.
  private static var patienceForReplacing: Int32 { 5_000 }

  /// Locks a folder, or changes its lock, within some milliseconds. On a file system without locks only
  /// sharing is possible.
  private func lock(_ folder: OpenFile, _ kind: Int32, _ patience: Int32) -> Bool {
    let end = ContinuousClock.now + .milliseconds(Int(patience))
    while flock(folder.number, kind | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { return kind == LOCK_SH }
      guard ContinuousClock.now < end else { return false }
      usleep(10_000)
    }
    return true
  }

  private func remove(in folder: OpenFile) {
    for ending in ["", "-wal", "-shm", "-journal"] {
      unlinkat(folder.number, fileName + ending, 0)
    }
  }
}

extension DatabaseFile {
  /// Opens the file, or creates an empty one.
  ///
  /// With a write-ahead log, readers and a writer do not wait for each other, but it needs shared
  /// memory, which some file systems do not have, and which machines never share. On those, a
  /// rollback journal is used. An index that already has such a journal keeps it.
  private func connection() throws -> SQLiteConnection {
    // A new file has a rollback journal.
    guard usesLog else { return try open { _ in } }
    if !OperatingSystem.mayBeRemote(root.number) {
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

  /// How long, in milliseconds, a process waits that must leave the log.
  private static var shortPatience: Int32 { 20 }
  /// How often an index is opened whose log must be left.
  private static var attempts: Int { 50 }

  private func open(
    _ chooseJournal: (SQLiteConnection) throws -> Void, patience first: Int32? = nil
  ) throws -> SQLiteConnection {
    let db = try SQLiteConnection(path: path, patience: first ?? patience)
    // For an existing index this changes nothing. A listing reads all pages: few large ones are
    // faster.
    try db.execute("PRAGMA page_size = 16384")
    try chooseJournal(db)
    // A power failure may lose the last changes, which are made again, but must not mix old and new.
    try db.execute("PRAGMA synchronous = NORMAL")
    // Functions that a planted schema calls can do no harm.
    try db.execute("PRAGMA trusted_schema = OFF")
    db.wait(patience)
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
  private func prepare(_ db: SQLiteConnection) throws {
    func hasTables() throws -> Bool {
      let found = try db.integer("PRAGMA user_version") ?? 0
      guard found <= version else { throw LibraryDatabase.Failure.newer }
      // podget creates no views and triggers; they could keep a query from ending.
      let foreign = try db.integer(
        "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')")
      guard foreign == 0 else { throw LibraryDatabase.Failure.damaged }
      if found == version { return true }
      // An index of an earlier podget is treated as damaged: all of it can be read again.
      guard try db.integer("SELECT count(*) FROM sqlite_schema") == 0 else {
        throw LibraryDatabase.Failure.damaged
      }
      return false
    }
    var isReady = false
    // All reads must see the same moment, and another podget may be faster.
    for kind in [SQLiteConnection.Transaction.deferred, .immediate] where !isReady {
      try db.transaction(kind) {
        isReady = try hasTables()
        if !isReady, kind == .immediate { try create(db) }
      }
    }
  }

  static func failure(_ error: any Error) -> LibraryDatabase.Failure {
    if let failure = error as? LibraryDatabase.Failure { return failure }
    switch (error as? SQLiteError)?.code {
    // Tables that differ from the schema are treated as damaged.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      return .damaged
    default: return .unavailable
    }
  }
}
