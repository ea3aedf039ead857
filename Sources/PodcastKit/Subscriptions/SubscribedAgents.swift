package import PodcastLibrary
package import PodcastModel
import Synchronization

/// The `User-Agent` of the subscriptions that have one: for their feeds, their episodes and their
/// artwork, and all redirects of these.
package final class SubscribedAgents: Sendable {
  private struct Agents {
    var places = SubscriptionPlaces()
    /// Nil for those that have none.
    var texts: [String?] = []
  }

  private let agents = Mutex(Agents())

  /// No subscription has one.
  package init() {}

  /// Those of the subscriptions of a library; none if they cannot be read. It blocks on the disk.
  package convenience init(of library: Library?) {
    self.init()
    guard let library, let list = try? SubscriptionFile(library).read() else { return }
    use(list.subscriptions.map { ($0, $0.settings[.userAgent]) })
  }

  /// Has those of other subscriptions from now on.
  package func use(_ subscriptions: [(subscription: Subscription, agent: String?)]) {
    let new = Agents(
      places: SubscriptionPlaces(subscriptions.map(\.subscription)),
      texts: subscriptions.map(\.agent))
    agents.withLock { $0 = new }
  }

  /// The one for what belongs to a podcast; nil for the usual one.
  package func agent(for podcast: Podcast) -> String? {
    agents.withLock { agents in agents.places.likelyPlace(of: podcast).flatMap { agents.texts[$0] }
    }
  }

  /// The one for a feed; nil for the usual one.
  func agent(forFeed url: FeedURL) -> String? {
    agents.withLock { agents in agents.places.place(feed: url).flatMap { agents.texts[$0] } }
  }
}
