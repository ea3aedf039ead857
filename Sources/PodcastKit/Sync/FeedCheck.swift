public import FoundationEssentials
public import PodcastModel

/// What a check of a followed podcast's feed found.
public struct FeedCheck: Sendable, Hashable {
  /// The kinds of results.
  public enum Result: String, Sendable, Hashable, CaseIterable {
    /// The server says that nothing changed, or sent the same bytes as last time.
    case unchanged
    /// The feed was read.
    case read
    /// The server asks for no request before a certain time.
    case deferred
    /// The feed is gone for good; it is not asked again.
    case gone
  }

  /// The short name of the subscription.
  public var name: String
  /// The podcast.
  public var podcast: Podcast
  /// The address of the feed, without user name and password; the new one after a move.
  public var feedURL: FeedURL
  /// The result.
  public var result: Result
  /// How many episodes are to be downloaded that the library did not have.
  public var newEpisodes = 0
  /// How many episodes the feed lists for the first time that are too old to be new.
  public var olderAdded = 0
  /// How many new episodes wait until a person accepts them.
  public var waiting = 0
  /// How many of those that wait the feed does not list now, as far as that is known.
  public var unlistedWaiting = 0
  /// How many of those that wait began to wait with this check.
  public var newlyWaiting = 0
  /// Whether people are reminded of those that wait: not in each round of `--watch`.
  public var remindsOfWaiting = false
  /// The address to which the subscription moved; nil if it did not.
  public var movedTo: FeedURL?
  /// The address to which the feed has moved, while the subscription waits for the user: its login is
  /// for another origin, or a podcast with another title is followed there. Nil if it does not wait.
  public var waitingMove: FeedURL?
  /// Until when the feed is not asked (UTC); only of deferred feeds.
  public var notBefore: Date?

  /// Creates a check.
  public init(name: String, podcast: Podcast, feedURL: FeedURL, result: Result) {
    self.name = name
    self.podcast = podcast
    self.feedURL = feedURL
    self.result = result
  }
}
