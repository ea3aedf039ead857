import Foundation
import Glibc
import Synchronization
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

  @Test func `a status that cannot be written or has nothing to say is a failure`() async throws {
    _ = try await follower.follow("/a", "--latest", "0")
    let status = follower.folder.path("none/status.json")
    let unwritten = try await follower.run("sync", "--status", status)
    #expect(unwritten.status == .exited(1) && unwritten.error.contains("The status: "))
    let link = follower.folder.path("status.json")
    #expect(try await follower.run("sync", "--status", link).status == .exited(0))
    _ = try await follower.run("unsubscribe", "a")
    let empty = try await follower.run("status", "--json")
    #expect(empty.status == .exited(1) && empty.output.isEmpty)
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

  // MARK: Commands

  private func script(_ name: String, _ text: String) throws -> String {
    try follower.folder.writeProgram(name, "#!/bin/sh\n\(text)\n")
  }

  private func with(_ variables: [String: String]) -> Follower {
    var changed = follower
    changed.environment = variables
    return changed
  }

  @Test func `after-sync gets what was downloaded as JSON on standard input`() async throws {
    _ = try await follower.follow("/a")
    let folder = follower.folder.path
    let hook = try script(
      "hook", "cat > \(folder)/input; echo \"$PODGET_FINISHED\" > \(folder)/count")
    let result = try await with(["PODGET_AFTER_SYNC": hook]).run("sync")
    #expect(result.status == .exited(0), "\(result.error)")
    let data = Data(try follower.folder.read("input"))
    let input = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(input["library"] as? String == follower.library && input["finished"] as? Int == 2)
    let episodes = try #require(input["episodes"] as? [[String: Any]])
    #expect(
      Set(episodes.compactMap { $0["path"] as? String })
        == ["A/2024-01-01 - Number 1.mp3", "A/2024-01-02 - Number 2.mp3"])
    #expect(String(decoding: try follower.folder.read("count"), as: UTF8.self) == "2\n")
    // A command that does not read its input ends as before.
    follower.host["/a"].items.insert(Item(3), at: 0)
    #expect(try await with(["PODGET_AFTER_SYNC": "true"]).run("sync").status == .exited(0))
  }

  @Test func `a command that does not end is ended`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let slow = with(["PODGET_AFTER_DOWNLOAD": "sleep 3600", "PODGET_HOOK_TIMEOUT": "0.5"])
    let result = try await slow.run("sync")
    #expect(result.status == .exited(1))
    #expect(
      result.error.contains("The command sleep took longer than 0 seconds, and was ended.")
        || result.error.contains("The command sleep took longer than 1 seconds, and was ended."))
    #expect(follower.episodes.count == 1)
    #expect(try await follower.run("sync", "--hook-timeout", "0").status == .exited(64))
  }

  @Test(arguments: [false, true])
  func `commands that did not run because podget was stopped run at the next start`(
    commandIsStoppedToo: Bool
  ) async throws {
    _ = try await follower.follow("/a")
    let folder = follower.folder.path
    let hook = try script(
      "hook",
      "[ -e \(folder)/go ] || { echo $$ > \(folder)/begun; sleep 3600; }\n"
        + "echo \"$PODGET_TITLE\" >> \(folder)/log")
    let hooked = with(["PODGET_AFTER_DOWNLOAD": hook])
    let stopped = try hooked.start(["sync"])
    try await waitUntil("the command and both episodes", seen: { stopped.error }) {
      follower.folder.files.contains("begun") && follower.episodes.count == 2
    }
    // The second command waits for the first one.
    try await waitUntil("the record of both", seen: { stopped.error }) {
      stopped.error.components(separatedBy: "finished ").count == 3
    }
    if commandIsStoppedToo {
      // As systemd and a shell with Ctrl-C do; the command may be gone before podget knows.
      let number = String(decoding: try follower.folder.read("begun"), as: UTF8.self)
      let group = try #require(pid_t(number.trimmingCharacters(in: .newlines)))
      kill(-group, SIGTERM)
    }
    stopped.signal(SIGTERM)
    #expect(try await stopped.waitForExit().status == .exited(143))
    try follower.folder.write("go", "")
    // A dry run and one without commands leave them.
    _ = try await hooked.run("sync", "--dry-run")
    _ = try await follower.run("sync")
    #expect(!follower.folder.files.contains("log"))
    for _ in 0..<2 { #expect(try await hooked.run("sync").status == .exited(0)) }
    let log = String(decoding: try follower.folder.read("log"), as: UTF8.self)
    #expect(log.split(separator: "\n").sorted() == ["Number 1", "Number 2"])
  }

  @Test func `a stop in the second command does not run the first one again`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let folder = follower.folder.path
    let first = try script("first", "echo first >> \(folder)/log")
    let second = try script(
      "second",
      "[ -e \(folder)/go ] || { touch \(folder)/begun; sleep 3600; }\n"
        + "echo second >> \(folder)/log")
    let hooked = with(["PODGET_AFTER_DOWNLOAD": second])
    let stopped = try hooked.start(["sync", "--exec", first])
    try await waitUntil("the second command", seen: { stopped.error }) {
      follower.folder.files.contains("begun")
    }
    stopped.signal(SIGTERM)
    #expect(try await stopped.waitForExit().status == .exited(143))
    try follower.folder.write("go", "")
    for _ in 0..<2 {
      #expect(try await hooked.run("sync", "--exec", first).status == .exited(0))
    }
    let log = String(decoding: try follower.folder.read("log"), as: UTF8.self)
    #expect(log == "first\nsecond\n")
  }

  @Test func `a command that a run does not have waits for one that has it`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let folder = follower.folder.path
    let first = try script(
      "first",
      "[ -e \(folder)/go ] || { touch \(folder)/begun; sleep 3600; }\n"
        + "echo first >> \(folder)/log")
    let second = try script("second", "echo second >> \(folder)/log")
    let hooked = with(["PODGET_AFTER_DOWNLOAD": second])
    let stopped = try hooked.start(["sync", "--exec", first])
    try await waitUntil("the first command", seen: { stopped.error }) {
      follower.folder.files.contains("begun")
    }
    stopped.signal(SIGTERM)
    #expect(try await stopped.waitForExit().status == .exited(143))
    try follower.folder.write("go", "")
    for _ in 0..<2 { #expect(try await hooked.run("sync").status == .exited(0)) }
    let log = { String(decoding: try follower.folder.read("log"), as: UTF8.self) }
    #expect(try log() == "second\n")
    for _ in 0..<2 {
      #expect(try await hooked.run("sync", "--exec", first).status == .exited(0))
    }
    #expect(try log() == "second\nfirst\n")
  }

  @Test func `a command follows what happens to a feed`() async throws {
    follower.host["/b"] = Feed(title: "B", [Item(5)])
    _ = try await follower.follow("/a")
    _ = try await follower.follow("/b")
    let hook = try script(
      "hook", "echo \"$PODGET_EVENT $PODGET_NAME\" >> \(follower.folder.path)/log")
    let watched = with(["PODGET_AFTER_FEED": hook])
    _ = try await watched.run("sync")
    follower.host["/b2"] = follower.host["/b"]
    follower.host["/b"].head =
      "<itunes:new-feed-url>\(follower.host.origin)/b2</itunes:new-feed-url>"
    follower.host["/a"] = .error(404)
    for _ in 0..<3 { _ = try await watched.run("sync") }
    let log = String(decoding: try follower.folder.read("log"), as: UTF8.self)
    #expect(log.split(separator: "\n").sorted() == ["failing a", "moved b"])
  }

  // MARK: Health

  @Test func `the file with the status has a host that failed in the same run`() async throws {
    let dead = try FeedHost(["/d": Feed(title: "D", [Item(5)])])
    _ = try await follower.follow("/a")
    let subscribed = try await follower.start(["subscribe", dead.origin + "/d"]).waitForExit()
    #expect(subscribed.status == .exited(0))
    dead.stop()
    let path = follower.folder.path("status.json")
    #expect(
      try await follower.start(["sync", "--status", path]).waitForExit().status == .exited(1))
    let file = Data(try follower.folder.read("status.json"))
    let status = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
    let feeds = try #require(status["feeds"] as? [String: Int])
    #expect(feeds["active"] == 1 && feeds["failing"] == 1)
  }

  @Test func `status says what needs a person, and files have the same`() async throws {
    #expect(try await follower.run("status").status == .exited(1))
    _ = try await follower.follow("/a", "--max-new", "1")
    let folder = follower.folder.path
    let files = ["--status", "\(folder)/status.json", "--metrics", "\(folder)/podget.prom"]
    #expect(try await follower.start(["sync"] + files).waitForExit().status == .exited(0))
    #expect(try await follower.run("status").status == .exited(0))
    let fine = Data(try follower.folder.read("status.json"))
    let status = try #require(try JSONSerialization.jsonObject(with: fine) as? [String: Any])
    let feeds = try #require(status["feeds"] as? [String: Int])
    #expect(feeds == ["active": 1, "failing": 0, "gone": 0, "paused": 0, "deferred": 0])
    #expect((status["freeBytes"] as? Int).map { $0 > 0 } == true)
    let metrics = String(decoding: try follower.folder.read("podget.prom"), as: UTF8.self)
    #expect(metrics.contains("\npodget_feeds{state=\"active\"} 1\n"))
    #expect(metrics.contains("# TYPE podget_last_check_timestamp_seconds gauge\n"))
    #expect(metrics.contains("\npodget_needs_person{kind=\"waiting\"} 0\n"))
    try Self.requireExposition(metrics)

    follower.host["/a"].items.insert(contentsOf: [Item(4), Item(3)], at: 0)
    #expect(try await follower.start(["sync"] + files).waitForExit().status == .exited(0))
    let waiting = try await follower.run("status")
    #expect(waiting.status == .exited(1))
    #expect(waiting.output.contains("needs you    A: 2 episodes waiting; podget sync a --accept"))
    let json = try await follower.run("status", "--json")
    #expect(json.status == .exited(1) && json.output.contains("\"kind\":\"waiting\""))
    let after = String(decoding: try follower.folder.read("podget.prom"), as: UTF8.self)
    #expect(after.contains("\npodget_needs_person{kind=\"waiting\"} 1\n"))
    #expect(!follower.folder.files.contains { $0.hasSuffix(".tmp") })
  }

  /// The rules of the text format of Prometheus that promtool checks, and those for gauges.
  private static func requireExposition(_ text: String) throws {
    #expect(text.hasSuffix("\n"))
    var families: [Substring] = []
    var series: Set<Substring> = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if let help = line.wholeMatch(of: /# HELP ([a-z_]+) \S.*/) {
        #expect(!families.contains(help.1), "\(line)")
        families.append(help.1)
      } else if let type = line.wholeMatch(of: /# TYPE ([a-z_]+) gauge/) {
        #expect(families.last == type.1, "\(line)")
      } else {
        let sample = try #require(
          line.wholeMatch(of: /(([a-z_]+)(?:\{[a-z_]+="[A-Za-z]+"\})?) -?[0-9]+/), "\(line)")
        #expect(families.last == sample.2, "\(line)")
        #expect(series.insert(sample.1).inserted, "\(line)")
        // A gauge is no counter, and promtool says so of such names.
        #expect(!sample.2.hasSuffix("_total") && !sample.2.hasSuffix("_count"), "\(line)")
      }
    }
    #expect(families.count >= 6)
  }

  @Test(arguments: [true, false])
  func `journald gets errors and warnings with their priorities, and nothing else does`(
    isJournal: Bool
  ) async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let text = try follower.file.replacing("podget:latest", with: "podget:lates")
    try follower.folder.write("library/.podget/subscriptions.opml", text)
    // Its standard error is a file, whose device and inode the variable has, or another one's.
    let script =
      "log=$1; shift; exec 2>$log; JOURNAL_STREAM=\(isJournal ? "" : "1")$(stat -L -c %d:%i $log) "
      + "exec $0 $@"
    func lines(_ arguments: String...) async throws -> [Substring] {
      _ = try await RunningProcess(
        "/bin/sh",
        ["-c", script, BuiltBinary.podget.path, follower.folder.path("log")] + arguments,
        environment: follower.variables, folder: follower.folder.path
      ).waitForExit()
      return String(decoding: try follower.folder.read("log"), as: UTF8.self)
        .split(separator: "\n")
    }
    let sync = try await lines("sync", "a", "unknown")
    #expect(sync.contains { $0.hasPrefix(isJournal ? "<3>failed " : "failed ") }, "\(sync)")
    #expect(sync.contains { $0.hasPrefix("finished ") })
    #expect(sync.contains { $0.hasPrefix(isJournal ? "<4>Warning: " : "Warning: ") })
    let subscriptions = try await lines("subscriptions")
    #expect(subscriptions.first?.hasPrefix(isJournal ? "<4>podget: " : "podget: ") == true)
    let usage = try await lines("prune")
    #expect(usage.first?.hasPrefix(isJournal ? "<3>podget: " : "podget: ") == true, "\(usage)")
    #expect(usage.allSatisfy { $0.hasPrefix("<3>") == isJournal })
  }

  @Test func `systemd hears that a watch works, reads again and lives`() async throws {
    _ = try await follower.follow("/a")
    let service = try NotifySocket(at: follower.folder.path("notify"))
    var watched = follower
    watched.environment = [
      "NOTIFY_SOCKET": service.path, "WATCHDOG_USEC": "2000000",
    ]
    let watching = try watched.start(["sync", "--watch", "--interval", "1h"])
    try await waitUntil("ready", seen: { "\(service.received)" }) {
      let received = service.received
      return received.contains("READY=1") && received.count { $0 == "WATCHDOG=1" } > 2
        && received.contains { $0.hasPrefix("STATUS=The next feed is due at ") }
    }
    watching.signal(SIGHUP)
    try await waitUntil("the reload", seen: { "\(service.received)" }) {
      service.received.contains { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") }
        && service.received.count { $0 == "READY=1" } == 2
    }
    watching.signal(SIGTERM)
    #expect(try await watching.waitForExit().status == .exited(143))
  }

  @Test func `systemd hears that a watch lives while the last commands of a run do`() async throws {
    _ = try await follower.follow("/a", "--latest", "1")
    let service = try NotifySocket(at: follower.folder.path("notify"))
    let folder = follower.folder.path
    let hook = try script(
      "hook", "echo >> \(folder)/begun; until [ -e \(folder)/go ]; do sleep 0.1; done")
    try follower.folder.write(".config/podget/config.yaml", "after-download: \(hook)\n")
    let watched = with(["NOTIFY_SOCKET": service.path, "WATCHDOG_USEC": "2000000"])
    let watching = try watched.start(["sync", "--watch", "--interval", "1h"])
    try await waitUntil("the command", seen: { watching.error }) {
      !service.received.isEmpty && follower.folder.files.contains("begun")
    }
    // Another run follows when the command has ended.
    try follower.folder.write(
      ".config/podget/config.yaml", "after-download: \(hook)\nlimit-rate: 900M\n")
    watching.signal(SIGHUP)
    try await waitUntil("the reload", seen: { "\(service.received)" }) {
      service.received.contains { $0.hasPrefix("RELOADING=1\n") }
    }
    func beats() -> Int { service.received.count { $0 == "WATCHDOG=1" } }
    let before = beats()
    try await waitUntil("the heart", seen: { "\(service.received)" }) { beats() > before + 1 }
    #expect(service.received.count { $0 == "READY=1" } == 2)
    try follower.folder.write("go", "")
    try await waitUntil("the next run", seen: { "\(service.received)" }) {
      service.received.count { $0 == "READY=1" } == 3
    }
    watching.signal(SIGTERM)
    #expect(try await watching.waitForExit().status == .exited(143))
  }

  @Test func `many feeds that begin to fail run few commands`() async throws {
    let paths = (1...25).map { "/f\($0)" }
    for path in paths { follower.host[path] = .error(404) }
    let outlines = paths.map {
      "<outline type=\"rss\" text=\"\($0)\" xmlUrl=\"\(follower.host.origin)\($0)\"/>"
    }
    let list = "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>"
    #expect(try await follower.run("import", "-", input: list).status == .exited(0))
    _ = try await follower.follow("/a", "--latest", "1")
    let folder = follower.folder.path
    let hook = try script("hook", "echo \"$PODGET_EVENT\" >> \(folder)/log")
    let after = try script("after", "cat > \(folder)/input")
    let result = try await with(["PODGET_AFTER_FEED": hook, "PODGET_AFTER_SYNC": after]).run("sync")
    #expect(result.status == .exited(1))
    let log = String(decoding: try follower.folder.read("log"), as: UTF8.self)
    #expect(log == String(repeating: "failing\n", count: 20))
    #expect(
      result.error.contains("after-feed runs for 20 feeds in an hour: 5 more feeds are failing."))
    let data = Data(try follower.folder.read("input"))
    let input = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let feeds = try #require(input["feeds"] as? [[String: Any]])
    #expect(feeds.count == 25 && feeds.allSatisfy { $0["event"] as? String == "failing" })
  }

  @Test func `feeds that go on failing are counted`() async throws {
    _ = try await follower.follow("/a")
    follower.host["/a"] = .error(404)
    #expect(try await follower.run("sync").status == .exited(1))
    // As if a day had passed: it is due, and nothing is said of it.
    let path = "library/.podget/feeds.ndjson"
    let text = String(decoding: try follower.folder.read(path), as: UTF8.self)
    let due = try #require(text.firstMatch(of: #/"nextCheck":"[^"]*"/#)?.output)
    try follower.folder.write(
      path, text.replacing(due, with: "\"nextCheck\":\"2024-01-01T00:00:00Z\""))
    let result = try await follower.run("sync", "--due", "--json")
    #expect(result.status == .exited(1))
    let summary = try #require(try result.lines.map(EventLine.init).last)
    #expect(summary["stillFailing"] == 1 && summary["failed"] == 0)
  }
}

/// A socket on which a service tells how it is. It holds ten messages that are not read yet, so beats
/// come seldom enough for a busy machine.
private final class NotifySocket: Sendable {
  let path: String
  private let descriptor: Int32
  private let messages = Mutex<[String]>([])

  init(at path: String) throws {
    self.path = path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
  }

  deinit { close(descriptor) }

  /// All messages so far.
  var received: [String] {
    messages.withLock { messages in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return messages }
        messages.append(String(decoding: buffer[..<count], as: UTF8.self))
      }
    }
  }
}
