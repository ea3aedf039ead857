import PodcastModel

/// Plans of downloads, apart by the subscriptions whose logins they need.
struct PlansByLogin {
  /// The plans that need no login of a subscription.
  private(set) var others: [DownloadPlan] = []
  /// The subscriptions with the plans of each.
  private(set) var own: [(subscription: Subscription, plans: [DownloadPlan])] = []

  /// Sorts plans; each podcast is looked up once. An earlier address is enough: a login goes to its own
  /// origin only, and without it an episode would be refused.
  init(_ plans: [DownloadPlan], of subscriptions: some Sequence<Subscription>) {
    own = subscriptions.filter(\.hasLogin).map { ($0, []) }
    guard !own.isEmpty else {
      others = plans
      return
    }
    let subscribed = SubscriptionPlaces(own.map(\.subscription))
    var places: [Podcast: Int?] = [:]
    for plan in plans {
      let place = places[plan.podcast] ?? subscribed.likelyPlace(of: plan.podcast)
      places[plan.podcast] = .some(place)
      if let place { own[place].plans.append(plan) } else { others.append(plan) }
    }
    own.removeAll { $0.plans.isEmpty }
  }
}
