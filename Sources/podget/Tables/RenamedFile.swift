import PodcastKit

/// The result for a file of a rename.
struct RenamedFile: Sendable {
  /// The status of the rename.
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

  /// Its line of text; empty if it stayed, which an error reports.
  func line(_ style: TerminalStyle) -> String {
    if case .failed = outcome { return "" }
    let (from, to) = (TerminalText.safe(move.from.text), TerminalText.safe(move.to.text))
    return "\(from) \(style.styled(style.arrow, .green)) \(to)\n"
  }
}
