import PodcastModel

/// Plans of downloads, apart by the subscriptions whose logins they need.
struct PlansByLogin {
  /// The plans that need no login of a subscription.
  private(set) var others: [DownloadPlan] = []
  /// The subscriptions with the plans of each.
  private(set) var own: [(subscription: Subscription, plans: [DownloadPlan])] = []

  /// Sorts plans; each podcast is looked up once.
  init(_ plans: [DownloadPlan], of subscriptions: some Sequence<Subscription>) {
    var byID: [Int64: Int] = [:]
    var byFeed: [FeedIdentity: Int] = [:]
    for subscription in subscriptions where subscription.hasLogin {
      if let id = subscription.id { byID[id] = own.count }
      byFeed[FeedIdentity(subscription.feedURL)] = own.count
      own.append((subscription, []))
    }
    guard !own.isEmpty else {
      others = plans
      return
    }
    var places: [Podcast: Int?] = [:]
    for plan in plans {
      let podcast = plan.podcast
      let place =
        places[podcast]
        ?? podcast.id.flatMap { byID[$0] }
        ?? podcast.feedURL.flatMap { byFeed[FeedIdentity($0)] }
      places[podcast] = .some(place)
      if let place { own[place].plans.append(plan) } else { others.append(plan) }
    }
    own.removeAll { $0.plans.isEmpty }
  }
}
