import PodcastModel
import PodcastTransfer

/// The subscriptions whose feeds have new addresses; the file is written once for all.
struct SubscriptionMoves: Sendable {
  private struct Move: Sendable {
    var name: String
    var from: FeedURL
    var to: FeedURL
  }

  private var moves: [Move] = []

  /// Notes a move.
  mutating func add(_ subscription: Subscription, to target: FeedURL) {
    moves.append(Move(name: subscription.name, from: subscription.feedURL, to: target))
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
          for move in moves { list.move(move.name, from: move.from, to: move.to) }
        }
      }
    }
    guard case .failure(let error) = result else { return nil }
    return "Subscriptions could not be moved: \(error.message)"
  }
}
