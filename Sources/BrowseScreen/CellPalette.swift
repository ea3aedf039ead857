/// The colors that text has, by the terminal's background: its own yellow, green and cyan cannot be read
/// on white.
package enum CellPalette: Sendable, Hashable {
  /// The terminal's own colors, for a dark or an unknown background.
  case usual
  /// Dark colors of the 256 that nobody changes.
  case dark
  /// Those of the sixteen that are dark in all terminals.
  case darkOfSixteen

  /// Red, green, yellow, cyan, blue and magenta as SGR has them.
  var codes: [String] {
    switch self {
    case .usual: ["31", "32", "33", "36", "34", "35"]
    case .dark: ["38;5;124", "38;5;22", "38;5;94", "38;5;24", "38;5;19", "38;5;90"]
    case .darkOfSixteen: ["31", "34", "35", "34", "34", "35"]
    }
  }
}
