public import PodcastModel

/// What has changed about the feed of a followed podcast, for a person or a command to know.
public struct FeedChange: Sendable, Hashable {
  /// The kinds of changes.
  public enum Kind: Sendable, Hashable {
    /// It fails, and did not at the check before.
    case failing(PodgetError)
    /// It is gone for good, and is not asked again.
    case gone
    /// The subscription has moved from this address.
    case moved(from: FeedURL)
  }

  /// The short name of the subscription.
  public var name: String
  /// The podcast.
  public var podcast: Podcast
  /// The address of the feed, without user name and password; the new one after a move.
  public var feedURL: FeedURL
  /// What has changed.
  public var kind: Kind

  /// Creates a change.
  public init(name: String, podcast: Podcast, feedURL: FeedURL, kind: Kind) {
    self.name = name
    self.podcast = podcast
    self.feedURL = feedURL
    self.kind = kind
  }
}
