import Foundation
import Synchronization
import TestSupport
import Testing

/// What an exchange must not do to positions, and what of episodes a server does not get.
@Suite struct AccountPositionTests: AccountSuite {
  let account: AccountServer
  let follower: Follower

  init() throws {
    account = try AccountServer()
    follower = try Follower(["/a": FeedHost.Feed([FeedHost.Item(1), FeedHost.Item(2)])])
  }

  private var actions: [[String: String]] { account.state.withLock { $0.actions } }

  /// The positions of episodes by their titles; -1 for a played one.
  private func positions() async throws -> [String: Int] {
    let rows = try await follower.run("list", "--json").objects
    return Dictionary(
      rows.compactMap { row in
        guard let episode = row["episode"] as? [String: Any],
          let title = episode["title"] as? String
        else { return nil }
        return (title, row["played"] as? Bool == true ? -1 : row["position"] as? Int ?? 0)
      }
    ) { first, _ in first }
  }

  private func follow() async throws {
    _ = try await follower.follow("/a", "--name", "a")
    #expect(try await follower.run("download", "a", "--all").status == .exited(0))
  }

  @Test func `episodes with one address have one position`() async throws {
    follower.host["/a"] = FeedHost.Feed([FeedHost.Item(1, guid: "one", title: "One")])
    follower.host["/b"] = FeedHost.Feed(
      title: "Other", [FeedHost.Item(1, guid: "two", title: "Two")])
    _ = try await follower.follow("/b", "--name", "b")
    _ = try await follower.run("download", "b", "--all")
    try await follow()
    try await add()
    _ = try await follower.run("mark", "--position", "100", "One")
    for _ in 0..<3 { _ = try await changes() }
    #expect(try await positions() == ["One": 100, "Two": 100])
    #expect(actions.map { $0["position"] } == ["100"])
    // The other one counts too, and what the phone says is for both.
    _ = try await follower.run("mark", "--position", "200", "Two")
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["One": 200, "Two": 200])
    #expect(actions.map { $0["position"] } == ["100", "200"])
    var action = try #require(actions.last)
    (action["position"], action["timestamp"]) = ("300", "2999-01-01T00:00:00")
    account.state.withLock { $0.actions.append(action) }
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["One": 300, "Two": 300])
    #expect(actions.count == 3)
  }

  @Test func `of episodes with one guid the address counts`() async throws {
    follower.host["/a"] = FeedHost.Feed([
      FeedHost.Item(1, guid: "same"), FeedHost.Item(2, guid: "same"), FeedHost.Item(3),
    ])
    try await follow()
    _ = try await follower.run("sync")
    try await add()
    _ = try await changes()
    _ = try await follower.run("mark", "--played", "Number 1")
    for _ in 0..<3 { _ = try await changes() }
    let own = ["Number 1": -1, "Number 2": 0, "Number 3": 0]
    #expect(try await positions() == own)
    // The phone's word is about one of them, and about none where its address is unknown.
    var action = try #require(actions.first { $0["action"] == "play" })
    #expect(action["guid"] == nil)
    (action["guid"], action["timestamp"]) = ("same", "2999-01-01T00:00:00")
    (action["position"], action["total"]) = ("70", "500")
    action["episode"] = "https://x.example/4.mp3"
    let other = action
    account.state.withLock { $0.actions.append(other) }
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == own)
    action["episode"] = follower.host.origin + "/media/2.mp3"
    let second = action
    account.state.withLock { $0.actions.append(second) }
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["Number 1": -1, "Number 2": 70, "Number 3": 0])
  }

  @Test func `an id counts only for the same file: feeds give it to the next episode too`()
    async throws
  {
    follower.host["/a"] = FeedHost.Feed([FeedHost.Item(1, guid: "latest")])
    _ = try await follower.follow("/a", "--name", "a")
    #expect(try await follower.run("sync").status == .exited(0))
    try await add()
    // The phone has read the feed later, and has heard what has this id by now.
    let host = follower.host.origin.replacing("http://", with: "")
    func say(_ address: String, _ position: Int) {
      let action = [
        "podcast": follower.host.origin + "/a", "episode": address, "guid": "latest",
        "action": "play", "timestamp": "2020-01-01T00:00:0\(actions.count)",
        "position": "\(position)", "total": "500",
      ]
      account.state.withLock { $0.actions.append(action) }
    }
    say("http://\(host)/media/9.mp3", 500)
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["Number 1": 0])
    _ = try await follower.run("sync")
    #expect(try await positions() == ["Number 1": 0])
    say("https://tracker.example/e/\(host)/media/1.mp3?t=1", 70)
    _ = try await changes()
    #expect(try await positions() == ["Number 1": 70])
  }

  @Test func `what was marked as unplayed later stays so at the first exchange`() async throws {
    try await follow()
    _ = try await follower.run("mark", "--played", "Number 1")
    _ = try await follower.run("mark", "--unplayed", "Number 1")
    for number in 1...2 {
      let action = [
        "podcast": follower.host.origin + "/a",
        "episode": follower.host.origin + "/media/\(number).mp3", "action": "play",
        "timestamp": "2020-01-01T00:00:00", "position": "500", "total": "500",
      ]
      account.state.withLock { $0.actions.append(action) }
    }
    try await add()
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["Number 1": 0, "Number 2": -1])
    #expect(actions.last { $0["episode"]?.hasSuffix("/1.mp3") == true }?["action"] == "new")
  }

  @Test func `an id that a feed gives to several episodes names none`() async throws {
    follower.host["/a"] = FeedHost.Feed([
      FeedHost.Item(3), FeedHost.Item(2, guid: "same"), FeedHost.Item(1, guid: "same"),
    ])
    _ = try await follower.follow("/a", "--name", "a", "--latest", "2")
    #expect(try await follower.run("sync").status == .exited(0))
    #expect(try await positions() == ["Number 2": 0, "Number 3": 0])
    try await add()
    // The phone says something of the one that the library does not have, and of one that nobody knows.
    for episode in ["\(follower.host.origin)/media/1.mp3", "https://x.example/9.mp3"] {
      let action = [
        "podcast": follower.host.origin + "/a", "episode": episode, "guid": "same",
        "action": "play", "timestamp": "2020-01-01T00:00:00", "position": "70", "total": "500",
      ]
      account.state.withLock { $0.actions.append(action) }
    }
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["Number 2": 0, "Number 3": 0])
    _ = try await follower.run("download", "a", "--all")
    _ = try await changes()
    #expect(try await positions() == ["Number 1": 70, "Number 2": 0, "Number 3": 0])
  }

  @Test func `a folder that is lost resets no position`() async throws {
    try await follow()
    try await add()
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    _ = try await changes()
    try FileManager.default.removeItem(atPath: follower.folder.path("library/The Feed"))
    _ = try await follower.run("download", "a", "--all")
    #expect(try await positions() == ["Number 1": 0, "Number 2": 0])
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions() == ["Number 1": 100, "Number 2": 0])
    #expect(actions.filter { $0["action"] != "download" }.map { $0["position"] } == ["100"])
  }

  @Test func `a backup that is restored resets no position`() async throws {
    try await follow()
    try await add()
    let record = follower.folder.path("library/The Feed/.podget.ndjson")
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    _ = try await changes()
    let backup = try Data(contentsOf: URL(fileURLWithPath: record))
    try await nextSecond()
    _ = try await follower.run("mark", "--position", "200", "Number 1")
    _ = try await changes()
    #expect(actions.map { $0["position"] } == ["100", "200"])
    try backup.write(to: URL(fileURLWithPath: record))
    #expect(try await positions()["Number 1"] == 100)
    for _ in 0..<2 { _ = try await changes() }
    #expect(try await positions()["Number 1"] == 200)
    #expect(actions.count == 2)
  }

  @Test func `what is marked after a clock was set back counts`() async throws {
    try await follow()
    try await add()
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    _ = try await changes()
    _ = try await follower.run("mark", "--position", "200", "Number 1")
    var process = InProcess(environment: follower.variables)
    process.now = { Date(timeIntervalSinceNow: -86_400) }
    for _ in 0..<2 { #expect(await process.run(["account", "sync"]).status == .exited(0)) }
    #expect(try await positions()["Number 1"] == 200)
    // Nothing is said twice, not when the clock is right again either.
    _ = try await changes()
    #expect(actions.map { $0["position"] } == ["100", "200"])
    _ = try await follower.run("remove", "Number 2")
    for _ in 0..<2 { _ = try await changes() }
    #expect(actions.compactMap { $0["action"] } == ["play", "play", "delete"])
  }

  @Test func `addresses and guids with secrets stay`() async throws {
    var secret = FeedHost.Item(1)
    secret.query = "token=s3cr3t"
    follower.host["/a"] = FeedHost.Feed([
      secret, FeedHost.Item(2, guid: "https://x.example/?auth=s3cr3t"),
    ])
    try await follow()
    try await add()
    // Files are said too, after the first exchange.
    _ = try await changes()
    for title in ["Number 1", "Number 2"] {
      _ = try await follower.run("mark", "--position", "100", title)
    }
    _ = try await changes()
    #expect(actions.map { $0["episode"] } == [follower.host.origin + "/media/2.mp3"])
    // That is said: once by an exchange, and always by the account.
    let shown = try await follower.run("account", "--json")
    #expect(try shown.objects.map { $0["withheldEpisodes"] as? Int } == [1])
    #expect(shown.error.contains("did not get the positions of 1 episode with"), "\(shown.error)")
    let again = try await follower.run("account", "sync", "--json")
    #expect(try again.objects.map { $0["withheldEpisodes"] as? Int } == [1])
    #expect(!again.error.contains("did not get"))
    #expect(actions.allSatisfy { $0["guid"] == nil })
    // The phone says something of the episode, by its id and another address of the file.
    var other = try #require(actions.first)
    (other["episode"], other["guid"]) = ("https://x.example/1.mp3", "guid-1")
    (other["position"], other["timestamp"]) = ("70", "2999-01-01T00:00:00")
    account.state.withLock { $0.actions.append(other) }
    _ = try await changes()
    #expect(try await positions()["Number 1"] == 70)
    _ = try await follower.run("mark", "--position", "90", "Number 1")
    _ = try await changes()
    #expect(actions.count == 2)
    // The phone says the address itself.
    var action = try #require(actions.first)
    action["episode"] = follower.host.origin + "/media/1.mp3?token=s3cr3t"
    (action["position"], action["timestamp"]) = ("50", "1970-01-01T00:10:00")
    account.state.withLock { $0.actions.append(action) }
    _ = try await changes()
    #expect(actions.count == 4 && actions.last?["episode"] == action["episode"])
  }

  @Test func `nothing is said of a podcast with a login`() async throws {
    _ = try await follower.follow(
      "/a", "--name", "a", "--user", "me", "--password-command", "echo x")
    _ = try await follower.run("download", "a", "--all")
    phone { $0 = [follower.host.origin + "/a"] }
    try await add()
    _ = try await changes()
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    _ = try await changes()
    #expect(actions == [])
  }

  @Test func `the first exchange is shown too`() async throws {
    try await follow()
    phone { $0 = [follower.host.origin + "/a"] }
    account.state.withLock {
      $0.actions = [
        [
          "podcast": follower.host.origin + "/a",
          "episode": follower.host.origin + "/media/2.mp3", "action": "play",
          "timestamp": "2020-01-01T00:00:00", "position": "50", "total": "500",
        ]
      ]
    }
    try await add()
    _ = try await follower.run("mark", "--position", "100", "Number 1")
    let shown = try await follower.run("account", "sync", "--dry-run", "--json")
    #expect(try shown.values("sent") == ["1"] && shown.values("received") == ["1"])
    #expect(try await positions()["Number 2"] == 0)
    #expect(actions.count == 1)
  }

  @Test(arguments: [
    ("10", "10", 10), ("3500", "3500", -1), ("3595", "3600", -1), ("3500", "3600", 3500),
  ])
  func `an episode was played if it was, by its own length too`(
    position: String, total: String, progress: Int
  ) async throws {
    var long = FeedHost.Item(1)
    long.extra = "<itunes:duration>3600</itunes:duration>"
    follower.host["/a"] = FeedHost.Feed([long])
    try await follow()
    phone { $0 = [follower.host.origin + "/a"] }
    account.state.withLock {
      $0.actions = [
        [
          "podcast": follower.host.origin + "/a",
          "episode": follower.host.origin + "/media/1.mp3", "action": "play",
          "timestamp": "2020-01-01T00:00:00", "position": position, "total": total,
        ]
      ]
    }
    try await add()
    _ = try await changes()
    #expect(try await positions() == ["Number 1": progress])
    _ = try await changes()
    #expect(actions.count == 1)
  }

  @Test func `of a history that is too long the last days count`() async throws {
    try await follow()
    phone { $0 = [follower.host.origin + "/a"] }
    account.state.withLock {
      $0.isLong = true
      $0.actions = [
        [
          "podcast": follower.host.origin + "/a",
          "episode": follower.host.origin + "/media/2.mp3", "action": "play",
          "timestamp": "2020-01-01T00:00:00", "position": "50", "total": "500",
        ]
      ]
    }
    try await add()
    _ = try await changes()
    #expect(try await positions()["Number 2"] == 50)
  }
}
