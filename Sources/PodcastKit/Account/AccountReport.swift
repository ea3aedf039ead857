/// What an exchange with the server of an account changed, or would change.
package struct AccountReport: Sendable {
  /// A change of what is followed.
  package struct Change: Sendable {
    /// What was done; the raw values are the contract with scripts.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The library follows it from now on.
      case followed
      /// The library does not follow it any more; its files stay.
      case unfollowed
      /// The server got it.
      case sent
      /// The server has it no more.
      case withdrawn
    }

    /// What was done.
    package var kind: Kind
    /// The address of the feed, without user name and password.
    package var address: String
  }

  /// The changes of what is followed.
  package var changes: [Change] = []
  /// How many episodes got another position or played state here.
  package var received = 0
  /// How many positions and played states the server got.
  package var sent = 0
  /// How many podcasts the server does not get, because their addresses are secrets.
  package var withheld = 0
  /// How many episodes have positions that the server does not get for that reason.
  package var withheldEpisodes = 0
  /// Whether one of these numbers has changed.
  package var isWithheldNew = true

  /// Nothing has changed.
  package init() {}
}
