import PodcastKit

/// The columns of a table, fewer of them the narrower the window is.
struct TableLayout<Row: Sendable>: Sendable {
  /// A column and its texts.
  struct Column: Sendable {
    /// The properties of the column.
    var column: Table.Column
    /// The width of the window from which the column is shown.
    var narrowestWindow = 0
    /// The text of a row; it may contain anything.
    var cell: @Sendable (Row) -> String
    /// How a row looks in this column, if there are colors.
    var look: @Sendable (Row) -> StyledLine.Style = { _ in .plain }
  }

  private let columns: [Column]
  private let style: TerminalStyle

  /// Chooses the columns for a window; nil is no limit.
  init(_ columns: [Column], window: Int?, style: TerminalStyle) {
    self.style = style
    self.columns = columns.filter { $0.narrowestWindow <= window ?? .max }
  }

  /// Creates a table without rows.
  var emptyTable: Table { Table(columns: columns.map(\.column), style: style) }

  /// Adds rows to a table that this layout has created, each with a detail below it if there is
  /// one.
  func add(
    _ rows: [Row], to table: inout Table,
    detail: @Sendable (Row) -> String? = { _ in nil }
  ) {
    // Measuring is most of the work for a long table.
    let (cells, looks) = (columns.map(\.cell), columns.map(\.look))
    let parts = Processors.shares(of: rows.count, fewest: 2000) { range in
      var part = emptyTable
      part.reserve(rows: range.count)
      for row in rows[range] {
        part.addRow({ cells[$0](row) }, look: { looks[$0](row) })
        if let detail = detail(row) { part.addDetail(detail) }
      }
      return part
    }
    for part in parts { table.append(part) }
  }
}
