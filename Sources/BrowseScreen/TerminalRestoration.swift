package import Glibc

/// How a terminal was before a full-screen program, and how to make it so again.
///
/// The program restores it when it ends, also from signal handlers; a parent does so for a program
/// that was killed.
package struct TerminalRestoration: Sendable {
  /// What a full-screen program writes when it begins: alternate screen, hidden cursor, no wrapping
  /// at the right edge, pasted text marked as such. It may begin again in the middle of a frame.
  package static let enter =
    stringEnd + "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[0m\u{1B}[2J"

  /// What makes a terminal report clicks and the wheel, with places of any size.
  package static let mouse = "\u{1B}[?1000h\u{1B}[?1006h"

  /// What undoes that, and everything else that such a program may have switched on: synchronized
  /// output, mouse and focus reports, marked pastes, styles. The alternate screen is left last.
  package static let leave = stringEnd + leaving

  /// The same, after deleting the images of kitty's graphics protocol.
  package static let leaveWithImages = stringEnd + KittyImages.deletion + leaving

  /// The end of an image that was being written; without one it means nothing.
  private static let stringEnd = "\u{1B}\\"

  private static let leaving =
    "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1003l\u{1B}[?1002l\u{1B}[?1000l\u{1B}[?1004l"
    + "\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// The terminal's attributes.
  package let attributes: termios

  /// The attributes of a terminal now; nil if the descriptor is not a terminal.
  package init?(_ descriptor: Int32) {
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { return nil }
    self.attributes = attributes
  }

  /// The attributes for reading single keys: without echo and without translation. Signals stay
  /// signals, so that Ctrl-C and Ctrl-Z work while the program is busy.
  package var raw: termios {
    var raw = attributes
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON | ISTRIP)
    withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    return raw
  }

  /// Restores the terminal after a program that could not do so itself.
  ///
  /// - Parameters:
  ///   - input: the terminal whose attributes these are.
  ///   - output: the terminal that shows the screen; it may be another one.
  ///   - leavesScreen: whether the alternate screen is left too. A program that ended by itself has
  ///     done that, and the cursor must not move again.
  ///   - deletesImages: whether images of kitty's protocol are deleted then.
  package func restore(
    input: Int32, output: Int32, leavesScreen: Bool, deletesImages: Bool = false
  ) {
    if leavesScreen {
      var text = deletesImages ? Self.leaveWithImages : Self.leave
      text.withUTF8 { TerminalWriter.writeLast(UnsafeRawBufferPointer($0), to: output) }
    }
    var attributes = attributes
    // It does not wait for pending output: that may be blocked.
    tcsetattr(input, TCSANOW, &attributes)
  }
}
