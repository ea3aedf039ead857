import Foundation
import LoopbackServer
import TestSupport
import Testing

/// What `podget sync` removes by rule after its downloads.
@Suite(.serialized) struct RetentionTests {
  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": FeedHost.Feed(title: "A", (11...14).reversed().map { FeedHost.Item($0) }),
      "/b": FeedHost.Feed(title: "B", (21...23).reversed().map { FeedHost.Item($0) }),
    ])
  }

  private func titles(_ arguments: String...) async throws -> [String] {
    try await follower.start(["list", "--json"] + arguments).waitForExit()
      .values("episode", "title").sorted()
  }

  @Test func `a subscription keeps its newest, and what is starred`() async throws {
    _ = try await follower.follow("/a")
    _ = try await follower.follow("/b")
    _ = try await follower.run("sync")
    let before = follower.episodes
    #expect(try await titles().count == 7)
    _ = try await follower.run("star", "Number 11")
    _ = try await follower.run("subscribe", "a", "--keep", "2")
    let planned = try await follower.run("sync", "--dry-run", "--json").removed
    #expect(planned == ["Number 12 keep dry"])
    #expect(follower.episodes == before)
    let result = try await follower.run("sync")
    #expect(
      result.error.contains("removed      Number 12  19.6 KiB, not among the newest 2\n"),
      "\(result.error)")
    #expect(try await titles("--removed") == ["Number 12"])
    // The same state is left alone, and another podcast has no rule.
    #expect(try await follower.run("sync", "--json").removed.isEmpty)
    #expect(try await titles().count == 6)
    // A new episode takes the place of one.
    follower.host["/a"] = FeedHost.Feed(
      title: "A", (11...15).reversed().map { FeedHost.Item($0) })
    let next = try await follower.run("sync", "--json")
    #expect(try next.removed == ["Number 13 keep"])
    #expect(next.lines.last?.contains("\"event\":\"summary\"") == true)
    _ = try await follower.run("restore", "--all")
    #expect(try await titles().count == 8)
  }

  @Test func `the configuration has rules for all, and none for what is not followed`()
    async throws
  {
    _ = try await follower.follow("/a")
    _ = try await follower.run("sync")
    _ = try await follower.run("download", "\(follower.host.origin)/b")
    var user = follower
    user.environment["PODGET_KEEP"] = "1"
    _ = try await follower.run("subscribe", "a", "--keep", "none", "--played")
    #expect(try await user.run("sync", "--json").removed.isEmpty)
    _ = try await follower.run("mark", "--played", "Number 14")
    #expect(try await user.run("sync", "--json").removed == ["Number 14 played"])
    user.environment["PODGET_MAX_SIZE"] = "1"
    #expect(try await user.run("sync", "a", "--json").removed.isEmpty)
    #expect(
      try await user.run("sync", "--json").removed.sorted() == [
        "Number 11 maxSize", "Number 12 maxSize", "Number 13 maxSize",
      ])
    #expect(try await titles() == ["Number 21", "Number 22", "Number 23"])
  }

  @Test func `what has only the title of a followed podcast is another one`() async throws {
    let items = (31...34).map { "<item><title>Foreign \($0)</title>\(enclosure($0))</item>" }
    try follower.folder.write(
      "other.xml",
      "<rss version=\"2.0\"><channel><title>A</title>\(items.joined())</channel></rss>")
    _ = try await follower.run("download", "./other.xml", "--all")
    let foreign = follower.episodes
    #expect(foreign.count == 4)
    _ = try await follower.follow("/a", "--keep", "2")
    _ = try await follower.run("sync")
    #expect(Set(foreign).isSubset(of: Set(follower.episodes)) && follower.episodes.count == 6)
  }

  private func enclosure(_ number: Int) -> String {
    "<enclosure url=\"\(follower.host.origin)/media/\(number).mp3\" type=\"audio/mpeg\"/>"
  }

  @Test func `a library that somebody has locked is used all the same`() async throws {
    _ = try await follower.follow("/a")
    let folder = open(follower.library, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    try #require(folder >= 0 && flock(folder, LOCK_EX) == 0)
    #expect(try await follower.run("sync").status == .exited(0))
    #expect(follower.episodes.count == 4)
  }

  @Test func `nothing is removed while a record cannot be read`() async throws {
    _ = try await follower.follow("/a")
    _ = try await follower.run("sync")
    try follower.folder.write("library/Odd/.podget.ndjson/file", "")
    var user = follower
    user.environment["PODGET_KEEP"] = "1"
    let result = try await user.start(["sync"]).waitForExit()
    #expect(result.error.contains("Nothing is removed by rule"), "\(result.error)")
    #expect(result.error.contains(".podget.ndjson") && result.status == .exited(2))
    #expect(follower.episodes.count == 4)
  }

  @Test func `a round of --watch removes what the rounds before have downloaded`() async throws {
    try follower.folder.write(".config/podget/config.yaml", "keep: 2\n")
    _ = try await follower.follow("/a")
    let watching = try follower.start(["sync", "--watch", "--interval", "1", "--json"])
    func removed() -> Int { watching.output.ranges(of: "\"event\":\"removed\"").count }
    try await waitUntil("two are removed", seen: { watching.output + watching.error }) {
      removed() == 2 && follower.episodes.count == 2
    }
    follower.host["/a"] = FeedHost.Feed(
      title: "A", (11...15).reversed().map { FeedHost.Item($0) })
    try await waitUntil("one gives way", seen: { watching.output + watching.error }) {
      removed() == 3 && follower.episodes.count == 2
    }
    // A rule that was taken back removes nothing more.
    _ = try await follower.run("subscribe", "a", "--keep", "none")
    for newest in [16, 17] {
      follower.host["/a"] = FeedHost.Feed(
        title: "A", (11...newest).reversed().map { FeedHost.Item($0) })
      try await waitUntil("\(newest) is there", seen: { watching.output + watching.error }) {
        follower.episodes.count == newest - 13
      }
    }
    watching.signal(SIGINT)
    #expect(try await watching.waitForExit().status == .exited(130))
    #expect(try await titles() == (14...17).map { "Number \($0)" })
  }

  @Test(arguments: [
    ["--keep", "0"], ["--keep", "x"], ["--older-than", "soon"], ["--max-size", "much"],
    ["--max-size", "0"],
  ])
  func `a wrong rule is a mistake of usage`(rule: [String]) async throws {
    let result = try await follower.start(["subscribe", "a"] + rule).waitForExit()
    #expect(result.status == .exited(64), "\(result.error)")
  }
}

extension RunningProcess.Result {
  /// The episodes that a rule removed, with the rule.
  fileprivate var removed: [String] {
    get throws {
      try lines.compactMap { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard object?["event"] as? String == "removed",
          let episode = object?["episode"] as? [String: Any],
          let title = episode["title"] as? String, let reason = object?["reason"] as? String
        else { return nil }
        return "\(title) \(reason)\(object?["dryRun"] as? Bool == true ? " dry" : "")"
      }
    }
  }
}
