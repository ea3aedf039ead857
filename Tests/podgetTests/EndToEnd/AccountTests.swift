import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@Suite struct AccountTests: AccountSuite {
  let account: AccountServer
  let follower: Follower

  init() throws {
    account = try AccountServer()
    follower = try Follower(["/a": FeedHost.Feed([FeedHost.Item(1), FeedHost.Item(2)])])
  }

  @Test(arguments: ["gpodder", "nextcloud"])
  func `the kind of a server is found by asking`(kind: String) async throws {
    let account = try AccountServer(knows: kind == "gpodder")
    let arguments = ["account", "add", account.server.origin, "--user", "me"]
    let wrong = try await follower.start(arguments + ["--password-command", "echo x"])
      .waitForExit()
    #expect(wrong.status == .exited(1) && wrong.error.contains("401"))
    let result = try await follower.start(arguments + ["--password-command", "echo secret"])
      .waitForExit()
    #expect(result.output == "added        \(account.server.origin) (\(kind))\n")
    let shown = try await follower.run("account", "--json")
    #expect(try shown.values("kind") == [kind])
    #expect(!shown.output.contains("echo"))
    let mode = try FileManager.default.attributesOfItem(
      atPath: follower.folder.path("library/.podget/account.json"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(try await follower.run("account", "remove").status == .exited(0))
    #expect(try await follower.run("account", "sync").status == .exited(1))
  }

  @Test func `another password command keeps what was agreed on`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    phone { $0 = ["https://phone.example/1", "https://phone.example/2"] }
    try await add()
    _ = try await changes()
    // me:other
    account.state.withLock { $0.login = "Basic bWU6b3RoZXI=" }
    let refused = try await follower.run("account", "sync")
    #expect(refused.status == .exited(1) && refused.error.contains("podget account add"))
    #expect(!refused.error.contains("--user"), "\(refused.error)")
    let arguments = ["account", "add", account.server.origin, "--password-command", "echo other"]
    let another = try await follower.start(arguments + ["--user", "you"]).waitForExit()
    #expect(another.status == .exited(1) && another.error.contains("has an account at"))
    let added = try await follower.start(arguments + ["--user", "me"]).waitForExit()
    #expect(added.status == .exited(0), "\(added.error)")
    // A first exchange would follow it again.
    _ = try await follower.run("unsubscribe", "https://phone.example/1")
    #expect(try await changes() == ["withdrawn https://phone.example/1"])
  }

  @Test func `both sides end equal, also after lost answers`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    let own = follower.host.origin + "/a"
    phone { $0 = ["https://phone.example/feed"] }
    try await add()
    #expect(
      try await changes("--dry-run") == ["followed https://phone.example/feed", "sent \(own)"])
    #expect(feeds == ["https://phone.example/feed"])
    // libcurl sends once again what a kept connection has lost.
    account.state.withLock { $0.losses = 9 }
    #expect(try await follower.run("account", "sync").status == .exited(1))
    account.state.withLock { $0.losses = 0 }
    #expect(try await changes() == [])
    #expect(feeds == ["https://phone.example/feed", own])
    phone { $0.insert("https://other.example/feed") }
    #expect(try await changes() == ["followed https://other.example/feed"])
    phone { $0.remove("https://phone.example/feed") }
    #expect(try await changes() == ["unfollowed https://phone.example/feed"])
    _ = try await follower.run("unsubscribe", "https://other.example/feed")
    #expect(try await changes() == ["withdrawn https://other.example/feed"])
    #expect(feeds == [own])
  }

  @Test func `a lost list changes nothing without the user's word`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    _ = try await changes()
    let all = feeds
    phone { $0 = [] }
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("would lose 1 of its 1 podcasts"))
    #expect(try follower.file.contains("/a\""))
    #expect(try await changes("--prefer", "local") == ["sent \(all.first ?? "")"])
    phone { $0 = [] }
    #expect(try await changes("--accept") == ["unfollowed \(all.first ?? "")"])
  }

  @Test func `secrets stay, and the login goes to the server only`() async throws {
    let other = try LoopbackServer { _, connection in
      connection.respond(body: #"{"add":[],"timestamp":1}"#)
    }
    let opml = """
      <opml version="2.0"><body>
      <outline type="rss" text="A" xmlUrl="https://a.example/f?auth=1"/>
      <outline type="rss" text="B" xmlUrl="https://me:pw@b.example/f"/>
      </body></opml>
      """
    _ = try await follower.run("import", "-", input: opml)
    try await add()
    let first = try await follower.run("account", "sync")
    #expect(first.error.contains("did not get 2 podcasts"))
    #expect(feeds == [])
    #expect(try await !follower.run("account", "sync").error.contains("did not get"))
    account.state.withLock { $0.redirect = other.origin + "/subscriptions" }
    _ = try await follower.run("account", "sync")
    #expect(other.log.allSatisfy { $0.request.first("Authorization") == nil })
    #expect(!other.log.isEmpty)
  }

  @Test func `positions and played states go both ways`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    _ = try await follower.run("sync")
    try await add()
    let marked = try await follower.run("mark", "--position", "100", "Number 1", "--json")
    #expect(marked.status == .exited(0), "\(marked.error)")
    _ = try await changes()
    let sent = account.state.withLock { $0.actions }
    #expect(sent.map { $0["position"] } == ["100"])
    #expect(sent.map { $0["action"] } == ["play"])
    try await nextSecond()
    // The phone plays it to its end.
    var action = sent.first ?? [:]
    action["timestamp"] = "2999-01-01T00:00:00"
    action["position"] = "500"
    action["total"] = "500"
    account.state.withLock { $0.actions.append(action) }
    _ = try await changes()
    let played = try await follower.run("list", "--played", "--json")
    #expect(try played.values("episode", "title") == ["Number 1"])
    // Nothing is sent again.
    _ = try await changes()
    #expect(account.state.withLock { $0.actions.count } == 2)
  }

  @Test func `sync exchanges, and only warns of a failure`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    _ = try await follower.run("sync")
    #expect(feeds == [follower.host.origin + "/a"])
    account.server.stop()
    let result = try await follower.run("sync")
    #expect(result.status == .exited(0))
    #expect(result.error.contains("Warning: the account:"))
  }

  @Test func `downloads and deletions are sent, and those of others change nothing`() async throws {
    _ = try await follower.follow("/a", "--name", "a", "--latest", "1")
    try await add()
    _ = try await follower.run("account", "sync")
    #expect(account.state.withLock { $0.actions } == [])
    _ = try await follower.run("download", "a", "--all")
    _ = try await changes()
    let sent = account.state.withLock { $0.actions }
    #expect(sent.map { $0["action"] } == ["download", "download"])
    #expect(sent.allSatisfy { $0["position"] == nil })
    account.state.withLock { state in
      state.actions = sent.map {
        $0.merging(["action": "delete", "timestamp": "2030-01-01T00:00:00"]) { $1 }
      }
    }
    let before = follower.episodes
    _ = try await changes()
    #expect(follower.episodes == before && before.count == 2)
    #expect(account.state.withLock { $0.actions.count } == 2)
  }

  @Test func `account-interval says when sync exchanges again`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    try await add()
    _ = try await follower.run("sync", "--due")
    let count = account.server.log.count
    _ = try await follower.run("sync", "--due")
    #expect(account.server.log.count == count)
    var often = follower
    often.environment["PODGET_ACCOUNT_INTERVAL"] = "1s"
    try await waitUntil("a second has passed") {
      _ = try await often.run("sync", "--due")
      return account.server.log.count > count
    }
  }
}
