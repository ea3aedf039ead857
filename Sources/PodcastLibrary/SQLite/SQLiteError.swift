internal import CSQLite

/// What SQLite answered instead of `SQLITE_OK`.
struct SQLiteError: Error, Hashable {
  /// The kind of failure: SQLite's primary result code.
  let code: Int32
  /// SQLite's text, for a person who looks for the cause.
  let message: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - result: SQLite's result code, primary or extended.
  ///   - database: the connection that gave it; nil if it could not be opened.
  init(_ result: Int32, _ database: OpaquePointer?) {
    code = result & 0xFF
    message = String(cString: database.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(result))
  }
}
