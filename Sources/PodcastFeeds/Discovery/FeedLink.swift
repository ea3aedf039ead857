public import PodcastModel

/// A feed that a web page links to (`<link rel="alternate">`).
public struct FeedLink: Sendable, Hashable {
  /// The feed's absolute address.
  public var url: FeedURL
  /// The title that the page gives it.
  public var title: String?
  /// Its media type, in lower case.
  public var type: String
}
