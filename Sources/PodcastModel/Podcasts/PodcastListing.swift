/// A podcast with the episodes that one source listed for it.
public struct PodcastListing: Sendable, Hashable {
  /// The podcast.
  public var podcast: Podcast
  /// The playable episodes, in the source's order.
  public var episodes: [Episode]
  /// How many listed episodes were left out: without an address (subscribers only), or with images only.
  public var unplayableCount: Int

  /// Creates a listing.
  public init(podcast: Podcast, episodes: [Episode], unplayableCount: Int = 0) {
    self.podcast = podcast
    self.episodes = episodes
    self.unplayableCount = unplayableCount
  }
}
