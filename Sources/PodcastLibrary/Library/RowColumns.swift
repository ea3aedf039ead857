internal import CSQLite
import FoundationEssentials
import PodcastModel

/// The rows of a query, one after the other.
struct IndexRows {
  private let statement: SQLiteStatement

  /// Starts a query.
  init(_ db: SQLiteConnection, _ query: SQLQuery) throws {
    statement = try SQLiteStatement(query, in: db)
  }

  /// Reads the first row of a query; nil when there is none.
  static func first<Value>(
    _ db: SQLiteConnection, _ query: SQLQuery, _ read: (inout RowColumns) throws -> Value
  ) throws -> Value? {
    let found = try IndexRows(db, query)
    // The row ends with its query.
    return try withExtendedLifetime(found.statement) {
      guard var columns = try found.next() else { return nil }
      return try read(&columns)
    }
  }

  /// The next row, which is valid until the next call.
  func next() throws -> RowColumns? {
    try statement.step() ? RowColumns(statement.pointer) : nil
  }
}

/// Reads a row from its first column to its last.
///
/// A missing value in a required column means a damaged index; values of another type are read as
/// SQLite converts them, so that no row can stop the program.
struct RowColumns {
  private let statement: OpaquePointer
  private var index: Int32 = 0

  fileprivate init(_ statement: OpaquePointer) { self.statement = statement }

  private var isNull: Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

  mutating func optionalText() -> String? {
    defer { index += 1 }
    guard !isNull, let text = sqlite3_column_text(statement, index) else { return nil }
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// Appends the next column's text, or that it is NULL, to others.
  ///
  /// - Throws: `damaged` for a text that is not right, and for a missing one that is required.
  mutating func text(
    into texts: inout PackedTexts, isRequired: Bool = true,
    if isRight: (UnsafeBufferPointer<UInt8>) -> Bool = { _ in true }
  ) throws(LibraryDatabase.Failure) {
    defer { index += 1 }
    let text = sqlite3_column_text(statement, index).map {
      UnsafeBufferPointer(start: $0, count: Int(sqlite3_column_bytes(statement, index)))
    }
    guard text.map(isRight) ?? !isRequired, texts.append(text) else { throw .damaged }
  }

  mutating func optionalInteger() -> Int64? {
    defer { index += 1 }
    return isNull ? nil : sqlite3_column_int64(statement, index)
  }

  mutating func optionalNumber() -> Double? {
    defer { index += 1 }
    return isNull ? nil : sqlite3_column_double(statement, index)
  }

  mutating func text() throws(LibraryDatabase.Failure) -> String {
    guard let text = optionalText() else { throw .damaged }
    return text
  }

  mutating func path() throws(LibraryDatabase.Failure) -> RelativePath {
    guard let path = RelativePath(try text()) else { throw .damaged }
    return path
  }

  mutating func integer() throws(LibraryDatabase.Failure) -> Int64 {
    guard let integer = optionalInteger() else { throw .damaged }
    return integer
  }

  mutating func optionalDate() -> Date? {
    // Calendars cannot represent other years, and a damaged index may contain any number.
    optionalNumber().flatMap {
      Date.calendarRange.contains($0) ? Date(timeIntervalSince1970: $0) : nil
    }
  }

  mutating func optionalDuration() -> Duration? {
    // Durations trap on absurd numbers, which a damaged index may contain.
    optionalNumber().flatMap { (0..<1e9).contains($0) ? .seconds($0) : nil }
  }
}
