import Glibc

/// The size of a terminal's window, in cells.
struct WindowSize: Sendable, Hashable {
  /// Cells in a row, at least 1.
  var columns: Int
  /// Rows, at least 1.
  var rows: Int
}

/// Queries about a descriptor that may be a terminal.
enum Terminal {
  /// Whether the descriptor is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// The window's size; 80 by 24 if the terminal does not report it.
  static func window(_ descriptor: Int32) -> WindowSize {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return WindowSize(columns: 80, rows: 24) }
    return WindowSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Whether this process is in the foreground of the terminal: not so when started with `&`.
  static func isForeground(_ descriptor: Int32) -> Bool {
    tcgetpgrp(descriptor) == getpgrp()
  }
}
