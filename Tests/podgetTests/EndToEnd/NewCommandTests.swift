import Foundation
import LoopbackServer
import TestSupport
import Testing

/// `podget new`: what was not played of the podcasts that are followed.
@Suite struct NewCommandTests {
  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/one": FeedHost.Feed(title: "One", [13, 12, 11].map { FeedHost.Item($0) }),
      "/two": FeedHost.Feed(title: "One", [22, 21].map { FeedHost.Item($0) }),
    ])
  }

  private func podget(_ arguments: String..., status: Int32 = 0) async throws -> String {
    let result = try await follower.start(arguments).waitForExit()
    SchemaCheck.check(arguments, result)
    #expect(result.status == .exited(status), "\(arguments): \(result.output)\(result.error)")
    return result.output + result.error
  }

  /// The titles of what is new, and the statuses.
  private func new(_ arguments: String...) async throws -> [String] {
    let result = try await follower.start(["new", "--json"] + arguments).waitForExit()
    SchemaCheck.check(["new", "--json"] + arguments, result)
    #expect(result.status == .exited(0), "\(result.error)")
    return zip(try result.values("episode", "title"), try result.values("status"))
      .map { "\($0.replacing("Number ", with: "")) \($1)" }
  }

  /// Follows the first podcast with its newest episode, and downloads that.
  private func begin(_ options: String...) async throws {
    let arguments = ["subscribe", follower.host.origin + "/one", "--name", "one", "--latest", "1"]
    _ = try await follower.start(arguments + options).waitForExit()
    _ = try await podget("sync")
  }

  /// Publishes an episode of the first podcast.
  private func publish(_ numbers: [Int]) {
    follower.host["/one"] = FeedHost.Feed(title: "One", numbers.map { FeedHost.Item($0) })
  }

  @Test func `an episode is new until it is played or removed`() async throws {
    try await begin()
    #expect(try await new() == ["13 complete"])
    publish([15, 14, 13, 12, 11])
    _ = try await podget("sync")
    #expect(try await new() == ["15 complete", "14 complete", "13 complete"])
    _ = try await podget("mark", "--played", "Number 14")
    _ = try await podget("remove", "Number 13")
    #expect(try await new() == ["15 complete"])
    _ = try await podget("restore", "Number 13")
    _ = try await podget("mark", "--unplayed", "Number 14")
    #expect(try await new().count == 3)
  }

  @Test func `of a podcast that is followed again, nothing of before is new`() async throws {
    try await begin("--max-new", "1")
    publish([15, 14, 13, 12, 11])
    _ = try await podget("sync")
    #expect(try await new().contains { $0.hasSuffix("remote") })
    for arguments in [
      ["unsubscribe", "one"], ["subscribe", follower.host.origin + "/one", "--name", "again"],
    ] {
      #expect(try await follower.start(arguments).waitForExit().status == .exited(0))
    }
    #expect(try await new() == ["13 complete"])
  }

  @Test func `what waits is new, and what was listed before is not`() async throws {
    try await begin("--max-new", "1")
    publish([15, 14, 13, 12, 11])
    _ = try await podget("sync")
    let found = try await new()
    #expect(found.map { String($0.prefix(2)) } == ["15", "14", "13"])
    #expect(found.contains { $0.hasSuffix("remote") })
    // The store is a cache: what it lacks is read again, once.
    try FileManager.default.removeItem(atPath: follower.library + "/.podget/listed.db")
    #expect(try await new() == found.filter { !$0.hasSuffix("remote") })
    _ = try await podget("sync")
    #expect(try await new() == found)
    try Data("not a database".utf8).write(
      to: URL(filePath: follower.library + "/.podget/listed.db"))
    _ = try await podget("sync")
    #expect(try await new() == found)
  }

  @Test(arguments: [
    "content = '{\"podcast\":5}'", "content = zeroblob(9)", "content = '', news = 'a b c'",
    "content = replace(content, '\"length\":', '\"duration\":1e300,\"season\":-9e18,\"length\":')",
    "news = replace(hex(zeroblob(99999)), '0', 'x ')",
  ])
  func `no row of the store stops it`(change: String) async throws {
    try await begin("--max-new", "1")
    publish([15, 14, 13, 12, 11])
    _ = try await podget("sync")
    try await execute("UPDATE feed SET \(change)")
    #expect(try await new().contains("13 complete"))
    // The next sync reads what cannot be used, unless it was only shortened.
    _ = try await podget("sync")
    let found = try await new()
    #expect(change.hasPrefix("news") || found.map { String($0.prefix(2)) } == ["15", "14", "13"])
  }

  /// Changes the store as another program would, if that is possible.
  private func execute(_ sql: String) async throws {
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      try:
        db.executescript(sys.argv[2])
      except sqlite3.Error:
        pass
      """
    let python = try RunningProcess(
      "/usr/bin/env",
      ["python3", "-c", script, follower.library + "/.podget/listed.db", sql])
    #expect(try await python.waitForExit().status == .exited(0))
  }

  @Test func `a list that could not be stored is read again once, when it can be`() async throws {
    try await begin("--max-new", "1")
    let script = """
      import sqlite3, sys, time
      db = sqlite3.connect(sys.argv[1], isolation_level=None)
      db.execute("BEGIN EXCLUSIVE")
      print("locked", flush=True)
      time.sleep(3600)
      """
    let lock = try RunningProcess(
      "/usr/bin/env", ["python3", "-c", script, follower.library + "/.podget/listed.db"])
    defer { lock.signal(SIGKILL) }
    try await waitUntil("the store is locked") { lock.output.contains("locked") }
    publish([15, 14, 13, 12, 11])
    _ = try await podget("sync")
    lock.signal(SIGKILL)
    _ = try await lock.waitForExit()
    #expect(try await !new().contains { $0.hasPrefix("15") })
    let before = follower.host.feedRequests.count
    for _ in 1...3 { _ = try await podget("sync") }
    #expect(follower.host.feedRequests.dropFirst(before).map(\.status) == [200, 304, 304])
    #expect(try await new().map { String($0.prefix(2)) } == ["15", "14", "13"])
  }

  @Test func `the settings of a subscription hold`() async throws {
    try await begin("--max-new", "1", "--exclude", "15")
    publish([16, 15, 14, 13, 12, 11])
    _ = try await podget("sync")
    #expect(try await new().map { String($0.prefix(2)) } == ["16", "14", "13"])
    #expect(try await new("--match", "16").count == 1)
    #expect(try await new("--latest", "1").count == 1)
    #expect(try await podget("new", "--latest", "1").contains("2 more are new; --all lists them."))
  }

  @Test func `podcasts with one title are two, and paused ones are listed`() async throws {
    try await begin()
    _ = try await follower.follow("/two", "--name", "two", "--latest", "1")
    _ = try await podget("sync")
    _ = try await podget("pause", "one")
    #expect(try await new() == ["22 complete", "13 complete"])
    #expect(try await new("two") == ["22 complete"])
    let counts = try await podget("new", "--group-by", "podcast").split(separator: "\n")
    #expect(counts.count == 3)
    #expect(try await podget("new", "three", status: 1).contains("No subscription has this name"))
    _ = try await podget("unsubscribe", "two")
    #expect(try await new() == ["13 complete"])
  }

  @Test func `a podcast that is followed at two addresses is listed once`() async throws {
    try await begin("--max-new", "1")
    follower.host["/copy"] = follower.host["/one"]
    _ = try await follower.follow("/copy", "--name", "copy", "--latest", "1", "--max-new", "1")
    _ = try await podget("sync")
    publish([15, 14, 13, 12, 11])
    follower.host["/copy"] = follower.host["/one"]
    _ = try await podget("sync")
    #expect(try await new().map { String($0.prefix(2)) } == ["15", "14", "13"])
  }

  @Test func `what podcasts have that are made one is listed once`() async throws {
    follower.host["/two"] = FeedHost.Feed(title: "Two", [13, 12].map { FeedHost.Item($0) })
    _ = try await podget("download", follower.host.origin + "/two", "--latest", "1")
    _ = try await follower.follow("/one", "--name", "one", "--latest", "0")
    _ = try await podget("sync")
    #expect(try await new() == [])
    _ = try await podget("merge", follower.host.origin + "/two", "one")
    #expect(try await new() == ["13 complete"])
  }

  @Test func `a library without a podcast, without a reading, and with nothing new`() async throws {
    #expect(try await podget("new", status: 1).contains("There is no library"))
    _ = try await follower.follow("/one", "--name", "one", "--latest", "0")
    #expect(try await podget("new").contains("No feed has been read yet; podget sync reads them."))
    _ = try await podget("sync")
    #expect(try await podget("new").contains("Nothing is new."))
    _ = try await podget("unsubscribe", "one")
    #expect(try await podget("new", status: 1).contains("The library follows no podcast"))
  }
}
