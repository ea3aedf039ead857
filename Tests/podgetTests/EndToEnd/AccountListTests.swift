import Foundation
import Synchronization
import TestSupport
import Testing

/// What a server may do to the list of subscriptions, and what of it comes back.
@Suite struct AccountListTests: AccountSuite {
  let account: AccountServer
  let follower: Follower

  init() throws {
    account = try AccountServer()
    follower = try Follower(["/a": FeedHost.Feed([FeedHost.Item(1), FeedHost.Item(2)])])
  }

  private var own: String { follower.host.origin + "/a" }

  private func followed() async throws -> Set<String> {
    Set(try await follower.run("subscriptions", "--json").values("feedUrl"))
  }

  /// Follows as many podcasts as a person does.
  private func follow(_ count: Int) async throws -> [String] {
    let addresses = (0..<count).map { "https://own.example/\($0)" }
    let outlines = addresses.map { "<outline type=\"rss\" text=\"\($0)\" xmlUrl=\"\($0)\"/>" }
    _ = try await follower.run(
      "import", "-", input: "<opml version=\"2.0\"><body>\(outlines.joined())</body></opml>")
    return addresses
  }

  @Test func `what a server adds first hides no loss`() async throws {
    let named = try await follow(6)
    try await add()
    _ = try await changes()
    phone { feeds in (0..<30).forEach { feeds.insert("https://junk.example/\($0)") } }
    #expect(try await changes().count == 30)
    phone { $0.subtract(named) }
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("would lose 6"), "\(result.error)")
    #expect(try await followed().isSuperset(of: named))
  }

  @Test func `a list that is emptied in steps is a loss too`() async throws {
    let named = try await follow(8)
    try await add()
    _ = try await changes()
    phone { $0.subtract(named.prefix(3)) }
    #expect(try await changes().count == 3)
    phone { $0.subtract(named.prefix(5)) }
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("would lose"), "\(result.error)")
    #expect(try await followed() == Set(named.dropFirst(3)))
    // With the user's word it begins anew.
    #expect(try await changes("--accept").count == 2)
    phone { $0.remove(named[7]) }
    #expect(try await changes().count == 1)
  }

  @Test func `the phone's list is emptied in no steps either`() async throws {
    let all = (0..<12).map { "https://phone.example/\($0)" }
    phone { $0 = Set(all) }
    try await add()
    #expect(try await changes().count == 12)
    phone { $0.subtract(all.prefix(6)) }
    #expect(try await changes().count == 6)
    phone { $0.subtract(all.prefix(9)) }
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("would lose 3"), "\(result.error)")
    #expect(try await followed() == Set(all.dropFirst(6)))
  }

  @Test(arguments: [true, false])
  func `a podcast that comes back has its settings again`(byServer: Bool) async throws {
    _ = try await follow(3)
    _ = try await follower.follow(
      "/a", "--name", "mine", "--latest", "1", "--user", "me", "--password-command", "echo pw")
    try await add("--share-private")
    _ = try await changes()
    phone { $0.remove(own) }
    #expect(try await changes() == ["unfollowed \(own)"])
    #expect(try await !followed().contains(own))
    if byServer {
      phone { $0.insert(own) }
      #expect(try await changes() == ["followed \(own)"])
    } else {
      #expect(try await follower.follow("/a").status == .exited(0))
    }
    #expect(try await follower.run("subscriptions", "--json").values("name").contains("mine"))
    let file = try follower.file
    #expect(
      file.contains("podget:latest=\"1\"") && file.contains("podget:password-command=\"echo pw\""))
    #expect(!file.contains("isComment") && !file.contains("via"))
  }

  @Test func `what cannot be kept is not followed, and stays where it is`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    let strange: Set = [
      "https://x.example/\u{FFFE}", "https://podcasts.apple.com/us/podcast/x/id123456",
    ]
    let long = Set(
      (0..<700).map { "https://x.example/\($0)?" + String(repeating: "&", count: 7000) })
    phone { $0 = strange.union(long) }
    try await add()
    for expected in [["sent \(own)"], []] {
      #expect(try await changes() == expected)
      #expect(try await followed() == [own])
      #expect(feeds == strange.union(long).union([own]))
    }
  }

  @Test func `an entry that cannot be read removes nothing`() async throws {
    let named = try await follow(5)
    phone { $0 = ["local:before"] }
    try await add()
    #expect(try await changes().count == 5)
    // What could not be read before is none of these.
    phone { $0.remove(named[0]) }
    #expect(try await changes() == ["unfollowed \(named[0])"])
    phone { feeds in
      feeds.remove(named[1])
      feeds.formUnion(["feed of \(named[1])", "https://phone.example/f"])
    }
    #expect(try await changes() == ["followed https://phone.example/f"])
    let again = try await follower.run("account", "sync")
    #expect(again.output.isEmpty && again.error.contains("--accept"), "\(again.error)")
    #expect(try await followed().contains(named[1]))
    #expect(try await changes("--accept") == ["unfollowed \(named[1])"])
    phone { $0.remove(named[2]) }
    #expect(try await changes() == ["unfollowed \(named[2])"])
  }

  @Test func `an older list that is brought back loses nothing`() async throws {
    let named = try await follow(3)
    try await add()
    _ = try await changes()
    let older = try follower.folder.read("library/.podget/subscriptions.opml")
    phone { $0.insert("https://phone.example/f") }
    _ = try await follower.run("unsubscribe", named[0])
    #expect(try await changes().count == 2)
    try Data(older).write(
      to: URL(fileURLWithPath: follower.folder.path("library/.podget/subscriptions.opml")))
    let expected = ["followed https://phone.example/f", "sent \(named[0])"]
    #expect(try await changes("--prefer", "both") == expected)
    #expect(feeds == Set(named + ["https://phone.example/f"]))
    #expect(try await followed() == feeds)
    #expect(try await changes() == [])
  }

  @Test func `very many new podcasts need the user's word`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    phone { feeds in (0...1000).forEach { feeds.insert("https://x.example/\($0)") } }
    try await add()
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("1001"), "\(result.error)")
    #expect(try await followed() == [own])
    #expect(feeds.count == 1001)
    #expect(try await changes("--accept").count == 1002)
    #expect(try await followed().count == 1002)
  }

  @Test func `a refused change stops no positions`() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    _ = try await follower.run("sync")
    phone { $0 = [own] }
    try await add()
    _ = try await changes()
    _ = try await follow(1)
    account.state.withLock { $0.refusesChanges = true }
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    let result = try await follower.run("account", "sync")
    #expect(result.status == .exited(1) && result.error.contains("400"), "\(result.error)")
    #expect(account.state.withLock { $0.actions.map { $0["position"] } } == ["100"])
    // What has changed there is known, and what was removed here is not followed again.
    phone { $0.insert("https://phone.example/f") }
    #expect(try await follower.run("account", "sync").status == .exited(1))
    #expect(try await followed().contains("https://phone.example/f"))
    _ = try await follower.run("unsubscribe", "https://phone.example/f")
    #expect(try await follower.run("account", "sync").status == .exited(1))
    #expect(try await !followed().contains("https://phone.example/f"))
    account.state.withLock { $0.refusesChanges = false }
    #expect(
      try await changes() == ["sent https://own.example/0", "withdrawn https://phone.example/f"])
  }
}
