import FoundationEssentials

/// The clipboard of a terminal.
package enum TerminalClipboard {
  /// What asks a terminal to copy a text (OSC 52); those that do not know it, or do not allow it, ignore it.
  package static func copying(_ text: String) -> String {
    "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
  }
}
