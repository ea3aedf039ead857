import Foundation
import TestSupport
import Testing

/// What is left for a later run because of a limit of bytes or of space.
@Suite struct PostponedTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private static let tooMuch = "1000000000G"

  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": Feed(title: "A", (1...4).reversed().map { Item($0) }),
      "/b": Feed(title: "B", [Item(9)]),
    ])
  }

  private func summary(_ result: RunningProcess.Result) throws -> EventLine {
    try #require(try result.lines.map(EventLine.init).last)
  }

  /// A size that so many episodes reach, and no fewer.
  private func size(of episodes: Int) -> String {
    String(Item(1).bytes.count * episodes - 1000)
  }

  @Test func `what is more than --max-bytes comes with the next run`() async throws {
    _ = try await follower.follow("/a", "--all")
    let first = try await follower.run("sync", "--max-bytes", size(of: 2), "--json")
    #expect(first.status == .exited(0))
    #expect(follower.episodes.count == 2)
    let summary = try summary(first)
    #expect(summary["finished"] == 2 && summary["skipped"] == 2 && summary["postponed"] == 2)
    let left = try first.lines.map(EventLine.init).filter { $0.name == "skipped" }
    #expect(left.map { $0["reason"] } == ["maxBytes", "maxBytes"])
    let list = try await follower.run("list", "--json")
    #expect(try list.values("status").sorted() == ["complete", "complete", "planned", "planned"])
    // One episode is more than it may bring, and comes all the same.
    let second = try await follower.run("sync", "--max-bytes", "1K")
    #expect(second.status == .exited(0) && follower.episodes.count == 3)
    #expect(second.error.contains("1 finished (19.6 KiB), 1 left for later (--max-bytes)"))
    #expect(!second.error.contains("skipped"))
    #expect(try await follower.run("sync").status == .exited(0))
    #expect(follower.episodes.count == 4)
    // Nothing came twice.
    #expect(follower.host.mediaRequests.sorted() == [1, 2, 3, 4])
  }

  @Test func `a podcast has a limit of its own`() async throws {
    _ = try await follower.follow("/a", "--all", "--max-bytes", size(of: 1))
    _ = try await follower.follow("/b")
    #expect(try follower.file.contains("podget:max-bytes="))
    let first = try await follower.run("sync", "--json")
    #expect(try summary(first)["finished"] == 2 && summary(first)["postponed"] == 3)
    #expect(follower.episodes.count { $0.hasPrefix("A/") } == 1)
    // A person who asks for them gets them.
    #expect(try await follower.run("resume").status == .exited(0))
    #expect(follower.episodes.count == 5)
    for wrong in ["0", "much", "-1"] {
      let result = try await follower.start(["subscribe", "a", "--max-bytes", wrong]).waitForExit()
      #expect(result.status == .exited(64))
    }
    #expect(try await follower.run("subscribe", "a", "--max-bytes", "none").status == .exited(0))
  }

  @Test func `what would not leave --keep-free waits`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    var configured = follower
    configured.environment = ["PODGET_KEEP_FREE": Self.tooMuch]
    let sync = try await configured.run("sync", "--json")
    #expect(sync.status == .exited(0))
    #expect(try summary(sync)["postponed"] == 1)
    #expect(try sync.lines.map(EventLine.init).contains { $0["reason"] == "keepFree" })
    let resume = try await configured.run("resume")
    #expect(resume.status == .exited(1))
    #expect(resume.error.contains("1 left for later (--keep-free)"))
    let asked = "\(follower.host.origin)/b"
    let download = try await follower.run(
      "download", asked, "--keep-free", Self.tooMuch, "--json")
    #expect(download.status == .exited(1))
    #expect(try summary(download)["postponed"] == 1)
    #expect(follower.episodes.isEmpty && follower.host.mediaRequests.isEmpty)
    #expect(try await configured.run("resume", "--keep-free", "none").status == .exited(0))
    #expect(follower.episodes.count == 2)
  }
}
