import PodcastModel

/// One column of one row of a screen.
package struct Cell: Sendable, Hashable {
  /// The character that begins here; a blank where another one continues.
  package var character: Character
  /// How many columns the character takes: one or two; none where a wide one continues.
  package var columns: UInt8
  /// How it looks.
  package var style: CellStyle

  /// An empty cell.
  package static let blank = Cell(character: " ", columns: 1, style: [])

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
