import Foundation
import TestSupport
import Testing

extension Reliability {
  /// podget killed before each call of a sync, or of a change of the subscriptions, that changes the
  /// disk: the next sync finds the same new episodes, and the list is the old or the new one.
  @Suite(.serialized) struct SyncKills {
    private typealias Item = FeedHost.Item
    private typealias Feed = FeedHost.Feed

    /// A library that has synced two feeds, of which one has two new episodes since.
    private func prepared() async throws -> Follower {
      let follower = try Follower([
        "/a": Feed(title: "A", [Item(2), Item(1)]), "/b": Feed(title: "B", [Item(11)]),
      ])
      for path in ["/a", "/b"] { _ = try await follower.follow(path, "--latest", "1") }
      let first = try await follower.run("sync")
      #expect(first.status == .exited(0), "\(first.error)")
      follower.host["/a"].items.insert(contentsOf: [Item(4), Item(3)], at: 0)
      return follower
    }

    /// Starts podget on another library.
    private func start(
      _ follower: Follower, _ library: String, _ arguments: [String], faults: String? = nil
    ) throws -> RunningProcess {
      var other = follower
      other.environment = ["PODGET_LIBRARY": library]
      if let faults {
        other.environment["LD_PRELOAD"] = try FaultLibrary.path()
        other.environment["PODGET_FAULTS"] = faults
      }
      return try other.start(arguments)
    }

    private func run(
      _ follower: Follower, _ library: String, _ arguments: [String], faults: String? = nil
    ) async throws -> RunningProcess.Result {
      try await start(follower, library, arguments, faults: faults).waitForExit()
    }

    /// A folder with a copy of the library.
    private func copy(_ follower: Follower) throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      try FileManager.default.copyItem(atPath: follower.library, toPath: folder.path("library"))
      return folder
    }

    private func plan(_ follower: Follower, _ arguments: [String]) async throws -> KillPlan {
      let folder = try copy(follower)
      return try await KillPlan(
        of: folder,
        in: start(follower, folder.path("library"), arguments, faults: KillPlan.stops))
    }

    @Test func `a kill before any call of a sync loses no episode`() async throws {
      let follower = try await prepared()
      let plan = try await plan(follower, ["sync"])
      // The state of the feed is stored after its episodes are planned, and perhaps in the same
      // moment as another thread writes.
      let changes = plan.steps.map { $0.split(separator: " ") }
      let planned = changes.indices.filter { changes[$0].contains("KEY.json") }
      let stored = changes.firstIndex { $0.contains("feeds.ndjson:4") } ?? 0
      #expect(planned.count == 2 && planned.allSatisfy { $0 < stored }, "\(plan.steps)")
      try await plan.kill { try await kill(follower, at: "any:\($0):kill") }
      Reliability.report("\(plan.calls.count) kills of a sync")
    }

    @Test func `a kill in the middle of a write of a sync loses no episode`() async throws {
      let follower = try await prepared()
      let kills = try await Reliability.countKills(through: 200, survivals: 2) { point in
        try await kill(follower, at: "write:\(point):tear")
      }
      #expect(kills >= Reliability.rounds(3, soak: 5))
      Reliability.report("\(kills) torn writes of a sync")
    }

    private func kill(_ follower: Follower, at what: String) async throws -> Bool {
      let folder = try copy(follower)
      let library = folder.path("library")
      let killed = try await run(follower, library, ["sync"], faults: what)
      #expect([.exited(0), .signalled(SIGKILL)].contains(killed.status), "\(killed.error)")
      let next = try await run(follower, library, ["sync", "--json"])
      #expect(next.status == .exited(0), "after \(what): \(next.error)")
      let episodes = folder.files.filter { $0.hasSuffix(".mp3") && !$0.contains("/.podget/") }
      #expect(episodes.count == 4, "after \(what): \(episodes)")
      let verified = try await run(follower, library, ["verify"])
      #expect(verified.status == .exited(0), "after \(what): \(verified.output)")
      let last = try await run(follower, library, ["sync", "--json"])
      let results = try last.lines.map(EventLine.init).compactMap { event -> String? in
        event.name == "checked" ? event["result"] : nil
      }
      #expect(results == ["unchanged", "unchanged"], "after \(what): \(last.output)")
      return killed.status == .signalled(SIGKILL)
    }

    @Test(arguments: ["--played", "--unplayed"])
    func `a kill while a listed episode is marked leaves it listed or marked`(
      mark: String
    ) async throws {
      let follower = try await prepared()
      let limited = try await follower.run("subscribe", "a", "--max-new", "1")
      #expect(limited.status == .exited(0), "\(limited.error)")
      let listed = try await follower.run("sync")
      #expect(listed.status == .exited(0), "\(listed.error)")
      if mark == "--unplayed" { _ = try await follower.run("mark", "--played", "Number 4") }
      let arguments = ["mark", mark, "Number 4"]
      let plan = try await plan(follower, arguments)
      try await plan.kill { point in
        let what = "after kill \(point) of mark \(mark)"
        let folder = try copy(follower)
        let library = folder.path("library")
        let killed = try await run(follower, library, arguments, faults: "any:\(point):kill")
        #expect([.exited(0), .signalled(SIGKILL)].contains(killed.status), "\(killed.error)")
        for (word, removed) in [("--played", 1), ("--unplayed", 0)] {
          let again = try await run(follower, library, ["mark", word, "Number 4"])
          #expect(again.status == .exited(0), "\(what): \(again.error)")
          let gone = try await run(follower, library, ["list", "--removed", "--json"])
          #expect(try gone.objects.count == removed, "\(what): \(gone.output)")
        }
        let next = try await run(follower, library, ["sync", "--accept", "a"])
        #expect(next.status == .exited(0), "\(what): \(next.error)")
        let episodes = folder.files.filter { $0.hasSuffix(".mp3") && !$0.contains("/.podget/") }
        #expect(episodes.count == 4, "\(what): \(episodes)")
        let verified = try await run(follower, library, ["verify"])
        #expect(verified.status == .exited(0), "\(what): \(verified.output)")
        return killed.status == .signalled(SIGKILL)
      }
      Reliability.report("\(plan.calls.count) kills of mark \(mark) of a listed episode")
    }

    @Test func `a kill while subscribing leaves the old list or the new one`() async throws {
      let follower = try await prepared()
      let before = try follower.file
      let arguments = ["subscribe", "a", "--latest", "9"]
      let plan = try await plan(follower, arguments)
      #expect(
        plan.steps == [
          "+subscriptions.opml.new:0", "subscriptions.opml.new", "-subscriptions.opml.new",
        ])
      try await plan.kill { point in
        let folder = try copy(follower)
        let library = folder.path("library")
        let killed = try await run(
          follower, library, arguments, faults: "any:\(point):kill")
        let file = String(
          decoding: try folder.read("library/.podget/subscriptions.opml"), as: UTF8.self)
        let after = before.replacing(
          "podget:name=\"a\" podget:latest=\"1\"", with: "podget:name=\"a\" podget:latest=\"9\"")
        #expect([before, after].contains(file), "after kill \(point): \(file)")
        let listed = try await run(follower, library, ["subs", "--json"])
        #expect(try listed.objects.count == 2)
        let again = try await run(follower, library, arguments)
        #expect(again.status == .exited(0), "after kill \(point): \(again.error)")
        return killed.status == .signalled(SIGKILL)
      }
      Reliability.report("\(plan.calls.count) kills of a change of the subscriptions")
    }
  }
}
