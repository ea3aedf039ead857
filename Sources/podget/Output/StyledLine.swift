import PodcastKit

/// One line of a screen: pieces of text, each with its own look.
struct StyledLine: Sendable {
  /// How a piece looks; the raw value is its SGR parameter (ECMA-48, 8.3.117).
  enum Look: String, Sendable, Hashable {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  private var pieces: [(text: String, look: Look)] = []
  /// Before which piece a column begins that must stand where it is meant to.
  private var column: Int?

  /// A line that begins with this piece.
  init(_ text: String = "", _ look: Look = .plain) {
    append(text, look)
  }

  /// Adds a piece at the end.
  mutating func append(_ text: String, _ look: Look = .plain) {
    if !text.isEmpty { pieces.append((text, look)) }
  }

  /// Adds another line's pieces at the end.
  mutating func append(_ line: StyledLine) {
    pieces += line.pieces
  }

  /// Lets the next piece begin a column: when drawn it is moved to its place by position, for
  /// terminals that measure the text before it in another way, as many do with emoji.
  mutating func beginColumn() {
    column = pieces.count
  }

  /// The text alone.
  var text: String { pieces.map(\.text).joined() }

  /// How many cells the line takes.
  var width: Int { pieces.reduce(0) { $0 + TerminalText.width($1.text) } }

  /// The text with its escape codes; coloured where that is wanted.
  func rendered(color: Bool) -> String {
    var rendered = ""
    var position = 0
    var isASCII = true
    for (index, piece) in pieces.enumerated() {
      // EL clears what a text wider than we thought has left, CHA moves (ECMA-48, 8.3.41, 8.3.9).
      if index == column, !isASCII { rendered += "\u{1B}[K\u{1B}[\(position + 1)G" }
      position += TerminalText.width(piece.text)
      isASCII = isASCII && piece.text.utf8.allSatisfy { $0 < 0x80 }
      let isStyled = color && piece.look != .plain
      rendered += isStyled ? "\u{1B}[\(piece.look.rawValue)m\(piece.text)\u{1B}[m" : piece.text
    }
    return rendered
  }

  /// Drops blank pieces at the end: a terminal that reflows its lines counts them.
  mutating func trimEnd() {
    while let last = pieces.last, last.text.allSatisfy({ $0 == " " }) { pieces.removeLast() }
  }
}
