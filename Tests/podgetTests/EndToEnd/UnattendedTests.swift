import Foundation
import TestSupport
import Testing

/// What an operator relies on who leaves `sync` alone: exit statuses, and settings for many podcasts.
@Suite struct UnattendedTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let follower: Follower

  init() throws {
    follower = try Follower(["/a": Feed(title: "A", [Item(2), Item(1)])])
  }

  @Test func `a library without subscriptions is a failure, and is not created`() async throws {
    let absent = try await follower.run("sync")
    #expect(absent.status == .exited(1))
    #expect(
      absent.error.contains("\(follower.library): The library does not exist; podget subscribe"))
    #expect(follower.folder.files.isEmpty)
    let dry = try await follower.run("sync", "--dry-run")
    #expect(dry.status == .exited(1))
    // An empty mount point.
    try FileManager.default.createDirectory(
      atPath: follower.library, withIntermediateDirectories: true)
    for watch in [[], ["--watch"]] {
      let empty = try await follower.start(["sync"] + watch).waitForExit()
      #expect(empty.status == .exited(1))
      #expect(empty.error.contains("The library follows no podcast; podget subscribe"))
    }
    #expect(try await follower.run("sync", "--allow-empty").status == .exited(0))
  }

  @Test func `a run that cannot work has a status of its own`() async throws {
    _ = try await follower.follow("/a")
    follower.host["/a"] = .error(404)
    #expect(try await follower.run("sync").status == .exited(1))
    #expect(try await follower.run("sync", "unknown").status == .exited(1))
    try follower.folder.write("library/.podget/subscriptions.opml", "<opml version=\"2.0\"><bo")
    #expect(try await follower.run("sync").status == .exited(2))
    #expect(try await follower.run("download", "unknown").status == .exited(1))
  }

  @Test func `no network at all has that status too`() async throws {
    let other = try FeedHost(["/b": Feed(title: "B", [Item(5)])])
    _ = try await follower.follow("/a")
    #expect(try await follower.run("subscribe", "\(other.origin)/b").status == .exited(0))
    other.stop()
    #expect(try await follower.run("sync").status == .exited(1))
    follower.host.stop()
    let down = try await follower.run("sync")
    #expect(down.status == .exited(2))
    #expect(down.error.contains("the network seems to be down"))
  }

  @Test func `a feed for members with the UUID of the public one is a question`() async throws {
    let guid = "<podcast:guid>917393e3-1b1e-5cef-ace4-edaa54e1f810</podcast:guid>"
    let members = try FeedHost(["/m": Feed(title: "A for members", [Item(7), Item(2)])])
    members["/m"].head = guid
    follower.host["/a"].head = guid
    _ = try await follower.follow("/a", "--latest", "1")
    let premium = "\(members.origin)/m"
    let question = try await follower.run("subscribe", premium, "--latest", "3", "--json")
    #expect(question.status == .exited(1))
    #expect(try question.values("status") == ["failed"])
    let text = try await follower.run("subscribe", premium)
    #expect(text.error.contains("--as-new follows both"))
    #expect(try follower.file.contains("podget:latest=\"1\""))
    let both = try await follower.run("subscribe", premium, "--latest", "3", "--as-new", "--json")
    #expect(try both.values("status") == ["subscribed"])
    #expect(try await follower.run("subs", "--json").objects.count == 2)
    let changed = try await follower.run("subscribe", premium, "--latest", "4", "--json")
    #expect(try changed.values("status") == ["updated"])
    #expect(try changed.values("name") == ["a-for-members"])
  }

  @Test func `import takes settings, and unsubscribe many names`() async throws {
    let outlines = (1...50).map {
      "<outline type=\"rss\" text=\"P\($0)\" xmlUrl=\"\(follower.host.origin)/p\($0)\"/>"
    }
    let list = "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>"
    let imported = try await follower.run("import", "-", "--latest", "0", "--json", input: list)
    #expect(imported.status == .exited(0))
    let settings = try await follower.run("subs", "--json").objects.map {
      ($0["settings"] as? [String: Any])?["latest"] as? Int
    }
    #expect(settings == Array(repeating: 0, count: 50))
    let wrong = try await follower.run("import", "-", "--since", "never", input: list)
    #expect(wrong.status == .exited(64))
    let names = (1...40).map { "p\($0)" } + ["p1", "nobody"]
    let gone = try await follower.run(
      "unsubscribe", "-", "--json", input: names.joined(separator: "\n"))
    #expect(gone.status == .exited(1))
    #expect(
      try gone.values("status")
        == Array(repeating: "unsubscribed", count: 40) + ["failed", "failed"])
    #expect(try await follower.run("subs", "--json").objects.count == 10)
  }

  @Test func `subscriptions says what an operator needs`() async throws {
    _ = try await follower.follow("/a", "--interval", "2h")
    follower.host["/b"] = Feed(title: "B", [Item(5)])
    _ = try await follower.follow("/b")
    #expect(try await follower.run("sync").status == .exited(0))
    let before = try await follower.run("subs", "--json").objects
    let checked = try #require(before[0]["lastChecked"] as? String)
    let next = try #require(before[0]["nextCheck"] as? String)
    let formatter = ISO8601DateFormatter()
    let wait = try #require(formatter.date(from: next)).timeIntervalSince(
      try #require(formatter.date(from: checked)))
    #expect((7199...7201).contains(wait))
    #expect(before[0]["failingSince"] is NSNull && before[0]["failures"] as? Int == 0)
    #expect(before[0]["movedFrom"] is NSNull && before[0]["deferredUntil"] is NSNull)
    #expect((before[0]["settings"] as? [String: Any])?["interval"] as? String == "2h")

    follower.host["/a"] = .error(404)
    follower.host["/b"] = .error(503, retryAfter: "7200")
    _ = try await follower.run("sync")
    _ = try await follower.run("sync")
    let after = try await follower.run("subs", "--json").objects
    #expect(after[0]["failures"] as? Int == 2 && after[0]["failingSince"] is String)
    #expect(after[1]["deferredUntil"] is String && after[1]["status"] as? String == "active")
    let failing = try await follower.run("subs", "--failing", "--json").objects
    #expect(failing.map { $0["name"] as? String } == ["a"])
    let table = try await follower.run("subs")
    #expect(table.output.contains("(2 checks): "))
    #expect(table.output.contains("Its server wants no request before "))
    // Only what is due is asked.
    let requests = follower.host.feedRequests.count
    #expect(try await follower.run("sync", "--due").status == .exited(0))
    #expect(follower.host.feedRequests.count == requests)
    #expect(try await follower.run("pause", "a").status == .exited(0))
    #expect(try follower.file.contains("podget:paused=\"true\""))
    for wrong in [["--move", "back"], ["--interval", "0"], ["--undo-move", "--latest", "1"]] {
      let result = try await follower.start(["subscribe", "a"] + wrong).waitForExit()
      #expect(result.status == .exited(64), "\(wrong)")
    }
  }
}
