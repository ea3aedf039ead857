package import FoundationEssentials

/// What decisions need of a feed that was read.
package struct ListedFeed: Sendable, Hashable {
  /// The SHA-256 of the decoded body.
  package var digest: String
  /// The listed episodes, in the feed's order.
  package var items: [ListedItem]
  /// For each of them the place of the remembered one that it is; nil if they are not looked for yet.
  package var places: [Int?]?
  /// The newest date that is not in the future.
  package var newest: Date?
  /// The oldest date; nil if an episode has none.
  package var oldest: Date?
  /// How many of them look like a known one.
  package var lookAlikes: Int
  /// How many episodes of the podcast are known.
  package var known: Int
  /// Whether the feed has the `podcast:guid` that is known of the podcast.
  package var hasPodcastGUID = false
  /// Whether the feed has the title that is known of the podcast, typography aside.
  package var hasTitle = false
  /// The usual time between two days with episodes.
  package var rhythm: Duration?
  /// Whether no more episodes will come.
  package var isComplete = false
  /// How long the feed itself says that it may be cached.
  package var ttl: Duration?
  /// Where the feed says that it has moved to.
  package var announcement: FeedURL?

  /// Takes it from a list of episodes.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 of the decoded body.
  ///   - episodes: the listed episodes, in the feed's order.
  ///   - items: the same; nil if they are not made yet.
  ///   - lookAlikes: how many of them the identity rules match with a known one.
  ///   - known: how many episodes of the podcast are known.
  package init(
    digest: String, episodes: [Episode], items: [ListedItem]? = nil, lookAlikes: Int, known: Int,
    now: Date
  ) {
    self.digest = digest
    self.items = items ?? ListedItem.items(of: episodes)
    self.lookAlikes = lookAlikes
    self.known = known
    let dates = episodes.map(\.plausibleDate)
    newest = dates.lazy.compactMap(\.self).filter { $0 <= now }.max()
    oldest = dates.contains(nil) ? nil : dates.lazy.compactMap(\.self).min()
    rhythm = Self.rhythm(of: dates, now: now)
  }

  /// Whether it lists an episode that the feed listed before, or one that is known.
  package func sharesEpisode(with state: FeedState) -> Bool {
    lookAlikes > 0 || state.listed.shares(items)
  }

  /// The usual time between two days with episodes: the median of the last ten gaps. Dates in the
  /// future are ignored.
  static func rhythm(of dates: [Date?], now: Date) -> Duration? {
    let past = dates.lazy.compactMap(\.self).filter { $0 <= now }
    let days = Set(past.map { CivilDay($0).daysSince1970 }).sorted(by: >).prefix(11)
    let gaps = zip(days, days.dropFirst()).map { $0 - $1 }.sorted()
    guard !gaps.isEmpty else { return nil }
    let middle = gaps[(gaps.count - 1) / 2] + gaps[gaps.count / 2]
    return .seconds(middle * 43_200)
  }
}
