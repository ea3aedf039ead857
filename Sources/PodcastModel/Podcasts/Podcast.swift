/// A podcast as a directory or a feed describes it.
public struct Podcast: Sendable, Hashable {
  /// Apple's collection id, if the podcast is from Apple's catalog.
  public var id: Int64?
  /// The title as published: any Unicode, not safe for a terminal or a file name.
  public var title: String
  /// The author or network as published.
  public var author: String?
  /// The address of the RSS feed, percent-encoding unchanged. Apple omits it for some shows.
  public var feedURL: FeedURL?
  /// The address of the largest known artwork.
  public var artworkURL: String?
  /// The number of episodes by the source, which may be more than it lists.
  public var episodeCount: Int?

  /// Creates a podcast; only the title is required.
  public init(
    id: Int64? = nil, title: String, author: String? = nil, feedURL: FeedURL? = nil,
    artworkURL: String? = nil, episodeCount: Int? = nil
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.feedURL = feedURL
    self.artworkURL = artworkURL
    self.episodeCount = episodeCount
  }
}
