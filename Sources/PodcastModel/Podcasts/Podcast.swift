/// A podcast as a directory or a feed describes it.
public struct Podcast: Sendable, Hashable {
  /// Apple's collection id, when the podcast is known from Apple's directory.
  public var id: Int64?
  /// The title as published: any Unicode, unsafe for a terminal or a file name as it stands.
  public var title: String
  /// The author or network as published.
  public var author: String?
  /// The address of the RSS feed, percent-encoding untouched. Apple leaves it out for some shows.
  public var feedURL: FeedURL?
  /// The address of the largest artwork that is known.
  public var artworkURL: String?
  /// How many episodes the source says there are, which may be more than it lists.
  public var episodeCount: Int?

  /// Makes a podcast; only the title is required.
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
