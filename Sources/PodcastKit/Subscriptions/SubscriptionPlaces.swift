package import PodcastModel

/// Which of some subscriptions a podcast belongs to: the one with its Apple id, else with its feed's
/// address, else the one whose feed had that address before.
///
/// What was planned or recorded before a feed moved has the old address.
package struct SubscriptionPlaces: Sendable {
  private var ids: [Int64: Int] = [:]
  private var feeds: [FeedIdentity: Int] = [:]
  private var earlierFeeds: [FeedIdentity: Int] = [:]

  /// Knows no subscription.
  package init() {}

  /// Knows subscriptions by their places in a sequence.
  package init(_ subscriptions: some Sequence<Subscription>) {
    for (place, subscription) in subscriptions.enumerated() { add(subscription, at: place) }
  }

  /// Adds a subscription; of two with one id or address, the first one counts.
  package mutating func add(_ subscription: Subscription, at place: Int) {
    if let id = subscription.id { ids[id] = ids[id] ?? place }
    let feed = FeedIdentity(subscription.feedURL)
    feeds[feed] = feeds[feed] ?? place
    for earlier in subscription.earlierURLs.map(FeedIdentity.init) {
      earlierFeeds[earlier] = earlierFeeds[earlier] ?? place
    }
  }

  /// The place of the subscription with an Apple id.
  package func place(id: Int64) -> Int? { ids[id] }

  /// The place of the subscription with a feed's address.
  package func place(feed: FeedURL) -> Int? {
    let feed = FeedIdentity(feed)
    return feeds[feed] ?? earlierFeeds[feed]
  }

  /// The place of the subscription of a podcast.
  package func place(of podcast: Podcast) -> Int? {
    podcast.id.flatMap { place(id: $0) } ?? podcast.feedURL.flatMap { place(feed: $0) }
  }
}
