/// The size of a screen in cells.
package struct ScreenSize: Sendable, Hashable {
  /// The largest number of columns and rows that are drawn: a terminal may claim any.
  private static let largest = 1000

  /// How many columns there are, at least one.
  package let columns: Int
  /// How many rows there are, at least one.
  package let rows: Int

  /// Creates a size; numbers out of range count as the nearest ones.
  package init(columns: Int, rows: Int) {
    self.columns = min(max(columns, 1), Self.largest)
    self.rows = min(max(rows, 1), Self.largest)
  }
}
