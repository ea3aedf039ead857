import PodcastKit

/// A line about one result: what was done, and to which thing.
struct ResultLine: Sendable, Hashable {
  /// What was done, such as `starred`.
  var verb: String
  /// To what.
  var name: String

  /// The line without its end, safe for a terminal and without the private parts of addresses.
  func text(_ style: TerminalStyle) -> String {
    let name = TerminalText.safe(AddressRedaction.shown(in: name))
    return "\(style.styled(TerminalText.padded(verb, to: 11), look))  \(name)"
  }

  private var look: StyledLine.Style {
    switch verb {
    case "was removed", "is there", "unchanged", "ignored": .dim
    case "would remove", "would publish": .yellow
    default: .green
    }
  }
}
