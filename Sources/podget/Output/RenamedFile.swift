import PodcastKit

/// What became of a file that was to be renamed.
struct RenamedFile: Sendable {
  /// How far it came.
  enum Outcome: Sendable {
    case planned, moved
    case failed(PodgetError)
  }

  let move: FileMove
  let outcome: Outcome

  init(_ move: FileMove, _ outcome: Outcome) {
    self.move = move
    self.outcome = outcome
  }

  /// Its line of text; empty where it stayed, which an error tells.
  func line(_ style: TerminalStyle) -> String {
    if case .failed = outcome { return "" }
    let (from, to) = (TerminalText.safe(move.from.text), TerminalText.safe(move.to.text))
    return "\(from) \(style.arrow) \(to)\n"
  }
}
