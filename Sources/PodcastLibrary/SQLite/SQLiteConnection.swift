internal import CSQLite
import PodcastModel

/// A connection to a database file, for one thread at a time.
///
/// Every statement of it must have ended before it is closed, which its end does.
final class SQLiteConnection {
  /// When a transaction takes its locks.
  enum Transaction: String {
    /// With the first read and the first write.
    case deferred = "DEFERRED"
    /// At once, for writing: others can read, but not write.
    case immediate = "IMMEDIATE"
  }

  private let database: OpaquePointer
  /// Compiled statements that nobody uses now, by their texts.
  private var idle: [String: OpaquePointer] = [:]

  /// The work that is left to a database from anywhere.
  private var work: UnsafeMutablePointer<CLong>?

  /// Opens a database, and creates an empty file if there is none.
  ///
  /// Foreign keys hold, and texts in double quotes are names alone.
  ///
  /// - Parameters:
  ///   - path: the file. It is used as it is, never as a URI.
  ///   - patience: how long a statement waits for another process before it fails, in milliseconds.
  convenience init(path: String, patience: Int32) throws(SQLiteError) {
    try self.init(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    wait(patience)
    try execute("PRAGMA foreign_keys = ON")
  }

  /// Opens a database of another program to read it: without locks, and nothing is written beside it.
  /// Long values and endless work are errors.
  ///
  /// - Parameter path: a file that nobody changes meanwhile.
  convenience init(reading path: String) throws(SQLiteError) {
    let escaped = path.utf8.map { PercentEncoding.encoded($0) }.joined()
    try self.init("file:\(escaped)?immutable=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    let work = UnsafeMutablePointer<CLong>.allocate(capacity: 1)
    self.work = work
    podget_distrust(database, work)
  }

  private init(_ name: String, flags: Int32) throws(SQLiteError) {
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK, let opened else {
      let error = SQLiteError(result, opened)
      sqlite3_close(opened)
      throw error
    }
    database = opened
    podget_refuse_quoted_strings(opened)
  }

  deinit {
    for statement in idle.values { sqlite3_finalize(statement) }
    sqlite3_close(database)
    work?.deallocate()
  }

  /// The number of the row that was inserted last.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(database) }

  /// Sets how long a statement waits for another process before it fails, in milliseconds.
  func wait(_ patience: Int32) { sqlite3_busy_timeout(database, patience) }

  /// Runs statements without arguments, and drops their rows.
  func execute(_ text: String) throws(SQLiteError) {
    try check(sqlite3_exec(database, text, nil, nil, nil))
  }

  /// Runs a statement to its end, and drops its rows.
  func run(_ query: SQLQuery) throws(SQLiteError) {
    let statement = try SQLiteStatement(query, in: self)
    while try statement.step() {}
  }

  /// The first column of a query's first row as an integer; nil without a row.
  func integer(_ query: SQLQuery) throws(SQLiteError) -> Int64? {
    let statement = try SQLiteStatement(query, in: self)
    return try statement.step() ? sqlite3_column_int64(statement.pointer, 0) : nil
  }

  /// Runs the work in a transaction, which is undone if the work throws.
  func transaction(_ kind: Transaction, _ work: () throws -> Void) throws {
    try execute("BEGIN \(kind.rawValue) TRANSACTION")
    do {
      try work()
      try execute("COMMIT TRANSACTION")
    } catch {
      // After some failures SQLite has done so itself.
      try? execute("ROLLBACK TRANSACTION")
      throw error
    }
  }

  fileprivate func take(_ text: String) throws(SQLiteError) -> OpaquePointer {
    if let statement = idle.removeValue(forKey: text) { return statement }
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v3(
      database, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard result == SQLITE_OK, let statement else { throw SQLiteError(result, database) }
    return statement
  }

  fileprivate func giveBack(_ statement: OpaquePointer, _ text: String) {
    sqlite3_reset(statement)
    sqlite3_clear_bindings(statement)
    if let other = idle.updateValue(statement, forKey: text) { sqlite3_finalize(other) }
  }

  fileprivate func check(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else { throw SQLiteError(result, database) }
  }
}

/// A compiled statement of a connection, which the connection gets back at the end.
final class SQLiteStatement {
  /// SQLite's statement, to read the columns of a row directly.
  let pointer: OpaquePointer
  private let connection: SQLiteConnection
  private let text: String

  /// Compiles a statement and sets its parameters.
  init(_ query: SQLQuery, in connection: SQLiteConnection) throws(SQLiteError) {
    text = query.text
    self.connection = connection
    pointer = try connection.take(query.text)
    try bind(query.arguments)
  }

  deinit { connection.giveBack(pointer, text) }

  /// Goes to the next row. Returns false at the end.
  func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result:
      try connection.check(result)
      return false
    }
  }

  /// Runs the statement again, with as many other arguments.
  func run(_ arguments: [SQLValue]) throws(SQLiteError) {
    sqlite3_reset(pointer)
    try bind(arguments)
    while try step() {}
  }

  /// Sets the parameters in their order.
  private func bind(_ arguments: [SQLValue]) throws(SQLiteError) {
    for (index, argument) in zip(Int32(1)..., arguments) {
      let result =
        switch argument {
        case .null: sqlite3_bind_null(pointer, index)
        case .integer(let value): sqlite3_bind_int64(pointer, index, value)
        case .real(let value): sqlite3_bind_double(pointer, index, value)
        case .text(var value):
          value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
              podget_bind_text(pointer, index, $0.baseAddress, Int32(clamping: $0.count))
            }
          }
        }
      try connection.check(result)
    }
  }
}
