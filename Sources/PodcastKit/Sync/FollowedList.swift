import PodcastModel
import Synchronization

/// The subscriptions of a run, found in several ways. It is made again when somebody has changed the
/// list, and not in each round.
final class FollowedList: Sendable {
  /// All subscriptions of the library.
  let all: [Subscription]
  /// Those that the run takes.
  let chosen: [Subscription]
  /// How many hosts they are at; as many as matter.
  let hosts: Int
  /// Whether any of them wants files that were deleted without podget.
  let refetchesMissing: Bool
  /// Whether any of them has a rule for what is removed.
  let hasRetention: Bool
  private let byFirstURL: [String: Subscription]
  private let byAddress = Mutex<[FeedIdentity: Subscription]?>(nil)
  private let knownPlaces = Mutex<SubscriptionPlaces?>(nil)

  /// Makes the list of a run.
  init(_ all: [Subscription], chosen: [Subscription]) {
    self.all = all
    self.chosen = chosen
    // Only one host of several says nothing about the network.
    hosts = Set(chosen.lazy.map(\.host).prefix(1000)).count
    refetchesMissing = chosen.contains { $0.settings[.refetchMissing] == "true" }
    hasRetention = chosen.contains { $0.settings.hasRetention }
    byFirstURL = Dictionary(chosen.map { ($0.firstURL, $0) }) { first, _ in first }
  }

  /// The chosen subscription with an address first subscribed.
  subscript(firstURL: String) -> Subscription? { byFirstURL[firstURL] }

  /// The subscription, chosen or not, whose feed is at an address.
  func subscription(at address: FeedURL) -> Subscription? {
    byAddress.withLock { known in
      let found =
        known ?? Dictionary(all.map { (FeedIdentity($0.feedURL), $0) }) { first, _ in first }
      known = found
      return found[FeedIdentity(address)]
    }
  }

  /// Which of the chosen ones a podcast belongs to.
  var places: SubscriptionPlaces {
    knownPlaces.withLock { known in
      let places = known ?? SubscriptionPlaces(chosen)
      known = places
      return places
    }
  }
}
