import Glibc
import Synchronization

/// Whether the terminal passes on keys immediately and without echo, and how to restore it.
///
/// A terminal belongs to the process and must be restored on exits that no owner sees, so its state
/// is global too.
enum TerminalMode {
  /// The attributes to restore; nil while the terminal is unchanged.
  private static let original = Mutex<termios?>(nil)

  /// Makes stdin's terminal pass on each key immediately; signals such as Ctrl-C stay signals.
  /// Calling it again sets the mode again, as is needed after an external stop.
  ///
  /// - Returns: whether it worked.
  static func enterKeys() -> Bool {
    original.withLock { original in
      var attributes = termios()
      if let original {
        attributes = original
      } else if tcgetattr(STDIN_FILENO, &attributes) != 0 {
        return false
      }
      let found = attributes
      attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
      withUnsafeMutableBytes(of: &attributes.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
      guard tcsetattr(STDIN_FILENO, TCSANOW, &attributes) == 0 else { return false }
      if original == nil { atexit { TerminalMode.restore() } }
      original = found
      return true
    }
  }

  /// Restores the terminal. It does not wait for pending output: that may be blocked.
  static func restore() {
    original.withLock { original in
      guard var attributes = original else { return }
      original = nil
      // In the background the shell uses the terminal, and has set it as it needs.
      guard Terminal.isForeground(STDIN_FILENO) else { return }
      tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
    }
  }
}
