/// How a cell looks: attributes, and one of the terminal's own colors.
///
/// The sixteen colors of the terminal's palette fit its background, light or dark; colors by number
/// would not.
package struct CellStyle: OptionSet, Sendable, Hashable {
  /// The attributes and the color as bits.
  package let rawValue: UInt16

  /// Creates a style from its bits.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Bold text.
  package static let bold = CellStyle(rawValue: 1)
  /// Faint text.
  package static let dim = CellStyle(rawValue: 2)
  /// Foreground and background exchanged.
  package static let reverse = CellStyle(rawValue: 4)
  /// Underlined text.
  package static let underline = CellStyle(rawValue: 8)
  /// Red text. Only one color counts, the first one of this list.
  package static let red = CellStyle(rawValue: 16)
  /// Green text.
  package static let green = CellStyle(rawValue: 32)
  /// Yellow text.
  package static let yellow = CellStyle(rawValue: 64)
  /// Cyan text.
  package static let cyan = CellStyle(rawValue: 128)
  /// Blue text.
  package static let blue = CellStyle(rawValue: 256)
  /// Magenta text.
  package static let magenta = CellStyle(rawValue: 512)

  /// All colors.
  static let colors = CellStyle(list)
  private static let list: [CellStyle] = [.red, .green, .yellow, .cyan, .blue, .magenta]

  /// The style without its color, for terminals and people who want none.
  package var withoutColor: CellStyle { subtracting(Self.colors) }

  /// The control sequence that sets this style, whatever was set before (ECMA-48, SGR).
  ///
  /// - Parameter palette: the colors of the terminal.
  package func sequence(_ palette: CellPalette = .usual) -> String {
    var codes = "0"
    let all: [(CellStyle, String)] = [
      (.bold, ";1"), (.dim, ";2"), (.underline, ";4"), (.reverse, ";7"),
    ]
    for (style, code) in all where contains(style) { codes += code }
    if let color = Self.list.firstIndex(where: { contains($0) }) {
      codes += ";\(palette.codes[color])"
    }
    return "\u{1B}[\(codes)m"
  }
}
