import Foundation
import Testing

@testable import PodcastModel

@Suite("What decisions need of a feed") struct ListedFeedTests {
  @Test(
    "the rhythm is the median of the last ten gaps between days",
    arguments: [
      ([], nil), ([0], nil), ([0, 0.1, 0.2], nil), ([0, -7], 7), ([0, -7, -7.2, -14], 7),
      ([0, -1, -8], 4), ([0, -1, -2, -30], 1), ([5, 0, -2], 2),
      (
        [0, -1, -2, -3, -4, -5, -14, -23, -32, -41, -50, -59, -68], 5
      ),
      ([0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -1000, -2000], 1),
    ] as [([Double], Double?)])
  func median(days: [Double], gap: Double?) {
    let dates = [nil] + days.shuffled().map { SyncPieces.day($0) }
    #expect(
      ListedFeed.rhythm(of: dates, now: SyncPieces.hour(0)) == gap.map { .seconds($0 * 86_400) })
  }

  @Test("the newest date is not in the future, and the oldest is known only of all") func dates() {
    let now = SyncPieces.hour(0)
    func contents(_ days: [Double?]) -> ListedFeed {
      let episodes = days.enumerated().map { index, day in
        SyncPieces.episode("\(index)", day.map { SyncPieces.day($0) })
      }
      return ListedFeed(digest: "", episodes: episodes, lookAlikes: 0, known: 0, now: now)
    }
    #expect(contents([0, 1, -5]).newest == now)
    #expect(contents([0, 1, -5]).oldest == SyncPieces.day(-5))
    #expect(contents([-1, nil]).newest == SyncPieces.day(-1))
    #expect(contents([-1, nil]).oldest == nil)
    #expect(contents([1]).newest == nil)
    #expect(contents([]).items.isEmpty)
  }

  @Test("a feed shares an episode by a key or by a look-alike") func shares() throws {
    let state = try SyncPieces.state()
    let now = SyncPieces.hour(1)
    let key = SyncPieces.contents(["x", "a"], newest: now, now: now)
    #expect(key.sharesEpisode(with: state))
    let none = SyncPieces.contents(["x"], newest: now, now: now)
    #expect(!none.sharesEpisode(with: state))
    let alike = SyncPieces.contents(["x"], newest: now, lookAlikes: 1, now: now)
    #expect(alike.sharesEpisode(with: FeedState()))
  }
}
