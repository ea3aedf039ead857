import Foundation
import TestSupport
import Testing

extension Reliability {
  /// Two libraries with one account at a server that others wrote: oPodSync, where it is beside the
  /// project.
  @Suite(.serialized) struct AccountKills {
    private static let script: String? = {
      let near = Fixtures.root.deletingLastPathComponent()
      let found = [near, near.deletingLastPathComponent()]
        .map { $0.appending(path: "shared/servers/start-opodsync").path }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
      return FileManager.default.isExecutableFile(atPath: "/usr/bin/php") ? found : nil
    }()

    @Test(.enabled(if: script != nil, "the corpus is not here: oPodSync, and php for it"))
    func `two libraries end equal after random changes and kills`() async throws {
      let data = try TemporaryFolder()
      let port = try RawClient.unusedPort()
      let start = try await RunningProcess(
        try #require(Self.script), ["\(port)", data.path], environment: ["no_proxy": "127.0.0.1"]
      ).waitForExit()
      let server = try #require(
        pid_t(start.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(start.error)")
      defer { kill(server, SIGTERM) }
      let first = try Follower(["/a": FeedHost.Feed([FeedHost.Item(1), FeedHost.Item(2)])])
      let sides = [first, try Follower()]
      for side in sides {
        _ = try await side.run("subscribe", first.host.origin + "/a")
        _ = try await side.run("sync")
        let added = try await side.run(
          "account", "add", "http://127.0.0.1:\(port)", "--user", "demo", "--password-command",
          "echo demodemo")
        #expect(added.status == .exited(0), "\(added.error)")
      }
      try await change(sides)
      for side in sides + sides + sides {
        let result = try await side.run("account", "sync", "--accept")
        #expect(result.status == .exited(0), "\(result.error)")
      }
      let quiet = try await first.run("account", "sync")
      #expect(quiet.output.isEmpty, "\(quiet.output)")
      let feeds = try await feeds(of: sides[0])
      #expect(try await feeds == self.feeds(of: sides[1]))
      #expect(try await progress(of: sides[0]) == progress(of: sides[1]))
    }

    /// Changes both sides at random; some exchanges are killed at a random call.
    private func change(_ sides: [Follower]) async throws {
      var random = SeededGenerator(seed: Reliability.seed)
      var (kept, added, kills): (Set<String>, Int, Int) = ([], 0, 0)
      let rounds = Reliability.rounds(30, soak: 200)
      for _ in 0..<rounds {
        let side = sides[Int.random(in: 0..<2, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1:
          let feed = "https://podcast.example/\(added)"
          added += 1
          kept.insert(feed)
          _ = try await side.run(
            "import", "-",
            input:
              "<opml version=\"2.0\"><body><outline type=\"rss\" xmlUrl=\"\(feed)\"/></body></opml>"
          )
        case 2:
          let all = try await feeds(of: side).filter { $0.contains("podcast.example") }
          guard let feed = all.sorted().randomElement(using: &random) else { continue }
          kept.remove(feed)
          _ = try await side.run("unsubscribe", feed)
        case 3, 4:
          let seconds = Int.random(in: 1...400, using: &random)
          let title = "Number \(Int.random(in: 1...2, using: &random))"
          _ = try await side.run("mark", "--position", "\(seconds)", title)
        default:
          var other = side
          other.environment["LD_PRELOAD"] = try FaultLibrary.path()
          other.environment["PODGET_FAULTS"] = "any:\(Int.random(in: 1...80, using: &random)):kill"
          let result = try await other.run("account", "sync", "--accept")
          if result.status == .signalled(SIGKILL) { kills += 1 }
        }
      }
      for side in sides + sides { _ = try await side.run("account", "sync", "--accept") }
      // Nothing is lost that nobody removed.
      #expect(try await kept.isSubset(of: feeds(of: sides[0])))
      #expect(kills > 0)
      Reliability.report("\(rounds) changes of two libraries with one account, \(kills) kills")
    }

    private func feeds(of side: Follower) async throws -> Set<String> {
      Set(try await side.run("subscriptions", "--json").values("feedUrl"))
    }

    private func progress(of side: Follower) async throws -> [String] {
      try await side.run("list", "--json").objects.map { row in
        let episode = row["episode"] as? [String: Any]
        return "\(episode?["title"] ?? "") \(row["position"] ?? "") \(row["played"] ?? "")"
      }.sorted()
    }
  }
}
