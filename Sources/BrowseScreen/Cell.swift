import PodcastModel

/// One column of one row of a screen.
package struct Cell: Sendable, Hashable {
  /// The character that begins here; a blank where another one continues.
  package var character: Character
  /// How many columns the character takes: one or two; none where a wide one continues.
  package var columns: UInt8
  /// How it looks.
  package var style: CellStyle
  /// Its colors if it shows a part of an image; it has no style then.
  package var colors: CellColors?

  /// An empty cell.
  package static let blank = Cell(character: " ", columns: 1, style: [])

  /// What a terminal shows where nobody knows it: no cell that is drawn.
  static let unknown = Cell(character: "?", columns: 1, style: .colors)

  /// What a terminal sets before it draws the cell.
  var look: CellLook { colors.map { .colors($0) } ?? .style(style) }

  /// Whether terminals disagree about the columns that the character takes: emoji, sequences of
  /// several scalars, and everything wide.
  var isUncertain: Bool {
    if columns != 1 { return true }
    if character.isASCII { return false }
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.dropFirst().isEmpty else { return true }
    // Below the arrows only signs of ASCII and Latin-1 count as emoji, which terminals draw as text.
    return first.value >= 0x2190 && first.properties.isEmoji
  }
}

/// What a terminal sets before it draws a cell.
enum CellLook: Sendable, Hashable {
  case style(CellStyle)
  case colors(CellColors)

  /// The control sequence for it.
  func sequence(_ palette: CellPalette) -> String {
    switch self {
    case .style(let style): style.sequence(palette)
    case .colors(let colors): colors.sequence
    }
  }
}
