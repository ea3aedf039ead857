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

  /// The text alone.
  var text: String { pieces.map(\.text).joined() }

  /// How many cells the line takes.
  var width: Int { pieces.reduce(0) { $0 + TerminalText.width($1.text) } }

  /// The text with its escape codes, where colours are wanted.
  func rendered(color: Bool) -> String {
    guard color else { return text }
    return pieces.map { piece in
      piece.look == .plain ? piece.text : "\u{1B}[\(piece.look.rawValue)m\(piece.text)\u{1B}[m"
    }.joined()
  }

  /// Drops blank pieces at the end: a terminal that reflows its lines counts them.
  mutating func trimEnd() {
    while let last = pieces.last, last.text.allSatisfy({ $0 == " " }) { pieces.removeLast() }
  }
}
