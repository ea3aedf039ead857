import Glibc
import Synchronization

/// Whether the terminal gives keys at once and without echo, and the way back from there.
///
/// A terminal belongs to the process as a whole and must be restored on exits that no owner sees,
/// so its state is the process's too.
enum TerminalMode {
  /// The attributes to restore; nil while the terminal is as we found it.
  private static let original = Mutex<termios?>(nil)

  /// Makes stdin's terminal give each key at once; signals such as Ctrl-C stay signals. Calling it
  /// again sets the mode again, as is needed after a stop from outside.
  ///
  /// - Returns: Whether it worked.
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

  /// Brings the terminal back to how it was found. Not waiting for its output: that may be held.
  static func restore() {
    original.withLock { original in
      guard var attributes = original else { return }
      original = nil
      // In the background the terminal is the shell's, which has set it as it wants it.
      guard Terminal.isForeground(STDIN_FILENO) else { return }
      tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
    }
  }
}
