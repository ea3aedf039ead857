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

  /// The subscription that moves to an address.
  func subscription(movedTo target: FeedURL) -> Subscription? {
    moves.first { FeedIdentity($0.to) == FeedIdentity(target) }?.subscription
  }

  /// Writes the moves. What is lost of them is seen again at the next sync.
  ///
  /// - Returns: the subscriptions that have moved, and where to. One that somebody has changed meanwhile
  ///   is not among them.
  func store(
    in file: SubscriptionFile, _ disk: DiskPool
  ) async throws(PodgetError) -> [(subscription: Subscription, target: FeedURL)] {
    guard !moves.isEmpty else { return [] }
    let moves = moves
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        var written: [(subscription: Subscription, target: FeedURL)] = []
        try file.update { list in
          written = []
          for move in moves {
            let moved = move.subscription
            list.move(
              moved.name, from: moved.feedURL, to: move.to,
              merging: .onePodcast)
            if list.subscription(feed: move.to) != nil { written.append((moved, move.to)) }
          }
        }
        return written
      }
    }
    return try result.get()
  }
}
