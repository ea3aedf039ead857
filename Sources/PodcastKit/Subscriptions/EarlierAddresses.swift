import PodcastLibrary
import PodcastModel

/// Finds the subscription that had the address of a podcast before, if the podcast is still the same.
///
/// A person may name a subscription by an address that its feed has left, and may follow another show
/// that is there by now.
struct EarlierAddresses {
  /// The podcasts of the library's records.
  private var recorded: [Podcast] = []

  /// Reads the records if the addresses of podcasts alone do not tell; it blocks on the disk.
  ///
  /// - Parameters:
  ///   - podcasts: are to be followed.
  ///   - subscriptions: what is followed.
  ///   - library: has the records.
  init(
    of podcasts: some Sequence<Podcast>, _ subscriptions: SubscriptionList, in library: Library
  ) {
    var list = subscriptions
    guard podcasts.contains(where: { list.unprovenSubscription(of: $0) != nil }) else { return }
    recorded = library.episodes().map(\.podcast)
  }

  /// The subscription of a podcast that is at an address of it; nil if another show is there.
  ///
  /// - Parameters:
  ///   - podcast: as its feed describes it now.
  ///   - others: where its feed is too, such as the end of its redirects.
  ///   - list: has the subscription.
  func subscription(
    of podcast: Podcast, _ others: [FeedURL], in list: inout SubscriptionList
  ) -> Subscription? {
    guard let subscription = list.unprovenSubscription(of: podcast) else { return nil }
    let present = FeedIdentity(subscription.feedURL)
    if others.contains(where: { FeedIdentity($0) == present }) { return subscription }
    var places = SubscriptionPlaces([subscription])
    places.learnTitles(of: recorded)
    return places.place(of: podcast) == nil ? nil : subscription
  }
}
