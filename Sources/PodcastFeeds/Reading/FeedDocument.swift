public import PodcastModel

/// What a feed says about a podcast besides what is needed to download it.
package struct PodcastDetails: Sendable, Hashable {
  /// ``FeedDocument/medium``
  package var medium: String?
  /// ``FeedDocument/isLocked``
  package var isLocked = false
  /// ``FeedDocument/funding``
  package var funding: [FeedDocument.Funding] = []

  /// Says nothing.
  package init() {}

  init(medium: String?, isLocked: Bool, funding: [FeedDocument.Funding]) {
    self.medium = medium
    self.isLocked = isLocked
    self.funding = funding
  }
}

/// A feed that was read, or as much of one as came before it broke.
public struct FeedDocument: Sendable, Hashable {
  /// A way to support the podcast (`podcast:funding`).
  public struct Funding: Sendable, Hashable {
    /// The absolute address.
    public var url: String
    /// The words that go with it.
    public var title: String
  }

  /// The podcast. Its feed address is the one that was read, when it is known.
  public var podcast: Podcast
  /// The episodes that have a media file, in the feed's order.
  public var episodes: [Episode] = []
  /// The details of each episode, in the same order; empty when they were not asked for.
  public var details: [EpisodeDetails] = []
  /// How many items have no media file that can be fetched, or images only.
  public var unplayableCount = 0
  /// Trailers of the whole show (`podcast:trailer`), which are no items.
  public var trailers: [Episode] = []
  /// The format.
  public var format: FeedFormat
  /// The feed's own address as it says itself (`atom:link` with `rel="self"`).
  public var selfURL: FeedURL?
  /// The next page of an archive (RFC 5005, sections 3 and 4; JSON Feed, `next_url`).
  public var nextPage: FeedURL?
  /// Where the feed says that it has moved to (`itunes:new-feed-url`). It may be its own address.
  public var newFeedURL: FeedURL?
  /// Whether the publisher wants the podcast in no directory (`itunes:block`).
  public var isBlocked = false
  /// Whether no more episodes will come (`itunes:complete`; JSON Feed, `expired`).
  public var isComplete = false
  /// Whether the publisher forbids to import the podcast elsewhere (`podcast:locked`).
  public var isLocked = false
  /// How long the feed may be cached (RSS 2.0, `ttl`).
  public var ttl: Duration?
  /// The podcast's UUID, which stays when the feed moves (`podcast:guid`).
  public var podcastGUID: String?
  /// What the feed holds, in lower case, such as `podcast` or `music` (`podcast:medium`).
  public var medium: String?
  /// The ways to support the podcast.
  public var funding: [Funding] = []
  /// What it says of the podcast besides.
  package var about: PodcastDetails {
    PodcastDetails(medium: medium, isLocked: isLocked, funding: funding)
  }

  /// The details by the episodes, of equal ones the first; empty when they were not asked for.
  package var detailsByEpisode: [Episode: EpisodeDetails] {
    details.count == episodes.count
      ? Dictionary(zip(episodes, details)) { first, _ in first } : [:]
  }

  /// What is wrong with the feed, when it broke off or passed a limit: what came before it is here.
  public var error: PodgetError?

  /// Makes a document without episodes.
  package init(podcast: Podcast, format: FeedFormat) {
    self.podcast = podcast
    self.format = format
  }

  /// Adds the trailers of the whole show to the episodes, without those that are items too.
  package mutating func addTrailers() {
    let known = Set(episodes.map(\.enclosure.url))
    let hasDetails = !details.isEmpty
    for trailer in trailers where !known.contains(trailer.enclosure.url) {
      episodes.append(trailer)
      if hasDetails { details.append(EpisodeDetails()) }
    }
  }

  /// Whether the feed broke off.
  public var isBroken: Bool { error != nil }

  /// The podcast with its episodes.
  public var listing: PodcastListing {
    PodcastListing(podcast: podcast, episodes: episodes, unplayableCount: unplayableCount)
  }
}
