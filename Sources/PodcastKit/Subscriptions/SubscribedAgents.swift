package import PodcastLibrary
package import PodcastModel
import Synchronization

/// The `User-Agent` of the subscriptions that have one: for their feeds, their episodes and their
/// artwork, and all redirects of these.
package final class SubscribedAgents: Sendable {
  private struct Agents {
    /// Nil for those that have none.
    var byID: [Int64: String?] = [:]
    var byFeed: [FeedIdentity: String?] = [:]
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
    var new = Agents()
    for (subscription, agent) in subscriptions {
      if let id = subscription.id { new.byID.updateValue(agent, forKey: id) }
      new.byFeed.updateValue(agent, forKey: FeedIdentity(subscription.feedURL))
    }
    // Episodes that were planned before a move have the old address, unless another podcast has it now.
    for (subscription, agent) in subscriptions {
      guard let first = FeedURL(subscription.firstURL).map(FeedIdentity.init),
        new.byFeed[first] == nil
      else { continue }
      new.byFeed.updateValue(agent, forKey: first)
    }
    agents.withLock { [new] in $0 = new }
  }

  /// The one for what belongs to a podcast; nil for the usual one.
  package func agent(for podcast: Podcast) -> String? {
    agents.withLock { agents in
      let agent =
        podcast.id.flatMap { agents.byID[$0] }
        ?? podcast.feedURL.flatMap { agents.byFeed[FeedIdentity($0)] }
      return agent ?? nil
    }
  }

  /// The one for a feed; nil for the usual one.
  func agent(forFeed url: FeedURL) -> String? {
    agents.withLock { $0.byFeed[FeedIdentity(url)] ?? nil }
  }
}
