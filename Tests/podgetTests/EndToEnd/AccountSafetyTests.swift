import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

/// What a server, a lost disk or a kill must not do to an account.
@Suite struct AccountSafetyTests: AccountSuite {
  let account: AccountServer
  let follower: Follower

  init() throws {
    account = try AccountServer()
    follower = try Follower(["/a": FeedHost.Feed([FeedHost.Item(1), FeedHost.Item(2)])])
  }

  private var list: String { follower.folder.path("library/.podget/subscriptions.opml") }

  /// Changes the file of the account.
  private func edit(_ change: (inout [String: Any]) -> Void) throws {
    let path = "library/.podget/account.json"
    let data = Data(try follower.folder.read(path))
    var file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    change(&file)
    try JSONSerialization.data(withJSONObject: file)
      .write(to: URL(fileURLWithPath: follower.folder.path(path)))
  }

  @Test func `a command that others have written is not run, not at a later exchange either`()
    async throws
  {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    let (path, asked) = (
      follower.folder.path("library/.podget/account.json"), follower.folder.path("asked")
    )
    try edit { $0["passwordCommand"] = "touch \(asked)" }
    #expect(chmod(path, 0o660) == 0)
    let before = try follower.folder.read("library/.podget/account.json")
    for arguments in [["account", "sync"], ["account", "sync"], ["sync"], ["sync"]] {
      let result = try await follower.start(arguments).waitForExit()
      #expect(result.error.contains("The password command is not run"), "\(result.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: asked))
    #expect(try follower.folder.read("library/.podget/account.json") == before)
  }

  @Test func `a missing list of subscriptions withdraws nothing`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    phone { $0 = ["https://phone.example/feed"] }
    try await add()
    _ = try await changes()
    let all = feeds
    // The phone has other podcasts by now, so that few of them are of the last exchange.
    phone { feeds in (0..<9).forEach { feeds.insert("https://new.example/\($0)") } }
    try FileManager.default.removeItem(atPath: list)
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("is missing"))
    #expect(feeds.isSuperset(of: all))
    #expect(try await changes("--prefer", "both").count == 11)
    #expect(feeds.isSuperset(of: all))
  }

  @Test func `the default login of netrc is not for what a server added`() async throws {
    let netrc = try follower.folder.write(".netrc", "default login ann password one\n")
    #expect(chmod(netrc, 0o600) == 0)
    let asked = Mutex<[String?]>([])
    let server = try LoopbackServer { request, connection in
      asked.withLock { $0.append(request.first("Authorization")) }
      connection.respond(body: "<rss version=\"2.0\"><channel><title>Added</title></channel></rss>")
    }
    phone { $0 = ["\(server.origin)/feed"] }
    try await add()
    _ = try await changes()
    #expect(try await follower.run("sync").status == .exited(0))
    let name = try #require(try await follower.run("subscriptions", "--json").values("name").first)
    // A change rewrites its outline.
    _ = try await follower.run("subscribe", name, "--latest", "3")
    _ = try await follower.run("sync")
    _ = try await follower.run("show", name)
    _ = try await follower.run("download", name)
    asked.withLock { asked in
      #expect(asked.count > 2)
      #expect(asked.allSatisfy { $0 == nil })
      asked = []
    }
    // A person names it.
    _ = try await follower.run("subscribe", "\(server.origin)/feed")
    _ = try await follower.run("sync")
    #expect(asked.withLock { $0.contains { $0 != nil } })
  }

  @Test(.timeLimit(.minutes(2))) func `a signal ends an exchange that gets no answer`() async throws
  {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    account.state.withLock { $0.isStalled = true }
    let before = account.server.log.count
    let process = try follower.start(["sync", "--watch"])
    try await waitUntil("a request") { account.server.log.count > before }
    let begin = ContinuousClock.now
    process.signal(SIGTERM)
    _ = try await process.waitForExit()
    #expect(ContinuousClock.now - begin < .seconds(20))
    // The attempt counts, though it failed.
    account.state.withLock { $0.isStalled = false }
    let count = account.server.log.count
    #expect(try await follower.run("sync", "--due").status == .exited(0))
    #expect(account.server.log.count == count)
  }

  @Test func `an exchange that another process has is not waited for`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    let lock = open(
      follower.folder.path("library/.podget/account.json.lock"), O_RDWR | O_CREAT, 0o600)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let result = try await follower.start(["sync"]).waitForExit(timeout: .seconds(60))
    #expect(result.status == .exited(0))
    #expect(feeds.isEmpty)
  }

  @Test func `an account that is removed during an exchange stays removed`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    account.state.withLock { $0.isHeld = true }
    let before = account.server.log.count
    let exchange = try follower.start(["account", "sync"])
    try await waitUntil("a request") { account.server.log.count > before }
    let removal = try follower.start(["account", "remove"])
    try await waitUntil("it waits, or has ended") {
      let folder = "/proc/\(removal.pid)/fd"
      let files = try? FileManager.default.contentsOfDirectory(atPath: folder).map {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
      return files?.isEmpty != false
        || files?.contains { $0?.hasSuffix("account.json.lock") == true } == true
    }
    account.state.withLock { $0.isHeld = false }
    #expect(try await exchange.waitForExit().status == .exited(0))
    #expect(try await removal.waitForExit().status == .exited(0))
    #expect(!follower.folder.files.contains("library/.podget/account.json"))
  }

  @Test func `numbers in the file of an account end nothing`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    #expect(try await follower.run("download", "a", "--all").status == .exited(0))
    try await add()
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    _ = try await changes()
    for number in [Int64.min, .max] {
      try edit { file in
        for name in ["lastAttempt", "since", "filesSince", "withheld"] { file[name] = number }
        for name in ["progress", "waiting", "ahead"] {
          let keys = (file["progress"] as? [String: Any] ?? [:]).keys
          file[name] = Dictionary(uniqueKeysWithValues: keys.map { ($0, [number, number]) })
        }
      }
      _ = try await follower.run("mark", "--position", number < 0 ? "150" : "170", "Number 1")
      #expect(try await follower.run("sync", "--due").status == .exited(0))
      _ = try await changes()
    }
  }

  @Test func `a file of an account without what is not needed`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    try edit { file in
      for name in file.keys
      where !["version", "url", "user", "passwordCommand", "kind", "device"].contains(name) {
        file[name] = nil
      }
    }
    #expect(try await changes() == ["sent \(follower.host.origin)/a"])
  }

  @Test func `an action from the future does not undo what is marked later`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    _ = try await follower.run("sync")
    try await add()
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    _ = try await changes()
    var action = try #require(account.state.withLock { $0.actions }.first)
    (action["timestamp"], action["position"], action["total"]) = (
      "2999-01-01T00:00:00", "50", "500"
    )
    account.state.withLock { $0.actions.append(action) }
    try await nextSecond()
    _ = try await changes()
    func positions() async throws -> String { try await follower.run("list", "--json").output }
    #expect(try await positions().contains("\"position\":50"))
    _ = try await follower.run("mark", "--position", "70", "Number 1")
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions().contains("\"position\":70"))
    #expect(account.state.withLock { $0.actions.last?["position"] } == "70")
    #expect(account.state.withLock { $0.actions.count } == 3)
    // Another phone, whose clock is right, says more.
    (action["timestamp"], action["position"]) = ("2998-01-01T00:00:00", "90")
    let other = action
    account.state.withLock { $0.actions.append(other) }
    var process = InProcess(environment: follower.variables)
    process.now = { Date(timeIntervalSince1970: 32_450_000_000) }
    #expect(await process.run(["account", "sync"]).status == .exited(0))
    #expect(try await positions().contains("\"position\":90"))
  }

  @Test func `a podcast that is followed again after a kill stays`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    phone { $0 = ["https://phone.example/feed"] }
    try await add()
    _ = try await changes()
    let own = follower.host.origin + "/a"
    // The phone removed it, podget too, and was killed before it noted that.
    phone { $0.remove(own) }
    try edit {
      $0["leaving"] = [own]; $0["leavingList"] = "of before"
    }
    #expect(try await changes() == ["sent \(own)"])
    #expect(feeds.contains(own))
  }

  @Test(arguments: [nil, 504] as [Int?])
  func `a lost answer undoes nothing that is done next`(status: Int?) async throws {
    for name in ["a", "b", "c"] {
      follower.host["/\(name)"] = FeedHost.Feed(title: name, [FeedHost.Item(1)])
      _ = try await follower.follow("/\(name)", "--name", name)
    }
    try await add()
    _ = try await changes()
    let (origin, first) = (follower.host.origin, feeds)
    func lose() async throws {
      account.state.withLock { ($0.losses, $0.lossStatus) = (9, status) }
      #expect(try await follower.run("account", "sync").status == .exited(1))
      account.state.withLock { $0.losses = 0 }
    }
    // It is followed again: it stays.
    _ = try await follower.run("unsubscribe", "a")
    try await lose()
    #expect(feeds == first.subtracting([origin + "/a"]))
    _ = try await follower.follow("/a", "--name", "a")
    #expect(try await changes() == ["sent \(origin)/a"])
    #expect(feeds == first)
    // It is followed no longer: it goes, and so does what the server added.
    follower.host["/d"] = FeedHost.Feed(title: "d", [FeedHost.Item(1)])
    _ = try await follower.follow("/d", "--name", "d")
    phone { $0.insert("https://phone.example/f") }
    try await lose()
    #expect(feeds.count == 5)
    _ = try await follower.run("unsubscribe", "d")
    _ = try await follower.run("unsubscribe", "https://phone.example/f")
    #expect(try await changes().count == 2)
    #expect(feeds == first)
    #expect(try await changes() == [])
  }

  @Test func `all spellings of a feed are withdrawn together`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    phone { $0 = ["https://x.example/feed", "http://www.x.example/feed/"] }
    try await add()
    _ = try await changes()
    let name = try #require(
      try await follower.run("subscriptions", "--json").values("name").last)
    #expect(try await follower.run("unsubscribe", name).status == .exited(0))
    #expect(try await changes().count == 2)
    #expect(try await changes() == [])
    #expect(feeds == [follower.host.origin + "/a"])
  }

  @Test func `the way out of a loss removes nothing`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    _ = try await changes()
    phone { $0 = ["https://phone.example/1"] }
    let result = try await follower.run("account", "sync")
    #expect(result.error.contains("--prefer both"))
    #expect(try await changes("--prefer", "both").count == 2)
    #expect(feeds == ["https://phone.example/1", follower.host.origin + "/a"])
    #expect(try await changes() == [])
  }

  @Test func `over http a login needs the user's word`() async throws {
    let file = follower.folder.path("asked")
    let arguments = ["account", "add", "http://192.0.2.1", "--user", "me"]
    let refused = try await follower.start(arguments + ["--password-command", "touch \(file)"])
      .waitForExit()
    #expect(refused.status != .exited(0) && refused.error.contains("--allow-http"))
    #expect(!FileManager.default.fileExists(atPath: file))
  }
}
