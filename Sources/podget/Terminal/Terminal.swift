import Glibc

/// Queries about a descriptor that may be a terminal.
enum Terminal {
  /// Whether the descriptor is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Whether this process is in the foreground of the terminal: not so when started with `&`.
  static func isForeground(_ descriptor: Int32) -> Bool {
    tcgetpgrp(descriptor) == getpgrp()
  }
}
