import Glibc

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

  /// The size of a terminal's window; 80 by 24 if the terminal does not report it.
  package init(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      self.init(columns: 80, rows: 24)
      return
    }
    self.init(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
