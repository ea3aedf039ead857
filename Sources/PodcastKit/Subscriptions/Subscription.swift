package import PodcastModel

/// A podcast that is followed.
package struct Subscription: Sendable, Hashable {
  /// The short name, unique in its library: lower-case letters, digits and hyphens.
  package var name: String
  /// The podcast's title.
  package var title: String
  /// The address that is asked. It may have a user name and a password.
  package var feedURL: FeedURL
  /// The address first subscribed, without user name and password: it stays when the feed moves.
  package var firstURL: String
  /// The addresses that it had before, the last one first, without user names and passwords. An
  /// address that another subscription of the list has now is not among them.
  package var earlierURLs: [FeedURL] = []
  /// Apple's id, if it is known.
  package var id: Int64?
  /// The podcast's UUID (`podcast:guid`), if it is known.
  package var guid: String?
  /// What the user chose.
  package var settings = SubscriptionSettings()
  /// The folders that it is in, as slash paths.
  package var categories: [String] = []
  /// The origin that the login in its settings was given for; nil if it is that of ``firstURL``.
  package var ownLoginOrigin: String?
  /// Whether the server of the account named it, and no person: its origin gets no login that is for all.
  package var isFromAccount = false

  /// Creates a subscription.
  package init(
    name: String, title: String, feedURL: FeedURL, firstURL: String? = nil, id: Int64? = nil,
    guid: String? = nil
  ) {
    self.name = name
    self.title = title
    self.feedURL = feedURL
    self.firstURL = firstURL ?? feedURL.withoutCredentials
    earlierURLs = FeedURL(self.firstURL).map { [$0] } ?? []
    forgetEarlier { $0 == FeedIdentity(feedURL) }
    self.id = id
    self.guid = guid
  }

  /// The address that a person named, if one did; later ones came with moves.
  package var namedURL: String? { isFromAccount ? nil : firstURL }

  /// The host of its feed, as limits count it.
  var host: String {
    let url = WebAddress.forRequest(feedURL.text)
    return WebAddress(url)?.origin ?? url
  }

  /// Whether it is in a folder, or in one below it; case does not count.
  package func isIn(_ category: String) -> Bool {
    let wanted = SubscriptionOutline.folders(category.lowercased())
    return categories.contains { own in
      SubscriptionOutline.folders(own.lowercased()).starts(with: wanted)
    }
  }

  /// Whether its feed or its settings have a login.
  package var hasLogin: Bool {
    settings[.passwordCommand] != nil
      || WebAddress(WebAddress.forRequest(feedURL.text))?.userinfo != nil
  }

  /// All addresses that its episodes may be recorded with: the present one, then the earlier ones.
  package var addresses: [FeedURL] { [feedURL] + earlierURLs }

  /// Whether it does not go to an address by itself: it was there before.
  func staysAwayFrom(_ address: FeedURL) -> Bool {
    let there = FeedIdentity(address)
    return earlierURLs.contains { FeedIdentity($0) == there }
  }

  /// Whether an address with the UUID of its podcast is surely one of the same feed, and not that of
  /// members.
  func isLikelySameFeed(as address: FeedURL) -> Bool {
    guard let there = address.parts else { return false }
    return addresses.contains { own in
      guard let own = own.parts, own.host == there.host, own.query == there.query else {
        return false
      }
      // From http to https, both ports are the usual ones.
      return own.scheme != there.scheme || own.origin == there.origin
    }
  }

  /// The most earlier addresses that are kept: two feeds may announce each other for ever.
  private static let mostEarlierURLs = 20

  /// Notes addresses that it had before, the last one first.
  package mutating func remember(_ addresses: [FeedURL]) {
    var seen: Set<FeedIdentity> = [FeedIdentity(feedURL)]
    let all = (addresses + earlierURLs).compactMap { FeedURL($0.withoutCredentials) }
    earlierURLs = Array(
      all.filter { seen.insert(FeedIdentity($0)).inserted }.prefix(Self.mostEarlierURLs))
  }

  /// Forgets earlier addresses that are not its own any more.
  package mutating func forgetEarlier(where isOther: (FeedIdentity) -> Bool) {
    earlierURLs.removeAll { isOther(FeedIdentity($0)) }
  }

  /// The origin (scheme, host and port) that the login in its settings was given for, and the only one
  /// that gets it; nil if the address first subscribed is none, and then no origin gets it.
  package var loginOrigin: String? { Self.origin(of: ownLoginOrigin ?? firstURL) }

  /// Whether its feed is on another origin than the one that the login in its settings is for.
  package var hasLoginElsewhere: Bool {
    settings[.passwordCommand] != nil && loginOrigin != Self.origin(of: feedURL.text)
  }

  /// The address to which its feed has moved, and it only when the user says so; nil if there is none.
  package func waitingMove(in state: FeedState) -> FeedURL? {
    state.waitingMove.flatMap {
      $0.withoutCredentials != feedURL.withoutCredentials ? $0 : nil
    }
  }

  /// Notes that the login in its settings was given for the origin of an address.
  mutating func noteLogin(for address: String) {
    let origin = Self.origin(of: address)
    ownLoginOrigin = origin == Self.origin(of: firstURL) ? nil : origin
  }

  private static func origin(of address: String) -> String? {
    WebAddress(WebAddress.forRequest(address))?.origin
  }

  /// The podcast, as messages and JSON name it.
  package var podcast: Podcast {
    Podcast(id: id, title: title, feedURL: FeedURL(feedURL.withoutCredentials) ?? feedURL)
  }
}

