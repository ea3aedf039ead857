public import PodcastModel

/// Addresses of feeds as literals.
extension FeedURL: ExpressibleByStringInterpolation {
  /// Creates one from a valid address.
  public init(stringLiteral value: String) {
    guard let feed = FeedURL(value) else { fatalError("\(value) is no address of a feed") }
    self = feed
  }
}
