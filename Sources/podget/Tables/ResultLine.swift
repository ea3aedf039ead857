import PodcastKit

/// A line about one result: what was done, and to which thing.
struct ResultLine: Sendable, Hashable {
  /// What was done, such as `starred`.
  var verb: String
  /// To what.
  var name: String

  /// The line without its end, safe for a terminal and without the private parts of addresses.
  var text: String {
    TerminalText.safe(AddressRedaction.shown(in: "\(TerminalText.padded(verb, to: 11))  \(name)"))
  }
}
