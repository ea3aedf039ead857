import PodcastModel

/// An account at a server of gPodder's kind, and what it and the library agreed on.
package struct Account: Sendable, Codable {
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
  /// What it knows of later times, by the keys of episodes: a clock was set back, or it was the same second.
  package var filesAhead: [String: [Int64]]?
  /// How many addresses of podcasts were secrets at the last exchange.
  package var withheld: Int?
  /// How many episodes had something to say then, but addresses that were secrets.
  package var withheldEpisodes: Int?
  /// How many entries of the server's list could not be read when podcasts could be removed last.
  package var unread: Int?
  /// When podcasts were removed because the server had them no more, how many of these a person had named,
  /// and how many were settled.
  package var removals: [String: [Int64]]?
  /// When the server added podcasts, after the first exchange: the lately added ones by their keys.
  package var recent: [String: [Int64]]?
  /// When an exchange began last, also one that failed, in seconds since 1970 (UTC).
  package var lastAttempt: Int64?
  /// The addresses in the library that are being followed no longer, and what the list of subscriptions
  /// was before: a kill may come between that and the note of it.
  package var leaving: [String]?
  package var leavingList: String?
  /// What a change was to add and to remove whose answer has not come: the server may have made it.
  package var adding: [String]?
  package var removing: [String]?

  /// Creates an account without an agreement.
  package init(
    url: String, user: String, passwordCommand: String, kind: Kind, device: String
  ) {
    (self.url, self.user, self.passwordCommand) = (url, user, passwordCommand)
    (self.kind, self.device) = (kind, device)
  }

  /// Only the login is needed: what is missing was never agreed on.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    url = try values.decode(String.self, forKey: .url)
    user = try values.decode(String.self, forKey: .user)
    passwordCommand = try values.decode(String.self, forKey: .passwordCommand)
    kind = try values.decode(Kind.self, forKey: .kind)
    device = try values.decode(String.self, forKey: .device)
    version = try values.decodeIfPresent(Int.self, forKey: .version) ?? 1
    sharesPrivate = try values.decodeIfPresent(Bool.self, forKey: .sharesPrivate) ?? false
    agreed = try values.decodeIfPresent([[String]].self, forKey: .agreed) ?? []
    progress = try values.decodeIfPresent([String: [Int64]].self, forKey: .progress) ?? [:]
    ahead = try values.decodeIfPresent([String: [Int64]].self, forKey: .ahead)
    waiting = try values.decodeIfPresent([String: [Int64]].self, forKey: .waiting) ?? [:]
    since = try values.decodeIfPresent(Int64.self, forKey: .since) ?? 0
    filesSince = try values.decodeIfPresent(Int64.self, forKey: .filesSince)
    filesAhead = try values.decodeIfPresent([String: [Int64]].self, forKey: .filesAhead)
    withheld = try values.decodeIfPresent(Int.self, forKey: .withheld)
    withheldEpisodes = try values.decodeIfPresent(Int.self, forKey: .withheldEpisodes)
    unread = try values.decodeIfPresent(Int.self, forKey: .unread)
    removals = try values.decodeIfPresent([String: [Int64]].self, forKey: .removals)
    recent = try values.decodeIfPresent([String: [Int64]].self, forKey: .recent)
    lastAttempt = try values.decodeIfPresent(Int64.self, forKey: .lastAttempt)
    leaving = try values.decodeIfPresent([String].self, forKey: .leaving)
    leavingList = try values.decodeIfPresent(String.self, forKey: .leavingList)
    adding = try values.decodeIfPresent([String].self, forKey: .adding)
    removing = try values.decodeIfPresent([String].self, forKey: .removing)
  }

  /// Brings the numbers of a file within their limits: a person, or a broken disk, may write any.
  package mutating func bound() {
    func bounded(_ parts: [Int64], _ most: Int64 = Self.latestTime) -> [Int64] {
      parts.prefix(16).enumerated().map { place, number in
        place == 0 ? min(max(number, 0), Self.latestTime) : min(max(number, -1), most)
      }
    }
    progress = progress.mapValues { bounded($0, AccountAnswer.longestPosition) }
    waiting = waiting.mapValues { bounded($0, AccountAnswer.longestPosition) }
    ahead = ahead?.mapValues { bounded($0) }
    removals = removals?.mapValues { bounded($0, Int64(Self.mostWaiting)) }
    recent = recent?.mapValues { bounded($0) }
    since = bounded([since])[0]
    filesSince = filesSince.map { bounded([$0])[0] }
    lastAttempt = lastAttempt.map { bounded([$0])[0] }
    filesAhead = filesAhead?.mapValues { bounded($0) }
    withheld = withheld.map { min(max($0, 0), Self.mostWaiting) }
    withheldEpisodes = withheldEpisodes.map { min(max($0, 0), Self.mostWaiting) }
    unread = unread.map { min(max($0, 0), Self.mostWaiting) }
  }

  /// In the year 5138, in seconds since 1970.
  static let latestTime: Int64 = 100_000_000_000

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

  /// Whether an address is likely a secret: it comes with a login, or has a token.
  package static func isPrivate(_ subscription: Subscription) -> Bool {
    subscription.hasLogin || hasSecret(subscription.feedURL.text)
  }

  /// The longest address that is followed because a server says so.
  private static let longestAddress = 2000

  /// Whether an address of a server is followed: the list of subscriptions can have it as it is, and it is
  /// no link to Apple's catalog.
  static func canFollow(_ address: String) -> Bool {
    if case .apple? = try? Source.parse(address) { return false }
    return address.utf8.count <= longestAddress
      // XML has no such characters.
      && !address.unicodeScalars.contains { $0.value == 0xFFFE || $0.value == 0xFFFF }
  }

  /// Whether an address likely has a secret.
  static func hasSecret(_ address: String) -> Bool {
    WebAddress(WebAddress.forRequest(address)).map(AddressSecrets.areLikely(in:)) ?? false
  }

  /// Whether what is sent to an address may be read on its way: http, except on this machine.
  package static func isReadable(_ address: String) -> Bool {
    guard let address = WebAddress(address), address.scheme == "http" else { return false }
    let isNumeric = address.host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    let isHere = isNumeric && address.host.hasPrefix("127.") && address.isPrivate
    return !(isHere || address.host == "localhost" || address.host == "[::1]")
  }
}
