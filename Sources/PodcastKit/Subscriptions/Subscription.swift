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
  /// Apple's id, if it is known.
  package var id: Int64?
  /// The podcast's UUID (`podcast:guid`), if it is known.
  package var guid: String?
  /// What the user chose.
  package var settings = SubscriptionSettings()
  /// The folders that it is in, as slash paths.
  package var categories: [String] = []

  /// Creates a subscription.
  package init(
    name: String, title: String, feedURL: FeedURL, firstURL: String? = nil, id: Int64? = nil,
    guid: String? = nil
  ) {
    self.name = name
    self.title = title
    self.feedURL = feedURL
    self.firstURL = firstURL ?? feedURL.withoutCredentials
    self.id = id
    self.guid = guid
  }

  /// Whether its feed or its settings have a login.
  package var hasLogin: Bool {
    settings[.passwordCommand] != nil
      || WebAddress(WebAddress.forRequest(feedURL.text))?.userinfo != nil
  }

  /// The podcast, as messages and JSON name it.
  package var podcast: Podcast {
    Podcast(id: id, title: title, feedURL: FeedURL(feedURL.withoutCredentials) ?? feedURL)
  }
}

extension FeedURL {
  /// Another address, with the user name and password of this one if the origin is the same.
  func moved(to target: FeedURL) -> FeedURL {
    guard let here = WebAddress(WebAddress.forRequest(text)), let userinfo = here.userinfo,
      let there = WebAddress(WebAddress.forRequest(target.text)), there.userinfo == nil,
      here.origin == there.origin, let start = target.text.firstRange(of: "://")?.upperBound
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
