import FoundationEssentials
import LoopbackServer
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// What servers say about a feed besides its content: that it moved, ended, or is not to be requested.
@Suite("Sync and servers") struct SyncServerTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let harness: SyncHarness

  init() throws { harness = try SyncHarness.followingOne() }

  private func address(_ path: String) -> String { harness.address(path) }

  @Test func `a permanent redirect moves after a day of sightings`() async throws {
    _ = try await harness.sync()
    harness.host["/new"] = harness.host["/a"]
    harness.host["/a"] = .redirect(301, to: address("/new"))
    #expect(try await harness.sync().checks.first?.movedTo == nil)
    harness.pass(.seconds(12 * 3600))
    #expect(try await harness.sync().checks.first?.movedTo == nil)
    harness.pass(.seconds(13 * 3600))
    #expect(try await harness.sync().checks.first?.movedTo?.text == address("/new"))
    let moved = try #require(try harness.subscriptions.first)
    #expect(moved.feedURL.text == address("/new"))
    #expect(moved.firstURL == address("/a") && moved.name == "a")
    _ = try await harness.sync()
    #expect(harness.host.feedRequests.last?.path == "/new")
    #expect(harness.host.feedRequests.last?.request.first("If-None-Match") != nil)
  }

  @Test(arguments: [302, 303, 307])
  func `a temporary redirect never moves`(status: Int) async throws {
    _ = try await harness.sync()
    harness.host["/new"] = harness.host["/a"]
    harness.host["/a"] = .redirect(status, to: address("/new"))
    for _ in 0..<3 {
      #expect(try await harness.sync().checks.first?.movedTo == nil)
      harness.pass(.seconds(25 * 3600))
    }
    #expect(try harness.subscriptions.first?.feedURL.text == address("/a"))
  }

  @Test func `a redirect to a login page moves nothing`() async throws {
    _ = try await harness.sync()
    harness.host["/login"] = Feed()
    harness.host["/login"].body = "<html>log in</html>"
    harness.host["/a"] = .redirect(301, to: address("/login"))
    for _ in 0..<3 {
      #expect(try await harness.sync().failures.count == 1)
      harness.pass(.seconds(25 * 3600))
    }
    #expect(try harness.subscriptions.first?.feedURL.text == address("/a"))
  }

  @Test func `an announced address is taken at once when it has the same podcast`() async throws {
    harness.host["/new"] = harness.host["/a"]
    harness.announce("/a", at: "/new")
    _ = try await harness.sync()
    #expect(try harness.subscriptions.first?.feedURL.text == address("/new"))
  }

  @Test func `an announced address that does not answer delays no other feed`() async throws {
    harness.host["/b"] = Feed(title: "Other", [Item(12)])
    try harness.follow("b", "/b", title: "Other")
    harness.host["/new"] = Feed()
    harness.host["/new"].isHeld = true
    harness.announce("/a", at: "/new")
    let report = try await harness.sync { event, _ in
      // The other feed ends the wait.
      if case .checked(let check) = event, check.name == "b" {
        harness.host["/new"].isHeld = false
      }
    }
    #expect(report.checks.map(\.name) == ["b", "a"])
  }

  @Test func `an announced address of another podcast is not taken`() async throws {
    harness.host["/new"] = Feed(title: "Other", [Item(90, guid: "other")])
    harness.announce("/a", at: "/new")
    _ = try await harness.sync()
    #expect(try harness.subscriptions.first?.feedURL.text == address("/a"))
  }

  @Test func `a move to an address that is followed merges the two`() async throws {
    harness.host["/b"] = harness.host["/a"]
    try harness.follow("b", "/b", title: "The Feed")
    harness.announce("/a", at: "/b")
    _ = try await harness.sync()
    let left = try harness.subscriptions
    #expect(left.map(\.name) == ["a"] && left.first?.feedURL.text == address("/b"))
  }

  @Test(arguments: [false, true])
  func `a feed that copies an episode of another one does not replace it`(
    redirects: Bool
  ) async throws {
    harness.host["/b"] = Feed(title: "Other", [Item(12), Item(11)])
    try harness.follow("b", "/b", title: "Other")
    // It is listed before the other one, and after it.
    try harness.follow("c", "/c", title: "Liar")
    harness.host["/c"] = Feed(title: "Other", [Item(3), Item(11)])
    harness.host["/a"].items.insert(Item(11), at: 0)
    _ = try await harness.sync()
    for path in ["/a", "/c"] {
      if redirects {
        harness.host[path] = .redirect(301, to: address("/b"))
      } else {
        harness.announce(path, at: "/b")
      }
    }
    var notes: [String] = []
    var waiting: [FeedURL?] = []
    for _ in 0..<3 {
      let report = try await harness.sync()
      #expect(report.checks.allSatisfy { $0.movedTo == nil })
      waiting = ["a", "c"].map { name in
        report.checks.first { $0.name == name }?.waitingMove
      }
      notes += report.notes.filter { $0.contains("Both stay as they are") }
      harness.pass(.seconds(25 * 3600))
    }
    #expect(try harness.subscriptions.map(\.name) == ["a", "b", "c"])
    #expect(waiting == Array(repeating: FeedURL(address("/b")), count: 2))
    #expect(notes.count == 2, "\(notes)")
    #expect(try harness.state("a")?.waitingMove?.text == address("/b"))
  }

  @Test(arguments: ["title", "guid", "id"])
  func `a move into a followed podcast needs its title, its UUID or its id`(
    sign: String
  ) async throws {
    try harness.file.update { list in
      let feed: FeedURL = "\(harness.host.origin)/b"
      var other = Subscription(name: "b", title: "Renamed", feedURL: feed)
      guard var own = list.named("a") else { return }
      switch sign {
      case "title": other.title = "the  feed!"
      case "guid": (own.guid, other.guid) = ("917393e3", "917393e3")
      default: (own.id, other.id) = (7, 7)
      }
      list.replace(own)
      list.add(other)
    }
    harness.host["/b"] = harness.host["/a"]
    harness.announce("/a", at: "/b")
    let report = try await harness.sync()
    #expect(report.checks.contains { $0.movedTo?.text == address("/b") })
    #expect(try harness.subscriptions.map(\.name) == ["a"])
  }

  @Test func `two feeds that move to one address become one only if they are one podcast`()
    async throws
  {
    harness.host["/b"] = Feed(title: "Other", [Item(12), Item(1)])
    try harness.follow("b", "/b", title: "Other")
    harness.host["/new"] = harness.host["/a"]
    for path in ["/a", "/b"] {
      harness.announce(path, at: "/new")
    }
    for _ in 0..<2 { _ = try await harness.sync() }
    #expect(try harness.subscriptions.map(\.name) == ["a", "b"])
    #expect(try harness.subscriptions.map(\.feedURL.text).contains(address("/new")))
  }

  @Test(arguments: [1, 2])
  func `what was planned before a feed moved is continued`(moves: Int) async throws {
    harness.host.isMediaHeld = true
    _ = try await harness.sync { event, run in
      guard case .episode(let event) = event, case .started = event.kind else { return }
      await run.cancel()
    }
    var path = "/a"
    for move in 1...moves {
      let target = "/moved\(move)"
      harness.host[target] = harness.host[path]
      harness.host[target].head = ""
      harness.announce(path, at: target)
      let report = try await harness.sync { event, run in
        if case .checked = event { await run.cancel() }
      }
      #expect(report.checks.first?.movedTo?.text == address(target))
      path = target
    }
    harness.host.isMediaHeld = false
    #expect(try await harness.sync().finished == ["Number 1", "Number 2", "Number 3"])
  }

  @Test func `a feed is gone after two answers 410 a day apart`() async throws {
    _ = try await harness.sync()
    harness.host["/a"] = .error(410)
    let first = try await harness.sync()
    #expect(first.failures.first?.error.httpStatus == 410)
    harness.pass(.seconds(25 * 3600))
    let second = try await harness.sync()
    #expect(second.results == ["a": .gone] && second.failures.isEmpty)
    let requests = harness.host.feedRequests.count
    let third = try await harness.sync()
    #expect(third.checks.isEmpty && third.failures.isEmpty)
    #expect(harness.host.feedRequests.count == requests)
  }

  @Test func `the episodes of another followed podcast are none of this one`() async throws {
    harness.host["/b"] = Feed(title: "Other", [Item(12), Item(11)])
    try harness.follow("b", "/b", title: "Other")
    _ = try await harness.sync()
    let good = harness.host["/a"]
    harness.host["/a"] = Feed(title: "Other", [Item(13), Item(12), Item(11)])
    let lie = try await harness.sync()
    #expect(lie.failures.map(\.name) == ["a"] && lie.planned.isEmpty)
    harness.host["/a"] = good
    #expect(try await harness.sync().failures.isEmpty)
  }

  @Test func `a feed whose first answer was another followed podcast is read again`() async throws {
    let good = harness.host["/a"]
    harness.host["/b"] = Feed(title: "Other", [Item(12), Item(11)])
    harness.host["/a"] = Feed(title: "Other", [Item(12), Item(11)])
    try harness.follow("b", "/b", title: "Other")
    _ = try await harness.sync()
    #expect(Set(harness.host.mediaRequests) == [11, 12])
    harness.host["/a"] = good
    let second = try await harness.sync()
    #expect(second.failures.isEmpty)
    #expect(second.finished == ["Number 1", "Number 2", "Number 3"])
    #expect(harness.host.mediaRequests.count == 5)
    #expect(try await harness.sync().planned.isEmpty)
  }

  @Test func `an episode whose file was missing is tried again later`() async throws {
    harness.host.missingMedia = [2]
    _ = try await harness.sync()
    harness.host["/a"].items.insert(Item(4), at: 0)
    _ = try await harness.sync(latest: 1)
    harness.pass(.seconds(14 * 60))
    #expect(try await harness.sync(latest: 1).planned.isEmpty)
    harness.pass(.seconds(60))
    #expect(try await harness.sync(latest: 1).planned == ["Number 2"])
    // It has been failing for a quarter of an hour; now it waits as long again.
    harness.pass(.seconds(14 * 60))
    harness.host.missingMedia = []
    #expect(try await harness.sync(latest: 1).planned.isEmpty)
    harness.pass(.seconds(60))
    #expect(try await harness.sync(latest: 1).finished == ["Number 2"])
    #expect(harness.host.mediaRequests.count { $0 == 2 } == 3)
  }

  @Test func `a long Retry-After outlives the process`() async throws {
    _ = try await harness.sync()
    let good = harness.host["/a"]
    harness.host["/a"] = .error(503, retryAfter: "7200")
    let first = try await harness.sync()
    #expect(first.results == ["a": .deferred] && first.failures.isEmpty)
    #expect(first.checks.first?.notBefore == harness.now.addingTimeInterval(7200))
    harness.host["/a"] = good
    let requests = harness.host.feedRequests.count
    harness.pass(.seconds(3600))
    #expect(try await harness.sync().results == ["a": .deferred])
    #expect(harness.host.feedRequests.count == requests)
    harness.pass(.seconds(3601))
    #expect(try await harness.sync().results == ["a": .unchanged])
  }

  @Test func `a network that is down is one line and counts against no feed`() async throws {
    _ = try await harness.sync()
    let other = try FeedHost()
    try harness.file.update { list in
      let url = FeedURL("\(other.origin)/x")
      list.add(Subscription(name: "x", title: "x", feedURL: url))
    }
    other.stop()
    harness.host.stop()
    let report = try await harness.sync()
    #expect(report.failures.isEmpty)
    #expect(report.sources.map(\.error.code) == [.network])
    #expect(report.outcome.isNetworkDown)
    #expect(try harness.state("a")?.failures == 0)
    #expect(try harness.state("x") == nil)
  }

  @Test func `a single host that is down counts against no feed unless another one answered`()
    async throws
  {
    _ = try await harness.sync()
    harness.host.stop()
    let alone = try await harness.sync()
    #expect(alone.failures.map(\.error.code) == [.network])
    #expect(try harness.state("a")?.failures == 0)
    var options = SyncOptions()
    var round = NetworkRound()
    round.add(try SyncPieces.url("https://feeds.example/a"), error: nil)
    options.network.add(round, at: harness.now)
    _ = try await harness.sync(options: options)
    #expect(try harness.state("a")?.failures == 1)
  }

  @Test func `what is deferred or cannot be decided is due again later, not at once`() async throws
  {
    harness.host["/a"] = .error(503, retryAfter: "7200")
    let deferred = try await harness.sync()
    #expect(deferred.outcome.nextCheck == harness.now.addingTimeInterval(7200))
    harness.host.stop()
    harness.pass(.seconds(7201))
    let down = try await harness.sync()
    let next = try #require(down.outcome.nextCheck)
    #expect(next.timeIntervalSince(harness.now) >= 60)
  }

  @Test func `an announced address never brings a password`() async throws {
    let place = harness.host.origin.dropFirst("http://".count)
    harness.host["/new"] = harness.host["/a"]
    harness.host["/a"].head =
      "<itunes:new-feed-url>http://evil:secret@\(place)/new</itunes:new-feed-url>"
    _ = try await harness.sync()
    #expect(try harness.subscriptions.first?.feedURL.text == address("/new"))
  }

  @Test func `the state file may be deleted`() async throws {
    _ = try await harness.sync(latest: 2)
    try harness.delete("library/.podget/feeds.ndjson")
    let second = try await harness.sync(latest: 2)
    #expect(second.results == ["a": .read] && second.planned.isEmpty)
    #expect(harness.host.mediaRequests.sorted() == [2, 3])
  }
}
