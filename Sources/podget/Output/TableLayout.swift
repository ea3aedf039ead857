/// The columns of a table, fewer of them the narrower the window is.
struct TableLayout<Row> {
  /// A column and what fills it.
  struct Column {
    /// How the column looks.
    var column: Table.Column
    /// The width of the window from which on the column is worth its room.
    var narrowestWindow = 0
    /// The text of a row; it may hold anything.
    var cell: (Row) -> String
  }

  private let columns: [Column]

  /// Chooses the columns for a window; nil is no limit.
  init(_ columns: [Column], window: Int?) {
    self.columns = columns.filter { $0.narrowestWindow <= window ?? .max }
  }

  /// A table without rows.
  var emptyTable: Table { Table(columns: columns.map(\.column)) }

  /// Adds rows to a table that this layout has made, each with a detail below it where there is one.
  func add(
    _ rows: some Sequence<Row>, to table: inout Table, detail: (Row) -> String? = { _ in nil }
  ) {
    for row in rows {
      table.addRow(columns.lazy.map { $0.cell(row) })
      if let detail = detail(row) { table.addDetail(detail) }
    }
  }
}
