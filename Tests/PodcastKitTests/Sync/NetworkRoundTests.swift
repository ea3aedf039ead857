import Foundation
import Testing

@testable import PodcastModel

@Suite("Whether the network is down") struct NetworkRoundTests {
  @Test(
    "only when every host fails without an answer",
    arguments: [
      ([], false), ([("a", .network)], true), ([("a", .network), ("b", .timeout)], true),
      ([("a", .network), ("b", nil)], false), ([("a", .network), ("b", .tls)], false),
      ([("a", .network), ("b", .httpStatus)], false), ([("a", .network), ("a", nil)], false),
      ([("a", nil)], false), ([("a", .decoding)], false),
    ] as [([(String, PodgetError.Code?)], Bool)])
  func rounds(ends: [(String, PodgetError.Code?)], isDown: Bool) throws {
    var round = NetworkRound()
    for (host, error) in ends {
      round.add(try SyncPieces.url("https://\(host).example/feed"), error: error)
    }
    #expect(round.isNetworkDown == isDown)
  }

  @Test("a feed that failed before says nothing, unless it answers") func failedBefore() throws {
    var round = NetworkRound()
    round.add(try SyncPieces.url("https://a.example/1"), error: .network, failedBefore: true)
    #expect(!round.isNetworkDown && round.failedHosts == 0 && !round.hasAnswer)
    round.add(try SyncPieces.url("https://b.example/1"), error: .network)
    #expect(round.isNetworkDown && round.failedHosts == 1)
    round.add(try SyncPieces.url("https://a.example/1"), error: nil, failedBefore: true)
    #expect(round.hasAnswer && !round.isNetworkDown)
  }

  @Test("hosts are counted, not feeds") func hosts() throws {
    var round = NetworkRound()
    for feed in ["https://a.example/1", "https://a.example/2", "https://b.example/1"] {
      round.add(try SyncPieces.url(feed), error: .network)
    }
    #expect(round.failedHosts == 2)
  }
}
