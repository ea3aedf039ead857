import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed at random moments of syncs of 40 feeds, of which some have a new episode each time.
  @Suite(.serialized) struct SyncRandomKills {
    private typealias Item = FeedHost.Item
    private typealias Feed = FeedHost.Feed

    private static let feeds = 40

    @Test func `kills lose nothing and download nothing twice`() async throws {
      var generator = SeededGenerator(seed: Reliability.seed)
      let follower = try Follower()
      var published = 0
      func publish(_ feed: Int) {
        published += 1
        // An hour later than the one before, at most four weeks in all.
        let (day, hour) = (1 + published / 24, published % 24)
        let item = Item(
          published, guid: "guid \(published)",
          date: "\(day) Jan 2024 \(hour < 10 ? "0" : "")\(hour):00:00 GMT")
        follower.host["/\(feed)"].items.insert(item, at: 0)
      }
      for feed in 0..<Self.feeds {
        follower.host["/\(feed)"] = Feed(title: "Feed \(feed)")
        publish(feed)
      }
      let addresses = (0..<Self.feeds).map { "\(follower.host.origin)/\($0)" }
      let followed = try await follower.run(
        "subscribe", "-", "--latest", "1", input: addresses.joined(separator: "\n"))
      #expect(followed.status == .exited(0), "\(followed.error)")

      let rounds = Reliability.rounds(12, soak: 200)
      var kills = 0
      for _ in 0..<rounds {
        let earlier = follower.host.log.count
        // The newest episode waits, so that no sync ends before its kill, on any machine.
        follower.host.heldMedia = [published]
        let process = try follower.start(["sync"])
        let asked = Int.random(in: 0...Self.feeds, using: &generator)
        try await waitUntil("so many requests have come", seen: { process.error }) {
          !process.isRunning || follower.host.log.count >= earlier + asked
        }
        process.signal(SIGKILL)
        if try await process.waitForExit().status == .signalled(SIGKILL) { kills += 1 }
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
          publish(Int.random(in: 0..<Self.feeds, using: &generator))
        }
      }
      follower.host.heldMedia = []
      let last = try await follower.run("sync")
      #expect(last.status == .exited(0), "\(last.error)")
      let guids = try await follower.run("list", "--json").objects.compactMap { row -> String? in
        (row["episode"] as? [String: Any])?["guid"] as? String
      }
      // Before the first complete sync the newest episode of a feed is all that is wanted.
      #expect(Set(guids).count == guids.count)
      #expect(follower.episodes.count == guids.count)
      for feed in 0..<Self.feeds {
        let newest = try #require(follower.host["/\(feed)"].items.first?.guid)
        #expect(guids.contains(newest), "\(newest)")
      }
      #expect(try await follower.run("verify").status == .exited(0))
      let quiet = try await follower.run("sync", "--json")
      #expect(!quiet.output.contains("\"planned\""), "\(quiet.output)")
      #expect(kills == rounds)
      Reliability.report(
        "\(kills) kills at random moments of \(rounds) syncs of \(Self.feeds) feeds: "
          + "\(guids.count) of \(published) episodes, none twice")
    }
  }
}
