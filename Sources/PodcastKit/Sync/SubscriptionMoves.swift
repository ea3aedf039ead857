import PodcastModel
import PodcastTransfer

/// The subscriptions whose feeds have new addresses; the file is written once for all.
struct SubscriptionMoves: Sendable {
  private struct Move: Sendable {
    var subscription: Subscription
    var to: FeedURL
  }

  private var moves: [Move] = []

  /// Notes a move.
  mutating func add(_ subscription: Subscription, to target: FeedURL) {
    moves.append(Move(subscription: subscription, to: target))
  }

  /// The subscriptions that move, and where to.
  var all: [(subscription: Subscription, target: FeedURL)] {
    moves.map { ($0.subscription, $0.to) }
  }

  /// The subscription that moves to an address.
  func subscription(movedTo target: FeedURL) -> Subscription? {
    moves.first { FeedIdentity($0.to) == FeedIdentity(target) }?.subscription
  }

  /// Writes the moves. What is lost of them is seen again at the next sync.
  ///
  /// - Returns: what went wrong, in one sentence.
  func store(in file: SubscriptionFile, _ disk: DiskPool) async -> String? {
    guard !moves.isEmpty else { return nil }
    let moves = moves
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        try file.update { list in
          for move in moves {
            let moved = move.subscription
            list.move(
              moved.name, from: moved.feedURL, to: move.to,
              merging: .onePodcast)
          }
        }
      }
    }
    guard case .failure(let error) = result else { return nil }
    return "Subscriptions could not be moved: \(error.message)"
  }
}
