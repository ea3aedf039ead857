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
    #expect(try await follower.run("sync", "--json").removed.isEmpty)
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

  @Test func `the rules of a podcast wait while not all of its folder can be read`() async throws {
    _ = try await follower.follow("/a")
    _ = try await follower.follow("/b")
    _ = try await follower.run("sync")
    _ = try await follower.run("list")
    let record = follower.library + "/A/.podget.ndjson"
    let lines = try String(contentsOfFile: record, encoding: .utf8)
    let line = try #require(lines.split(separator: "\n").first { $0.contains("\"path\":\"") })
    let refused = line.replacing("\"path\":\"", with: "\"path\":\"../")
    try (lines + refused + "\n").write(toFile: record, atomically: false, encoding: .utf8)
    var user = follower
    user.environment["PODGET_KEEP"] = "1"
    let result = try await user.start(["sync"]).waitForExit()
    #expect(result.error.contains("The rules of a wait"), "\(result.error)")
    #expect(result.error.ranges(of: "rules").count == 1, "\(result.error)")
    #expect(result.status == .exited(1))
    #expect(
      try await titles() == ["Number 11", "Number 12", "Number 13", "Number 14", "Number 23"])
    user.environment["PODGET_MAX_SIZE"] = "1"
    _ = try await user.start(["sync"]).waitForExit()
    #expect(try await titles() == ["Number 11", "Number 12", "Number 13", "Number 14"])
  }

  @Test func `what a person brought back stays until it is played or removed`() async throws {
    _ = try await follower.follow("/a")
    _ = try await follower.run("sync")
    _ = try await follower.run("subscribe", "a", "--keep", "2")
    #expect(
      try await follower.run("sync", "--json").removed == ["Number 11 keep", "Number 12 keep"])
    _ = try await follower.run("restore", "Number 12")
    let feed = "\(follower.host.origin)/a"
    _ = try await follower.run("download", feed, "--episode", "guid-11")
    #expect(follower.episodes.count == 4)
    let dry = try await follower.run("sync", "--dry-run")
    #expect(dry.error.contains("Number 12 stays, since you brought it back"), "\(dry.error)")
    #expect(!dry.error.contains("would remove  "), "\(dry.error)")
    #expect(try await follower.run("sync", "--json").removed.isEmpty)
    // Without the index the same.
    for file in follower.folder.files where file.contains("library.sqlite") {
      try FileManager.default.removeItem(atPath: follower.folder.path(file))
    }
    #expect(try await follower.run("sync", "--json").removed.isEmpty)
    _ = try await follower.run("mark", "--played", "Number 12")
    #expect(try await follower.run("sync", "--json").removed == ["Number 12 keep"])
    _ = try await follower.run("prune", "--keep", "2")
    #expect(try await titles() == ["Number 13", "Number 14"])
    // Its owner removed it in between: the next download of the same episode is another one.
    _ = try await follower.run("restore", "Number 11")
    _ = try await follower.run("remove", "Number 11")
    #expect(try await follower.run("sync", "--json").removed.isEmpty)
    #expect(try await titles("--removed") == ["Number 11", "Number 12"])
  }

  @Test func `what a rule would remove is downloaded all the same`() async throws {
    func feed(_ newest: Int) {
      follower.host["/a"] = FeedHost.Feed(
        title: "A", (13...newest).reversed().map { FeedHost.Item($0) })
    }
    feed(13)
    _ = try await follower.follow("/a", "--keep", "1")
    _ = try await follower.run("sync")
    // Of two new ones the newest cannot be downloaded: the other one has its place.
    feed(15)
    follower.host.missingMedia = [15]
    let result = try await follower.start(["sync", "--json"]).waitForExit()
    #expect(result.status == .exited(1))
    #expect(try result.removed == ["Number 13 keep"])
    #expect(try await titles("--status", "complete") == ["Number 14"])
  }

  @Test func `an adopted episode that no feed lists stays`() async throws {
    _ = try await follower.follow("/a", "--keep", "2")
    _ = try await follower.run("sync")
    try follower.folder.write("old/A/Gone.mp3", MP3Maker.bytes(seed: 71, length: 9000))
    try follower.folder.write(
      "old/A/Gone.meta.json",
      #"{"title": "Gone", "guid": "g-gone", "isoDate": "2019-03-04T05:06:07Z"}"#)
    // A tool may write another time of the same day.
    try follower.folder.write("old/A/Back.mp3", MP3Maker.bytes(seed: 72, length: 9000))
    try follower.folder.write(
      "old/A/Back.meta.json", #"{"title": "Back", "isoDate": "2019-01-04T03:04:05Z"}"#)
    _ = try await follower.run("adopt", follower.folder.path("old"))
    #expect(try await follower.run("sync", "--json").removed.isEmpty)
    #expect(try await titles() == ["Back", "Gone", "Number 13", "Number 14"])
    let back = FeedHost.Item(19, title: "Back", date: "04 Jan 2019 13:04:05 GMT")
    follower.host["/a"] = FeedHost.Feed(title: "A", [14, 13].map { FeedHost.Item($0) } + [back])
    _ = try await follower.run("download", "\(follower.host.origin)/a", "--all")
    #expect(!follower.host.mediaRequests.contains(19))
  }

  @Test func `an episode of a day that is to come takes no place for years`() async throws {
    let real = Date()
    var host = InProcess(environment: follower.variables)
    var late = FeedHost.Item(15)
    late.date = "15 Jan 2091 06:00:00 GMT"
    follower.host["/a"] = FeedHost.Feed(title: "A", [late])
    _ = try await follower.follow("/a", "--keep", "1")
    #expect(await host.run(["sync"]).status == .exited(0))
    let days = DateFormatter()
    days.locale = Locale(identifier: "en_US_POSIX")
    days.timeZone = TimeZone(secondsFromGMT: 0)
    days.dateFormat = "dd MMM yyyy HH:mm:ss 'GMT'"
    var next = FeedHost.Item(16)
    next.date = days.string(from: real.addingTimeInterval(1.5 * 86_400))
    follower.host["/a"] = FeedHost.Feed(title: "A", [next, late])
    host.now = { real.addingTimeInterval(2 * 86_400) }
    let result = await host.run(["sync", "--json"])
    #expect(try result.removed == ["Number 15 keep"], "\(result.error)")
    #expect(try await titles() == ["Number 16"])
  }

  @Test func `a clock that nothing confirms removes nothing by age`() async throws {
    _ = try await follower.follow("/a", "--older-than", "20y")
    var host = InProcess(environment: follower.variables)
    let (real, day) = (Date(), 86_400.0)
    func sync(_ time: Double, stay: Int) async throws {
      host.now = { real.addingTimeInterval(time) }
      let result = await host.run(["sync"])
      #expect(result.status == .exited(0))
      let note = "\(stay) episodes that are too old stay"
      #expect(result.error.contains(note) == (stay > 0), "\(time): \(result.error)")
    }
    try await sync(0, stay: 0)
    try await sync(30 * 366 * day, stay: 4)
    _ = try await follower.run("subscribe", "a", "--older-than", "30d")
    #expect(follower.episodes.count == 4)
    host.now = { real }
    #expect(try await host.run(["sync", "--json"]).removed.count == 4)
    #expect(try await titles("--removed").count == 4)
  }

  @Test func `a round of --watch removes what the rounds before have downloaded`() async throws {
    try follower.folder.write(".config/podget/config.yaml", "keep: 2\n")
    _ = try await follower.follow("/a")
    let watching = try follower.start(["sync", "--watch", "--interval", "1", "--json"])
    func removed() -> Int { watching.output.ranges(of: "\"event\":\"removed\"").count }
    try await waitUntil("two are there", seen: { watching.output + watching.error }) {
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