/// Whether a subscription that moves may become one with another one.
package enum MovingTogether: Sendable {
  /// Whatever the two are: the user said so.
  case always
  /// If they are of one podcast, as far as they say.
  case onePodcast
}

extension Subscription {
  /// Whether another one is of the same podcast, as far as they say: the titles agree, typography
  /// aside, or the UUIDs or the ids do. What a feed says of itself now does not count: it may lie.
  package func isOnePodcast(as other: Subscription) -> Bool {
    if let guid, guid == other.guid { return true }
    if let id, id == other.id { return true }
    let title = PodcastIdentity(podcast).title
    return !title.isEmpty && title == PodcastIdentity(other.podcast).title
  }
}

extension Subscription {
  /// Takes what a subscription with the same address had before it was removed; what is given now stays.
  mutating func takeSettings(of old: Subscription) {
    if isFromAccount { title = old.title }
    feedURL = isFromAccount ? old.feedURL : old.feedURL.moved(to: feedURL)
    isFromAccount = isFromAccount && old.isFromAccount
    (id, guid) = (id ?? old.id, guid ?? old.guid)
    (earlierURLs, categories) = (old.earlierURLs, categories.isEmpty ? old.categories : categories)
    let (given, origin) = (settings, loginOrigin)
    (settings, firstURL, ownLoginOrigin) = (old.settings, old.firstURL, old.ownLoginOrigin)
    // Both were valid; together they may not be. The login stays.
    _ = settings.apply(given)
    if settings.contradiction != nil {
      settings = given
      if given[.user] == nil, given[.passwordCommand] == nil {
        settings[.user] = old.settings[.user]
        settings[.passwordCommand] = old.settings[.passwordCommand]
      }
    }
    if given[.passwordCommand] != nil { noteLogin(for: origin ?? feedURL.text) }
  }
}

/// What becomes of the login of a subscription that moves.
package enum MovingLogin: Sendable {
  /// It stays where it is: then the subscription moves on its own origin only, unless it has none.
  case stays
  /// It goes to the new origin too, because the user said so.
  case follows
  /// It is forgotten: the user gives another one.
  case isForgotten
}

extension Subscription {
  /// Moves to another address, which has no user name and password.
  ///
  /// - Returns: false if it stays where it is because of its login.
  mutating func move(to target: FeedURL, _ login: MovingLogin) -> Bool {
    let had = addresses
    switch login {
    case .stays:
      guard !hasLogin || !FeedMove.changesOrigin(from: feedURL, to: target) else { return false }
      feedURL = feedURL.moved(to: target)
    case .follows:
      feedURL = feedURL.moved(to: target, besidesOrigin: true)
      if settings[.passwordCommand] != nil { noteLogin(for: target.text) }
    case .isForgotten:
      settings[.user] = nil
      settings[.passwordCommand] = nil
      ownLoginOrigin = nil
      feedURL = target
    }
    remember(had)
    return true
  }

  /// Takes over the address and the login of another subscription of the same podcast. Its own login
  /// is forgotten: it was given for another one.
  mutating func takeAddressAndLogin(of other: Subscription) {
    feedURL = other.feedURL
    let login = other.loginOrigin == nil ? nil : other.settings[.passwordCommand]
    settings[.user] = other.settings[.user]
    settings[.passwordCommand] = login
    ownLoginOrigin = nil
    if let origin = other.loginOrigin, login != nil { noteLogin(for: origin) }
  }
}

extension FeedURL {
  /// Another address, with the user name and password of this one if the origin is the same.
  ///
  /// - Parameter besidesOrigin: whether it gets them on another origin too.
  func moved(to target: FeedURL, besidesOrigin: Bool = false) -> FeedURL {
    guard let here = WebAddress(WebAddress.forRequest(text)), let userinfo = here.userinfo,
      let there = WebAddress(WebAddress.forRequest(target.text)), there.userinfo == nil,
      besidesOrigin || here.origin == there.origin,
      let start = target.text.firstRange(of: "://")?.upperBound
    else { return target }
    return FeedURL("\(target.text[..<start])\(userinfo)@\(target.text[start...])") ?? target
  }
}

/// What makes two addresses those of one feed: scheme, `www.`, the case of the host and trailing
/// slashes do not count, and neither do user names and passwords.
package struct FeedIdentity: Sendable, Hashable {
  private let text: String

  /// The identity of an address.
  package init(_ url: FeedURL) {
    text = PodcastIdentity(Podcast(title: "", feedURL: url)).feed ?? url.withoutCredentials
  }
}
