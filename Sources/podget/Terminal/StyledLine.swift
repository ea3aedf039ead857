import PodcastKit

/// One line of a screen: pieces of text, each with its own style.
struct StyledLine: Sendable {
  /// The style of a piece; the raw value is its SGR parameter (ECMA-48, 8.3.117).
  enum Style: String, Sendable, Hashable {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  private var pieces: [(text: String, look: Style)] = []
  /// The piece before which an aligned column begins.
  private var column: Int?

  /// Creates a line with this piece.
  init(_ text: String = "", _ look: Style = .plain) {
    append(text, look)
  }

  /// Adds a piece at the end.
  mutating func append(_ text: String, _ look: Style = .plain) {
    if !text.isEmpty { pieces.append((text, look)) }
  }

  /// Adds another line's pieces at the end.
  mutating func append(_ line: StyledLine) {
    pieces += line.pieces
  }

  /// Starts an aligned column with the next piece: it is drawn at its position, because many
  /// terminals measure the text before it differently, for example emoji.
  mutating func beginColumn() {
    column = pieces.count
  }

  /// The text alone.
  var text: String { pieces.map(\.text).joined() }

  /// The width of the line in cells.
  var width: Int { pieces.reduce(0) { $0 + TerminalText.width($1.text) } }

  /// The text with its escape codes; colored if wanted.
  func rendered(color: Bool) -> String {
    var rendered = ""
    var position = 0
    var isASCII = true
    for (index, piece) in pieces.enumerated() {
      // EL clears the remains of a text that was wider than computed, CHA moves (ECMA-48, 8.3.41,
      // 8.3.9).
      if index == column, !isASCII { rendered += "\u{1B}[K\u{1B}[\(position + 1)G" }
      position += TerminalText.width(piece.text)
      isASCII = isASCII && piece.text.utf8.allSatisfy { $0 < 0x80 }
      let isStyled = color && piece.look != .plain
      rendered += isStyled ? "\u{1B}[\(piece.look.rawValue)m\(piece.text)\u{1B}[m" : piece.text
    }
    return rendered
  }

  /// Removes blank pieces at the end: a terminal that reflows its lines counts them.
  mutating func trimEnd() {
    while let last = pieces.last, last.text.allSatisfy({ $0 == " " }) { pieces.removeLast() }
  }
}
