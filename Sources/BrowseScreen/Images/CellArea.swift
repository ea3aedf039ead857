/// A rectangle of cells.
package struct CellArea: Sendable, Hashable {
  /// The first row, from 0 at the top.
  package var row: Int
  /// The first column, from 0 at the left.
  package var column: Int
  /// How many rows and columns there are.
  package var rows: Int
  package var columns: Int

  /// Creates an area.
  package init(row: Int, column: Int, rows: Int, columns: Int) {
    self.row = row
    self.column = column
    self.rows = rows
    self.columns = columns
  }

  /// The column behind the area in a row; nil if the area has nothing of that row.
  func end(inRow row: Int) -> Int? {
    self.row <= row && row < self.row + rows ? column + columns : nil
  }

  /// Whether a cell is in the area.
  func contains(row: Int, column: Int) -> Bool {
    end(inRow: row).map { self.column <= column && column < $0 } ?? false
  }

  /// Whether the area is inside a screen of this size.
  func isInside(_ size: ScreenSize) -> Bool {
    row >= 0 && column >= 0 && rows > 0 && columns > 0 && row + rows <= size.rows
      && column + columns <= size.columns
  }
}
