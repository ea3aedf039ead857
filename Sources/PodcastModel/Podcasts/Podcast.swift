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
  /// What a person says of it in place of its feed. It is no part of what identifies the podcast.
  public var correction = PodcastCorrection()

  /// The title to show: the one that a person gave it, else the published one.
  public var shownTitle: String { correction.title ?? title }

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

/// What a person says of a podcast in place of its feed.
public struct PodcastCorrection: Sendable, Hashable {
  /// The title; nil leaves it.
  public var title: String?
  /// The folder of its files in place of the title: one legal name. Nil leaves it.
  public var folder: String?

  /// The longest title in bytes.
  public static let longestTitle = 1_000

  /// Creates a correction.
  public init(title: String? = nil, folder: String? = nil) {
    (self.title, self.folder) = (title, folder)
  }

  /// Whether a text can be the name of a podcast's folder on every file system that podget knows.
  public static func isFolder(_ name: String) -> Bool {
    !name.isEmpty && FileName.component(name) == name
  }

  /// The nearest such name; nil for a text of which nothing is left.
  package static func folder(like text: String) -> String? {
    let name = FileName.component(text, fallback: "-")
    return isFolder(name) ? name : nil
  }
}
