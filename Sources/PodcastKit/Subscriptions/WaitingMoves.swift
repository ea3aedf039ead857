import PodcastFeeds
import PodcastLibrary
import PodcastModel

/// The moves of feeds that wait for the user, because the logins of their subscriptions are for other
/// origins, or other podcasts are followed where they go.
struct WaitingMoves {
  /// A subscription, and where its feed is.
  struct Move {
    var subscription: Subscription
    var target: FeedURL
  }

  private var moves: [String: Move] = [:]

  /// Reads what was remembered of subscriptions.
  ///
  /// - Throws: a ``PodgetError`` when the states of the feeds cannot be read.
  init(of subscriptions: [Subscription], in library: Library) throws(PodgetError) {
    do throws(DiskError) {
      let states = try FeedStateLog.states(of: library)
      for subscription in subscriptions {
        guard let state = states[subscription.firstURL],
          let target = subscription.waitingMove(in: state)
        else { continue }
        moves[subscription.firstURL] = Move(subscription: subscription, target: target)
      }
    } catch {
      throw error.podgetError
    }
  }

  /// None.
  init() {}

  /// Where the feed of a subscription is; nil if nothing waits.
  func target(of subscription: Subscription) -> FeedURL? {
    guard let move = moves[subscription.firstURL],
      move.subscription.feedURL == subscription.feedURL
    else { return nil }
    return move.target
  }

  /// The move of a subscription with a login to an address that a source names.
  func move(to source: String) -> Move? {
    guard !moves.isEmpty, case .feed(let url)? = try? Source.parse(source),
      let given = FeedURL(url)
    else { return nil }
    return moves.values.first { move in
      move.subscription.hasLogin && FeedIdentity(move.target) == FeedIdentity(given)
        && !FeedMove.changesOrigin(from: move.target, to: given)
    }
  }
}
