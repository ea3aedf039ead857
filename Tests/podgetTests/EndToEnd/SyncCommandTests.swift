import Foundation
import Glibc
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// `podget sync` as people and scripts use it.
@Suite(.serialized) struct SyncCommandTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let follower: Follower

  init() throws {
    follower = try Follower([
      "/a": Feed(title: "A", (1...8).reversed().map { Item($0) }),
      "/b": Feed(title: "B", [Item(20), Item(19)]),
    ])
  }

  @Test func `events and summary are those of the contract`() async throws {
    _ = try await follower.follow("/a", "--latest", "2")
    _ = try await follower.follow("/b")
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      follower.file.replacing(
        "</body>", with: "<outline text=\"Gone\" xmlUrl=\"\(follower.host.origin)/x\"/></body>"))
    let first = try await follower.run("sync", "--json")
    #expect(first.status == .exited(1))
    let events = try first.lines.map(EventLine.init)
    #expect(events.count { $0.name == "finished" } == 4)
    let failed = try #require(events.first { $0.name == "failed" })
    #expect(failed.httpStatus == 404 && failed["source"] == "gone")
    let summary = try #require(events.last)
    #expect(summary.name == "summary")
    #expect(summary["checked"] == 2 && summary["unchanged"] == 0 && summary["failed"] == 1)
    let second = try await follower.run("sync", "a", "B", "--json")
    #expect(second.status == .exited(0))
    #expect(try second.values("result", ofLines: "unchanged") == 2)
    #expect(second.lines.count == 3)
  }

  @Test func `without json stdout is empty, and the failures are the last lines`() async throws {
    _ = try await follower.follow("/b")
    try follower.folder.write(
      "library/.podget/subscriptions.opml",
      follower.file.replacing(
        "<body>", with: "<body><outline text=\"Lost\" xmlUrl=\"\(follower.host.origin)/x\"/>"))
    let result = try await follower.run("sync")
    #expect(result.output.isEmpty && result.status == .exited(1))
    let lines = result.error.split(separator: "\n").map(String.init)
    #expect(lines.suffix(3).first?.hasPrefix("failed       Lost: ") == true, "\(result.error)")
    #expect(lines.suffix(2).first == "B: 2 new episodes")
    #expect(lines.last?.hasPrefix("1 feed checked, 2 finished") == true)
    let quiet = try await follower.run("sync", "-q", "b")
    #expect(quiet.error.isEmpty && quiet.status == .exited(0))
    let nothing = try await follower.run("sync", "b")
    #expect(nothing.error == "1 feed checked, nothing new.\n")
  }

  @Test func `options come before settings, settings before variables`() async throws {
    _ = try await follower.follow("/a", "--latest", "2", "--folder", "Mine/../Own", "--name", "x")
    var other = follower
    other.environment = ["PODGET_LATEST": "4", "PODGET_TEMPLATE": "{podcast}/{title}.{ext}"]
    _ = try await other.run("sync")
    #expect(follower.episodes == ["Mine-..-Own/Number 7.mp3", "Mine-..-Own/Number 8.mp3"])
    _ = try await other.run("sync", "x", "--latest", "3")
    #expect(follower.episodes.count == 3)
    _ = try await follower.follow("/b")
    let wrong = try await other.run("sync", "--interval", "1h")
    #expect(wrong.status == .exited(64))
  }

  @Test func `all takes the archive, and later only what is new`() async throws {
    _ = try await follower.follow("/a", "--all")
    _ = try await follower.run("sync")
    #expect(follower.episodes.count == 8)
    follower.host["/a"].items.insert(Item(9), at: 0)
    let second = try await follower.run("sync", "--json")
    #expect(try second.values("event", ofLines: "planned") == 1)
  }

  @Test func `a dry run says what it would download`() async throws {
    _ = try await follower.follow("/a", "--latest", "2")
    let result = try await follower.run("sync", "--dry-run", "--json")
    #expect(try result.values("event", ofLines: "planned") == 2)
    #expect(follower.episodes.isEmpty)
    let real = try await follower.run("sync", "--json")
    #expect(try real.values("event", ofLines: "finished") == 2)
  }

  @Test func `each subscription is in exactly one shard`() async throws {
    for number in 30..<50 {
      follower.host["/\(number)"] = Feed(title: "Show \(number)", [Item(1, guid: "g\(number)")])
    }
    let addresses = (30..<50).map { "\(follower.host.origin)/\($0)" }
    let subscribed = try await follower.run(
      "subscribe", "-", input: addresses.joined(separator: "\n"))
    #expect(subscribed.status == .exited(0), "\(subscribed.error)")
    var checked: [String] = []
    for shard in 1...4 {
      let result = try await follower.run("sync", "--shard", "\(shard)/4", "--json", "--dry-run")
      let events = try result.lines.map(EventLine.init)
      checked += events.compactMap { $0.name == "checked" ? $0["feedUrl"] : nil }
    }
    #expect(checked.sorted() == addresses.sorted())
    for wrong in ["0/4", "5/4", "1", "a/b", "1/0"] {
      #expect(try await follower.run("sync", "--shard", wrong).status == .exited(64))
    }
  }

  @Test func `options of one run hide nothing from the next one`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    _ = try await follower.run("sync")
    // The last one is much newer than the first one, which is no archive for that.
    follower.host["/a"].items.insert(contentsOf: [Item(31), Item(20), Item(10)], at: 0)
    let filtered = try await follower.run("sync", "--match", "nothing", "--json")
    #expect(try filtered.values("event", ofLines: "planned") == 0)
    let plain = try await follower.run("sync", "--json")
    #expect(try plain.values("event", ofLines: "finished") == 3)
  }

  @Test func `very many new episodes wait for the option accept`() async throws {
    _ = try await follower.follow("/a", "--latest", "1", "--max-new", "2")
    _ = try await follower.run("sync")
    follower.host["/a"].items.insert(contentsOf: [Item(12), Item(11), Item(10)], at: 0)
    let flood = try await follower.run("sync", "--json")
    #expect(flood.status == .exited(0))
    #expect(try flood.values("event", ofLines: "planned") == 0)
    let checked = try #require(try flood.lines.map(EventLine.init).first)
    #expect(checked["waiting"] == 3 && checked["newEpisodes"] == 0)
    #expect(flood.error.contains("3 new episodes of A wait"))
    #expect(flood.error.contains("podget sync a --accept downloads them"))
    let reminder = try await follower.run("sync")
    #expect(reminder.error.contains("podget sync a --accept"))
    #expect(reminder.error.hasSuffix("1 feed checked, 3 episodes waiting for --accept\n"))
    #expect(try await follower.run("sync", "-q").error.isEmpty)
    for wrong in [
      ["--refresh"], ["a", "--refresh", "--watch"], ["a", "--refresh", "--due"], ["--accept"],
      ["a", "--accept", "--watch"], ["--max-new", "0"],
    ] {
      let result = try await follower.start(["sync"] + wrong).waitForExit()
      #expect(result.status == .exited(64))
    }
    _ = try await follower.run("download", "a", "--latest", "1")
    let named = try await follower.run("sync", "a", "--json")
    #expect(try named.lines.map(EventLine.init).first?["waiting"] == 2)
    let accepted = try await follower.run("sync", "a", "--accept", "--json")
    #expect(try accepted.values("event", ofLines: "finished") == 2)
    #expect(try await follower.run("sync").error == "1 feed checked, nothing new.\n")
  }

  @Test(arguments: [["--latest", "1"], ["--match", "nothing"]])
  func `options of one run hide no archive from a subscription of all`(
    options: [String]
  ) async throws {
    _ = try await follower.follow("/a", "--all")
    _ = try await follower.run("sync")
    let years = (0..<3).map { Item(10 + $0, date: "01 Jan 202\($0) 06:00:00 GMT") }
    follower.host["/a"].items = [Item(20)] + follower.host["/a"].items + years
    _ = try await follower.start(["sync", "a"] + options).waitForExit()
    let plain = try await follower.run("sync", "--json")
    #expect(follower.episodes.count == 12, "\(plain.error)")
    #expect(try await follower.run("sync").error == "1 feed checked, nothing new.\n")
    // What a subscription never takes is said once.
    _ = try await follower.run("subscribe", "a", "--latest", "1")
    _ = try await follower.run("sync")
    follower.host["/a"].items.append(Item(15, date: "01 Jan 2019 06:00:00 GMT"))
    #expect(try await follower.run("sync", "--latest", "2").error.contains("1 older episode"))
    #expect(try await follower.run("sync").error == "1 feed checked, nothing new.\n")
  }

  @Test func `accept with latest takes the newest of those that wait`() async throws {
    _ = try await follower.follow("/a", "--latest", "1", "--max-new", "2")
    _ = try await follower.run("sync")
    let old = follower.host["/a"].items
    follower.host["/a"].items = (10..<15).reversed().map { Item($0) } + old
    _ = try await follower.run("sync")
    // One more comes, and is taken; it is none of those that wait.
    follower.host["/a"].items.insert(Item(20), at: 0)
    _ = try await follower.run("sync")
    let dry = try await follower.run(
      "sync", "a", "--accept", "--latest", "2", "--dry-run", "--json")
    #expect(try dry.values("event", ofLines: "planned") == 2)
    let some = try await follower.run("sync", "a", "--accept", "--latest", "2", "--json")
    #expect(try some.values("event", ofLines: "finished") == 2)
    #expect(Set(follower.host.mediaRequests) == [8, 20, 14, 13])
    #expect(try some.lines.map(EventLine.init).first?["waiting"] == 3)
    let none = try await follower.run("sync", "a", "--accept", "--latest", "0", "--json")
    #expect(try none.lines.map(EventLine.init).first?["waiting"] == 3)
    // A flood that arrives with the same sync is no exception.
    follower.host["/a"].items.insert(
      contentsOf: (21..<25).reversed().map { Item($0) }, at: 0)
    let flood = try await follower.run("sync", "a", "--accept", "--latest", "1", "--json")
    #expect(try flood.values("event", ofLines: "finished") == 1)
    #expect(try flood.lines.map(EventLine.init).first?["waiting"] == 6)
    let rest = try await follower.run("sync", "a", "--accept", "--json")
    #expect(try rest.values("event", ofLines: "finished") == 6)
    #expect(try await follower.run("sync").error == "1 feed checked, nothing new.\n")
  }

  @Test func `what waits is counted while a stale copy of the feed lacks it`() async throws {
    _ = try await follower.follow("/a", "--latest", "1", "--max-new", "2")
    _ = try await follower.run("sync")
    let old = follower.host["/a"].items
    let right = (10..<14).reversed().map { Item($0) } + old
    follower.host["/a"].items = right
    _ = try await follower.run("sync")
    follower.host["/a"].items = old
    let stale = try await follower.run("sync", "--json")
    #expect(try stale.lines.map(EventLine.init).first?["waiting"] == 4)
    let listed = try await follower.run("subscriptions", "--json")
    #expect(listed.output.contains("\"waiting\":4"))
    #expect(
      try await follower.run("subscriptions").output.contains(
        "4 new episodes wait; podget sync a --accept downloads them."))
    let accepted = try await follower.run("sync", "a", "--accept")
    #expect(
      accepted.error.contains("4 new episodes of A wait, but the feed does not list them now"))
    #expect(accepted.error.hasSuffix("1 feed checked, 4 episodes waiting for --accept\n"))
    follower.host["/a"].items = Array(right.dropFirst(3))
    #expect(
      try await follower.run("sync").error.contains("3 of which the feed does not list now"))
    follower.host["/a"].items = right
    let all = try await follower.run("sync", "a", "--accept", "--json")
    #expect(try all.values("event", ofLines: "finished") == 4)
  }

  @Test func `max-new none lets none wait`() async throws {
    _ = try await follower.follow("/a", "--latest", "1", "--max-new", "none")
    let listed = try await follower.run("subscriptions", "--json")
    #expect(listed.output.contains("\"max-new\":null"), "\(listed.output)")
    _ = try await follower.run("sync")
    follower.host["/a"].items.insert(
      contentsOf: (100..<160).map { Item($0, date: "09 Jan 2024 10:00:\($0 - 100) GMT") }, at: 0)
    let dry = try await follower.run("sync", "--dry-run", "--json", "--max-new", "59")
    #expect(try dry.lines.map(EventLine.init).first?["waiting"] == 60)
    let all = try await follower.run("sync", "--dry-run", "--json")
    #expect(try all.values("event", ofLines: "planned") == 60)
    #expect(follower.episodes.count == 1)
    for wrong in ["0", "None", ""] {
      let result = try await follower.start(["sync", "--max-new", wrong]).waitForExit()
      #expect(result.status == .exited(64))
      #expect(result.error.contains("--max-new takes a number that is 1 or more, or none."))
    }
  }

  @Test
  func `the preferred file is taken: by the option, else the subscription, else the configuration`()
    async throws
  {
    func items(_ numbers: ClosedRange<Int>) -> [Item] {
      numbers.reversed().map { number in
        var item = Item(number)
        item.extra = """
          <podcast:alternateEnclosure type="audio/mpeg" length="500">
          <podcast:source uri="/media/\(100 + number).mp3"/></podcast:alternateEnclosure>
          <podcast:alternateEnclosure type="audio/opus" length="900000">
          <podcast:source uri="/media/\(200 + number).mp3"/></podcast:alternateEnclosure>
          """
        return item
      }
    }
    var follower = follower
    follower.environment["PODGET_PREFER"] = "opus"
    follower.host["/a"].items = items(1...3)
    _ = try await follower.follow("/a", "--latest", "1", "--prefer", "smallest")
    #expect(try follower.file.contains("podget:prefer=\"smallest\""))
    _ = try await follower.run("sync")
    follower.host["/a"].items = items(1...4)
    _ = try await follower.run("sync", "--prefer", "best")
    _ = try await follower.run("subscribe", "a", "--unset", "prefer")
    follower.host["/a"].items = items(1...5)
    _ = try await follower.run("sync")
    #expect(follower.host.mediaRequests == [103, 204, 205])
    let source = "\(follower.host.origin)/a"
    _ = try await follower.run("download", source, "--latest", "5", "--prefer", "smallest")
    #expect(Set(follower.host.mediaRequests.dropFirst(3)) == [101, 102])
    for wrong in [["sync"], ["download", source], ["resume"], ["subscribe", source]] {
      let result = try await follower.start(wrong + ["--prefer", "a b"]).waitForExit()
      #expect(result.status == .exited(64))
      #expect(result.error.contains("--prefer takes smallest, best or a media type"))
    }
  }

  @Test(arguments: [["resume"], ["resume", "A"], ["sync"]])
  func `an unfinished episode keeps the file that its subscription prefers`(
    command: [String]
  ) async throws {
    func item(_ preferred: Int) -> Item {
      var item = Item(1)
      item.extra = """
        <podcast:alternateEnclosure type="audio/mpeg" length="500">
        <podcast:source uri="/media/\(preferred).mp3"/></podcast:alternateEnclosure>
        """
      return item
    }
    follower.host["/a"].items = [item(404)]
    follower.host.isMediaHeld = true
    _ = try await follower.follow("/a", "--latest", "1", "--prefer", "smallest")
    let process = try follower.start(["sync"])
    try await waitUntil("an episode is asked for") { follower.host.mediaRequests == [404] }
    process.signal(SIGTERM)
    #expect(try await process.waitForExit().status == .exited(143))
    (follower.host.isMediaHeld, follower.host.missingMedia) = (false, [404])
    follower.host["/a"].items = [item(101)]
    let result = try await follower.start(command).waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(follower.host.mediaRequests.last == 101 && !follower.host.mediaRequests.contains(1))
    #expect(follower.episodes.count == 1)
  }

  @Test func `trailers of the whole show are taken when they are asked for`() async throws {
    follower.host["/a"].head = """
      <podcast:trailer url="/media/77.mp3" pubdate="Mon, 01 Jan 2024 00:00:00 GMT">Soon</podcast:trailer>
      """
    let source = "\(follower.host.origin)/a"
    _ = try await follower.run("download", source, "--latest", "1")
    #expect(follower.host.mediaRequests == [8])
    _ = try await follower.run("download", source, "--type", "trailer")
    #expect(follower.host.mediaRequests == [8, 77])
    _ = try await follower.follow("/a", "--type", "trailer", "--name", "trailers")
    #expect(try await follower.run("sync", "trailers").status == .exited(0))
    follower.host["/a"].head += "<podcast:trailer url=\"/media/78.mp3\">Sooner</podcast:trailer>"
    #expect(try await follower.run("sync", "trailers").status == .exited(0))
    #expect(follower.host.mediaRequests == [8, 77, 78])
    #expect(follower.episodes.contains("A/2024-01-01 - Soon.mp3"))
  }

  @Test func `following a podcast again takes its newest episodes only`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    _ = try await follower.run("sync")
    _ = try await follower.run("unsubscribe", "a")
    follower.host["/a"].items.insert(contentsOf: [Item(12), Item(11), Item(10)], at: 0)
    _ = try await follower.follow("/a", "--latest", "1")
    let result = try await follower.run("sync", "--json")
    #expect(try result.values("event", ofLines: "finished") == 1)
  }

  @Test func `a command that does not end delays no signal`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let script = try follower.folder.writeProgram(
      "hook", "#!/bin/sh\ntrap '' TERM\ntouch \(follower.folder.path)/begun\nsleep 3600\n")
    let running = try follower.start(["sync", "--json", "--exec", script])
    try await waitUntil("the command runs", seen: { running.error }) {
      follower.folder.contains("begun")
    }
    running.signal(SIGTERM)
    let result = try await running.waitForExit(timeout: .seconds(10))
    #expect(result.status == .exited(143))
    #expect(try result.values("event", ofLines: "failed") == 0)
  }

  @Test func `each subscription logs in as its own user`() async throws {
    let (ann, bob) = ("ann:one", "bob:two")
    let seen = Mutex<[String: [String]]>([:])
    let server = try LoopbackServer { request, connection in
      let user = request.path.contains("ann") ? ann : bob
      let given = request.first("Authorization") ?? "none"
      seen.withLock { $0[request.path, default: []].append(given) }
      guard given == "Basic \(Data(user.utf8).base64EncodedString())" else {
        connection.respond(status: 401)
        return
      }
      let name = user.prefix(3)
      if request.path.hasSuffix(".xml") {
        connection.respond(
          body: """
            <rss version="2.0"><channel><title>\(name)</title><item><title>1</title>
            <guid>\(name)</guid><enclosure url="/\(name).mp3" type="audio/mpeg"/></item></channel></rss>
            """)
      } else {
        connection.respond(
          fields: [.init("ETag", "\"x\"")], body: FeedHost.Item(name == "ann" ? 1 : 2).bytes)
      }
    }
    for (name, password) in [("ann", "one"), ("bob", "two")] {
      let result = try await follower.run(
        "subscribe", "\(server.origin)/\(name).xml", "--user", name, "--password-command",
        "echo \(password)")
      #expect(result.status == .exited(0), "\(result.error)")
    }
    let result = try await follower.run("sync", "--json")
    #expect(result.status == .exited(0), "\(result.output)")
    #expect(follower.episodes.count == 2)
  }

  @Test func `a password of netrc reaches the feed that was subscribed over http`() async throws {
    let expected = "Basic \(Data("ann:one".utf8).base64EncodedString())"
    let server = try LoopbackServer { request, connection in
      guard request.first("Authorization") == expected else {
        connection.respond(status: 401)
        return
      }
      connection.respond(
        body: "<rss version=\"2.0\"><channel><title>Private</title></channel></rss>")
    }
    let netrc = try follower.folder.write(
      ".netrc", "machine 127.0.0.1 login ann password one\n")
    #expect(chmod(netrc, 0o600) == 0)
    _ = try await follower.run("subscribe", "\(server.origin)/feed")
    let result = try await follower.run("sync", "--json")
    #expect(result.status == .exited(0), "\(result.output)")
  }

  private static let parallel = "/usr/bin/parallel"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: parallel), "GNU parallel is missing"))
  func `eight shards at once take each episode exactly once`() async throws {
    let feeds = 40
    for number in 0..<feeds {
      let items = [2, 1].map { episode in
        Item(3000 + 10 * number + episode, guid: "s\(number)-\(episode)")
      }
      follower.host["/s\(number)"] = Feed(title: "Shard \(number)", items)
    }
    let addresses = (0..<feeds).map { "\(follower.host.origin)/s\($0)" }
    _ = try await follower.run("subscribe", "-", input: addresses.joined(separator: "\n"))
    let shards = try RunningProcess(
      Self.parallel,
      [
        "--will-cite", "-j8", BuiltBinary.podget.path, "sync", "--json", "--shard", "{}/8", ":::",
      ] + (1...8).map { String($0) },
      environment: [
        "PODGET_LIBRARY": follower.library, "HOME": follower.folder.path, "LANG": "C.UTF-8",
        "no_proxy": "127.0.0.1",
      ])
    let result = try await shards.waitForExit()
    #expect(result.status == .exited(0), "\(result.error)")
    #expect(try result.values("event", ofLines: "finished") == 2 * feeds)
    #expect(follower.episodes.count == 2 * feeds)
    #expect(follower.host.mediaRequests.count == 2 * feeds)
    #expect(follower.host.feedRequests.count == 2 * feeds)
    let again = try await follower.run("sync", "--json")
    #expect(try again.values("result", ofLines: "unchanged") == feeds)
  }

  @Test func `two syncs at once download nothing twice`() async throws {
    _ = try await follower.follow("/a", "--all")
    _ = try await follower.follow("/b")
    async let first = follower.run("sync", "--json")
    async let second = follower.run("sync", "--json")
    let results = try await [first, second]
    #expect(results.map(\.status) == [.exited(0), .exited(0)])
    #expect(follower.episodes.count == 10)
    #expect(follower.host.mediaRequests.count == 10)
    let again = try await follower.run("sync", "--json")
    #expect(try again.values("result", ofLines: "unchanged") == 2)
  }

  @Test func `commands run after downloads, without a shell`() async throws {
    _ = try await follower.follow("/a", "--latest", "2", "--name", "a")
    let script = try follower.folder.writeProgram(
      "hook",
      "#!/bin/sh\nprintf '%s|%s\\n' \"$1\" \"$PODGET_TITLE\" >> \(follower.folder.path)/log\n")
    follower.host["/a"].items[0].title = "$(touch \(follower.folder.path)/ran); {id}"
    let result = try await follower.run("sync", "--json", "--exec", "\(script) '{podcast} {title}'")
    #expect(result.status == .exited(0), "\(result.error)")
    let log = String(decoding: try follower.folder.read("log"), as: UTF8.self)
    #expect(log.contains("A $(touch \(follower.folder.path)/ran); {id}|$(touch"))
    #expect(log.split(separator: "\n").count == 2)
    #expect(!follower.folder.contains("ran"))
  }

  @Test func `a command that fails is a failure, and the episode stays`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let result = try await follower.run("sync", "--json", "--exec", "false")
    #expect(result.status == .exited(1))
    #expect(try result.values("event", ofLines: "finished") == 1)
    let failed = try result.lines.map(EventLine.init).filter { $0.name == "failed" }
    #expect(failed.count == 1 && failed.first?["source"] == "after-download")
    #expect(failed.first?.code == "command")
    let title = try #require(follower.host["/a"].items.first?.title)
    #expect(failed.first?.message == "\(title): The command false ended with the status 1.")
    #expect(follower.episodes.count == 1)
  }

  @Test func `watching repeats, takes new subscriptions at SIGHUP, and ends with 143`() async throws
  {
    _ = try await follower.follow("/a", "--latest", "1")
    let watching = try follower.start(["sync", "--watch", "--interval", "1", "--json"])
    try await waitUntil("the first episode", seen: { watching.error }) {
      watching.output.contains("\"finished\":1")
    }
    follower.host["/a"].items.insert(Item(9), at: 0)
    try await waitUntil("the next episode", seen: { watching.output }) {
      watching.output.contains("Number 9")
        && watching.output.components(separatedBy: "\"summary\"").count == 3
    }
    _ = try await follower.follow("/b")
    watching.signal(SIGHUP)
    try await waitUntil("the other podcast", seen: { watching.output }) {
      watching.output.contains("Number 20\"") && watching.output.contains("\"event\":\"finished\"")
        && follower.episodes.contains { $0.hasPrefix("B/") }
    }
    watching.signal(SIGTERM)
    let result = try await watching.waitForExit()
    #expect(result.status == .exited(143))
    // Rounds without news write nothing but the changes.
    let lines = try result.lines.map(EventLine.init)
    #expect(lines.last?.name == "summary")
    #expect(!result.output.contains("\"unchanged\",\"newEpisodes\""))
  }
}

extension RunningProcess.Result {
  /// How many lines have this text in a member.
  fileprivate func values(_ member: String, ofLines value: String) throws -> Int {
    try lines.map(EventLine.init).count { $0[member] == value }
  }
}
