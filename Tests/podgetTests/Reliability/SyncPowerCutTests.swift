import Foundation
import TestSupport
import Testing

extension Reliability {
  /// The power goes before each call of a sync, and of a change of the subscriptions, that changes
  /// the disk. The list is the old or the new one, and the next sync finds all episodes.
  @Suite(.serialized) struct SyncPowerCuts {
    private typealias Item = FeedHost.Item
    private typealias Feed = FeedHost.Feed

    /// A person whose library is on a disk, with two subscriptions; one of the feeds has two new
    /// episodes since the last sync.
    private func follower(on disk: ImageDisk) async throws -> Follower {
      let follower = try Follower([
        "/a": Feed(title: "A", [Item(2), Item(1)]), "/b": Feed(title: "B", [Item(11)]),
        "/c": Feed(title: "C", [Item(21)]),
      ])
      for path in ["/a", "/b"] {
        let followed = try await run(
          follower, disk, ["subscribe", follower.host.origin + path, "--latest", "1"])
        #expect(followed.status == .exited(0), "\(followed.error)")
      }
      let first = try await run(follower, disk, ["sync"])
      #expect(first.status == .exited(0), "\(first.error)")
      follower.host["/a"].items.insert(contentsOf: [Item(4), Item(3)], at: 0)
      return follower
    }

    /// Starts podget on a disk, in one run of the machine after another.
    private func start(
      _ follower: Follower, _ disk: ImageDisk, _ arguments: [String], boot: String = "before",
      faults: String? = nil
    ) throws -> RunningProcess {
      var other = follower
      other.environment = [
        "PODGET_LIBRARY": "\(disk.path)/library", "LD_PRELOAD": try FaultLibrary.path(),
        "PODGET_FAULTS_BOOT": try follower.folder.write("boot \(boot)", "\(boot)\n"),
      ]
      other.environment["PODGET_FAULTS"] = faults
      return try other.start(arguments)
    }

    private func run(
      _ follower: Follower, _ disk: ImageDisk, _ arguments: [String], boot: String = "before"
    ) async throws -> RunningProcess.Result {
      try await start(follower, disk, arguments, boot: boot).waitForExit()
    }

    /// Stops podget before each of its calls, and looks at what the disk has then, also after
    /// another program has made it write its journal.
    private func cutEverywhere(
      _ disk: ImageDisk, _ follower: Follower, _ arguments: [String], faults: String = "",
      every: Int = Reliability.rounds(4, soak: 1),
      _ check: (ImageDisk, RunningProcess, String) async throws -> [String]
    ) async throws -> (count: Int, problems: [String]) {
      var cuts: (count: Int, problems: [String]) = (0, [])
      func cut(_ process: RunningProcess, _ moment: String) async throws {
        cuts.count += 1
        let found = try await check(disk.cut(), process, "after \(cuts.count)")
        cuts.problems += found.map { "\(moment): \($0)" }
      }
      let process = try start(follower, disk, arguments, faults: "\(faults)any:1+1:stop")
      var point = 0
      while try await Reliability.hasStopped(process) {
        point += 1
        if point % every == 0 {
          try await cut(process, "before call \(point)")
          disk.syncSomethingElse()
          try await cut(process, "synced before call \(point)")
        }
        process.signal(SIGCONT)
      }
      let result = try await process.waitForExit()
      #expect(result.status == .exited(0), "\(result.error)")
      try await cut(process, "at the end")
      return cuts
    }

    @Test func `a power failure in a sync loses no episode and no subscription`() async throws {
      let disk = try await disk()
      let follower = try await follower(on: disk)
      let cuts = try await cutEverywhere(disk, follower, ["sync", "--json"]) {
        try await afterSync(follower, $0, $1, boot: $2)
      }
      #expect(cuts.problems == [])
      #expect(cuts.count > 10)
      Reliability.report("\(cuts.count) power cuts in a sync: \(cuts.problems.count) problems")
    }

    @Test func `a power failure while subscribing leaves the old list or the new one`() async throws
    {
      let disk = try await disk()
      let follower = try await follower(on: disk)
      let cuts = try await cutEverywhere(
        disk, follower, ["subscribe", follower.host.origin + "/c", "--json"], every: 1
      ) { copy, process, boot in
        let isDone = process.output.contains("\"subscribed\"")
        return try await afterSubscribing(follower, copy, isDone: isDone, boot: boot)
      }
      #expect(cuts.problems == [])
      #expect(cuts.count >= 6)
      Reliability.report(
        "\(cuts.count) power cuts in a change of the subscriptions: \(cuts.problems.count) problems"
      )
    }

    @Test func `without syncs the same power failures lose subscriptions or episodes`() async throws
    {
      let disk = try await disk()
      let follower = try await follower(on: disk)
      let cuts = try await cutEverywhere(
        // In the long form it would take so long that the system writes the bytes by itself.
        disk, follower, ["sync", "--json"], faults: "fsync:1+1:skip,fdatasync:1+1:skip,", every: 4
      ) {
        try await afterSync(follower, $0, $1, boot: $2)
      }
      #expect(!cuts.problems.isEmpty)
    }

    private func disk() async throws -> ImageDisk {
      do {
        return try await ImageDisk(.ext4)
      } catch let error as ImageDisk.Unavailable {
        Reliability.report("no power cuts in a sync: \(error)")
        try Test.cancel("\(error)")
      }
    }

    private func afterSync(
      _ follower: Follower, _ disk: ImageDisk, _ process: RunningProcess, boot: String
    ) async throws -> [String] {
      let finished = process.events.filter { $0.name == "finished" }.compactMap {
        event -> String? in event["path"]
      }
      var found = finished.filter {
        !FileManager.default.fileExists(atPath: "\(disk.path)/library/\($0)")
      }.map { "\($0) was finished and is not there" }
      let listed = try await run(follower, disk, ["subs", "--json"], boot: boot)
      if try listed.status != .exited(0) || listed.objects.count != 2 {
        found.append("the list is damaged: \(listed.output)\(listed.error)")
      }
      for arguments in [["sync", "--json"], ["verify", "--json"]] {
        let result = try await run(follower, disk, arguments, boot: boot)
        if result.status != .exited(0) { found.append("\(arguments): \(result.output)") }
      }
      let episodes = episodes(on: disk)
      if episodes.count != 4 { found.append("the episodes are \(episodes)") }
      return found
    }

    private func afterSubscribing(
      _ follower: Follower, _ disk: ImageDisk, isDone: Bool, boot: String
    ) async throws -> [String] {
      var found: [String] = []
      let listed = try await run(follower, disk, ["subs", "--json"], boot: boot)
      let count = (try? listed.objects.count) ?? 0
      if listed.status != .exited(0) || !(isDone ? [3] : [2, 3]).contains(count) {
        found.append("\(count) subscriptions, done \(isDone): \(listed.error)")
      }
      let again = try await run(
        follower, disk, ["subscribe", follower.host.origin + "/c"], boot: boot)
      if again.status != .exited(0) { found.append("subscribing fails: \(again.error)") }
      return found
    }

    private func episodes(on disk: ImageDisk) -> [String] {
      let library = "\(disk.path)/library"
      let all = FileManager.default.enumerator(atPath: library)?.compactMap { $0 as? String } ?? []
      return all.filter { $0.hasSuffix(".mp3") && !$0.hasPrefix(".podget/") }.sorted()
    }
  }
}
