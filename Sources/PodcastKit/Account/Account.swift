import PodcastModel

/// An account at a server of gPodder's kind, and what it and the library agreed on.
package struct Account: Sendable, Hashable, Codable {
  /// What a server understands.
  package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// gPodder's API, version 2: gpodder.net, oPodSync.
    case gpodder
    /// The app gPodder Sync of Nextcloud.
    case nextcloud
  }

  /// The version of the file; a later one is not read.
  package var version = 1
  /// The server's address, without a slash at its end.
  package var url: String
  /// The user name.
  package var user: String
  /// What prints the password.
  package var passwordCommand: String
  /// What the server understands.
  package var kind: Kind
  /// This library's name at the server.
  package var device: String
  /// Whether addresses that are secrets are sent.
  package var sharesPrivate = false
  /// The addresses on which both agree: here, and there.
  package var agreed: [[String]] = []
  /// How far both agree that somebody is with episodes, by their addresses: time and progress.
  package var progress: [String: [Int64]] = [:]
  /// The latest times of actions that were ahead of the clock, and when they were received.
  package var ahead: [String: [Int64]]?
  /// What devices did with episodes that the library does not have.
  package var waiting: [String: [Int64]] = [:]
  /// The server's time at the last exchange.
  package var since: Int64 = 0
  /// Until when the server knows what was downloaded and deleted here; nil before the first exchange.
  package var filesSince: Int64?
  /// How many addresses were secrets at the last exchange.
  package var withheld: Int?
  /// When an exchange began last, also one that failed, in seconds since 1970 (UTC).
  package var lastAttempt: Int64?
  /// The addresses in the library that are being followed no longer, and what the list of subscriptions
  /// was before: a kill may come between that and the note of it.
  package var leaving: [String]?
  package var leavingList: String?

  /// Creates an account without an agreement.
  package init(
    url: String, user: String, passwordCommand: String, kind: Kind, device: String
  ) {
    (self.url, self.user, self.passwordCommand) = (url, user, passwordCommand)
    (self.kind, self.device) = (kind, device)
  }

  /// The most episodes of which something is kept that the library does not have.
  package static let mostWaiting = 20_000

  /// The server's address as a person gives it; nil if it is none. Without a scheme it is https.
  package static func address(_ text: String) -> String? {
    var text = text.contains("://") ? text : "https://\(text)"
    while text.last == "/" { text.removeLast() }
    guard let url = FeedURL(text), url.parts?.query.isEmpty == true, !text.contains("#"),
      url.parts?.userinfo == nil
    else { return nil }
    return text
  }

  /// A name for a device of which servers take every character.
  package static func device(_ name: String) -> String {
    let safe = name.utf8.prefix(50).map { byte -> Character in
      let character = Character(UnicodeScalar(byte))
      return character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
    }
    return safe.isEmpty ? "podget" : String(safe)
  }

  /// A text that is equal for addresses of one feed, or of one enclosure.
  package static func key(_ address: String) -> String {
    PodcastIdentity(Podcast(title: "", feedURL: FeedURL(address))).feed ?? address
  }

  /// Whether an address is likely a secret: it comes with a login, or has one in its query.
  package static func isPrivate(_ subscription: Subscription) -> Bool {
    subscription.hasLogin
      || AddressSecrets.areLikely(in: subscription.feedURL.parts.map { String($0.query) } ?? "")
  }

  /// Whether what is sent to an address may be read on its way: http, except on this machine.
  package static func isReadable(_ address: String) -> Bool {
    guard let address = WebAddress(address), address.scheme == "http" else { return false }
    let labels = address.host.split(separator: ".")
    let isNumeric = labels.count == 4 && labels.allSatisfy { UInt8($0) != nil }
    return !(["localhost", "[::1]"].contains(address.host) || isNumeric && labels[0] == "127")
  }
}
