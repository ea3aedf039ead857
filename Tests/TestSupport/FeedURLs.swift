public import PodcastModel

/// Tests write addresses of feeds down as they are.
extension FeedURL: ExpressibleByStringInterpolation {
  /// Takes an address that is right.
  public init(stringLiteral value: String) {
    guard let feed = FeedURL(value) else { fatalError("\(value) is no address of a feed") }
    self = feed
  }
}
