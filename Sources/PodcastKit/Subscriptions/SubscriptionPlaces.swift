package import PodcastModel

/// Which of some subscriptions a podcast belongs to: the one with its Apple id, else with its feed's
/// address, else the one whose feed had that address before.
///
/// What was planned or recorded before a feed moved has the old address. By now another show may be
/// there, so an earlier address counts for a podcast only if the subscription has, or had, its title.
package struct SubscriptionPlaces: Sendable {
  private var ids: [Int64: Int] = [:]
  private var feeds: [FeedIdentity: Int] = [:]
  private var earlierFeeds: [FeedIdentity: Int] = [:]
  /// The ids that subscriptions have themselves.
  private var ownIDs: [Int: Int64] = [:]
  /// The titles that each one with earlier addresses has, or surely had, in comparable form.
  private var titles: [Int: Set<String>] = [:]

  /// Knows no subscription.
  package init() {}

  /// Knows subscriptions by their places in a sequence.
  package init(_ subscriptions: some Sequence<Subscription>) {
    for (place, subscription) in subscriptions.enumerated() { add(subscription, at: place) }
  }

  /// Adds a subscription; of two with one id or address, the first one counts.
  package mutating func add(_ subscription: Subscription, at place: Int) {
    if let id = subscription.id {
      ids[id] = ids[id] ?? place
      ownIDs[place] = id
    }
    let feed = FeedIdentity(subscription.feedURL)
    feeds[feed] = feeds[feed] ?? place
    for earlier in subscription.earlierURLs.map(FeedIdentity.init) {
      earlierFeeds[earlier] = earlierFeeds[earlier] ?? place
    }
    if !subscription.earlierURLs.isEmpty { learn(subscription.podcast, at: place) }
  }

  /// The place of the subscription with an Apple id.
  package func place(id: Int64) -> Int? { ids[id] }

  /// The place of the subscription with a feed's address, present or earlier: where a user names a
  /// subscription.
  package func place(feed: FeedURL) -> Int? {
    let feed = FeedIdentity(feed)
    return feeds[feed] ?? earlierFeeds[feed]
  }

  /// The place of the subscription of a podcast.
  package func place(of podcast: Podcast) -> Int? {
    podcast.id.flatMap { place(id: $0) } ?? place(feedOf: podcast)
  }

  /// The place of the subscription that a podcast belongs to, or belonged to unless another show has
  /// taken over the earlier address.
  package func likelyPlace(of podcast: Podcast) -> Int? {
    podcast.id.flatMap { place(id: $0) } ?? podcast.feedURL.flatMap { place(feed: $0) }
  }

  /// The place of the subscription of a podcast, by the address of its feed.
  package func place(feedOf podcast: Podcast) -> Int? {
    guard let feed = podcast.feedURL.map(FeedIdentity.init) else { return nil }
    if let place = feeds[feed] { return place }
    guard let place = earlierFeeds[feed], hasTitle(of: podcast, place) else { return nil }
    return place
  }

  /// The place of the subscription whose feed had the address of a podcast before, if nothing shows that
  /// the podcast is the one that was there then.
  package func unprovenPlace(of podcast: Podcast) -> Int? {
    guard let feed = podcast.feedURL.map(FeedIdentity.init), feeds[feed] == nil,
      let place = earlierFeeds[feed], !hasTitle(of: podcast, place)
    else { return nil }
    return place
  }

  private func hasTitle(of podcast: Podcast, _ place: Int) -> Bool {
    titles[place]?.contains(PodcastIdentity(podcast).title) ?? false
  }
}

extension SubscriptionPlaces {
  /// Learns the title of a podcast that is surely the one of a subscription.
  package mutating func learn(_ podcast: Podcast, at place: Int) {
    let title = PodcastIdentity(podcast).title
    if !title.isEmpty { titles[place, default: []].insert(title) }
  }

  /// Learns the titles that subscriptions have in records and plans with their ids or their present
  /// addresses: a subscription keeps the title that it began with.
  package mutating func learnTitles(of podcasts: some Sequence<Podcast>) {
    guard !earlierFeeds.isEmpty else { return }
    for podcast in podcasts {
      if let place = surePlace(of: podcast) { learn(podcast, at: place) }
    }
  }

  /// The place of the subscription of a podcast, by its id or the present address of its feed.
  package func surePlace(of podcast: Podcast) -> Int? {
    if let place = podcast.id.flatMap({ ids[$0] }) { return place }
    guard let place = podcast.feedURL.flatMap({ feeds[FeedIdentity($0)] }) else { return nil }
    // Apple's id decides if both have one.
    if let id = podcast.id, let own = ownIDs[place], own != id { return nil }
    return place
  }
}
