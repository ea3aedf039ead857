import FoundationEssentials
import LoopbackServer
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit

/// Syncs of a library with a host on loopback.
@Suite("Sync") struct SyncTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private func harness(_ items: ClosedRange<Int> = 1...8) throws -> SyncHarness {
    let harness = try SyncHarness(["/a": Feed(items.reversed().map { Item($0) })])
    try harness.follow("a", "/a", title: "The Feed")
    return harness
  }

  @Test func `the first sync downloads the newest, the next one asks with the ETag`() async throws {
    let harness = try harness()
    let first = try await harness.sync(latest: 2)
    #expect(first.finished == ["Number 7", "Number 8"])
    #expect(first.results == ["a": .read])
    #expect(first.checks.first?.newEpisodes == 2)
    let second = try await harness.sync(latest: 2)
    #expect(second.results == ["a": .unchanged] && second.events.isEmpty)
    #expect(harness.host.feedRequests.count == 2)
    #expect(harness.host.feedRequests[1].request.first("If-None-Match") != nil)
  }

  @Test func `the same bytes are unchanged also without validators`() async throws {
    let harness = try harness()
    harness.host["/a"].hasValidators = false
    _ = try await harness.sync()
    let second = try await harness.sync()
    #expect(second.results == ["a": .unchanged] && second.events.isEmpty)
  }

  @Test func `an episode is new wherever it stands, unless it is much older`() async throws {
    let harness = try harness(20...25)
    _ = try await harness.sync(latest: 2)
    harness.host["/a"].items.append(Item(15, title: "Late"))
    harness.host["/a"].items.append(Item(1, title: "Archive"))
    let second = try await harness.sync(latest: 2)
    #expect(second.finished == ["Late"])
    #expect(second.checks.first?.olderAdded == 1)
    #expect(second.checks.first?.newEpisodes == 1)
  }

  @Test func `an episode with another guid is not new`() async throws {
    let harness = try harness(1...3)
    _ = try await harness.sync()
    harness.host["/a"].items[1].guid = "another"
    let second = try await harness.sync()
    #expect(second.results == ["a": .read] && second.planned.isEmpty)
  }

  @Test func `a file that was deleted by hand stays deleted, with other settings too`() async throws
  {
    let harness = try harness(1...2)
    _ = try await harness.sync()
    let local = try #require(harness.library.episodes().first)
    try harness.delete("library/\(local.path)")
    // The feed has to change: an unchanged one is not read.
    harness.host["/a"].items.insert(Item(3), at: 0)
    #expect(try await harness.sync().finished == ["Number 3"])
    #expect(try await harness.sync(latest: 6).finished == [])
  }

  @Test(arguments: [0, 3])
  func `a change of all guids is no news, and hides none`(latest: Int) async throws {
    let harness = try harness(1...30)
    _ = try await harness.sync(latest: latest)
    for index in harness.host["/a"].items.indices {
      harness.host["/a"].items[index].guid = "new-\(index)"
    }
    let changed = try await harness.sync(latest: latest)
    #expect(changed.results == ["a": .read] && changed.planned == [])
    harness.host["/a"].items.insert(Item(31), at: 0)
    #expect(try await harness.sync(latest: latest).finished == ["Number 31"])
  }

  @Test(arguments: [(61, 60), (3600, 60), (3600, 1440)])
  func `a change of all guids and dates is no news, and hides none`(
    seconds: Int, minutes: Int
  ) async throws {
    // The harness's day.
    let last = 1_706_700_000
    func list(_ count: Int, _ prefix: String, _ shift: Int = 0) -> [Item] {
      (1...count).reversed().map { number in
        Item(
          number, guid: "\(prefix)-\(number)", title: "News",
          date: Date(timeIntervalSince1970: Double(last - (60 - number) * minutes * 60 + shift))
            .timestamp)
      }
    }
    let harness = try SyncHarness(["/a": Feed(list(50, "old"))])
    try harness.follow("a", "/a", title: "The Feed")
    _ = try await harness.sync()
    harness.host["/a"].items = list(50, "new", seconds)
    let changed = try await harness.sync()
    #expect(changed.results == ["a": .read])
    #expect(changed.events.map(\.plan.episode.guid) == [])
    harness.host["/a"].items = list(51, "new", seconds)
    let next = try await harness.sync()
    #expect(next.finished == ["News"] && harness.host.mediaRequests.last == 51)
  }

  @Test func `a show whose one episode is replaced in place is downloaded each week`() async throws
  {
    let harness = try SyncHarness()
    try harness.follow("a", "/a", title: "The Feed")
    for week in 0..<4 {
      harness.host["/a"] = Feed([Item(1 + 7 * week, guid: "show", title: "The Show")])
      #expect(try await harness.sync().finished == ["The Show"])
      #expect(try await harness.sync().planned == [])
    }
    #expect(harness.host.mediaRequests == [1, 8, 15, 22])
  }

  @Test(arguments: ["06:00:00", "07:30:00", "00:00:00"])
  func `a change of all guids and addresses brings back nothing that was left out`(time: String)
    async throws
  {
    let harness = try harness()
    func items(_ more: Int, _ time: String) -> [Item] {
      (1...8).reversed().map {
        Item(
          $0 + more, guid: "\(more) \($0)", title: "Number \($0)",
          date: "0\($0) Jan 2024 \(time) GMT")
      }
    }
    harness.host["/a"].items = items(0, time == "00:00:00" ? time : "06:00:00")
    _ = try await harness.sync(latest: 2)
    harness.host["/a"].items = items(100, time)
    let changed = try await harness.sync(latest: 2)
    #expect(changed.results == ["a": .read] && changed.planned == [])
    harness.host["/a"].items.insert(Item(9), at: 0)
    #expect(try await harness.sync(latest: 2).finished == ["Number 9"])
  }

  @Test func `titles that were recorded with references stay the same podcast and episodes`()
    async throws
  {
    // Escaped once more, they are what earlier versions recorded.
    func feed(_ escape: String, _ numbers: ClosedRange<Int>) -> Feed {
      Feed(
        title: "Rock &\(escape)amp; Roll",
        numbers.reversed().map {
          Item($0, title: "Tom &\(escape)amp; Number \($0)&\(escape)#8217;s")
        })
    }
    for hasGUIDs in [true, false] {
      let harness = try SyncHarness()
      func serve(_ feed: Feed) {
        var feed = feed
        if !hasGUIDs { for index in feed.items.indices { feed.items[index].guid = nil } }
        harness.host["/a"] = feed
      }
      serve(feed("amp;amp;", 1...8))
      try harness.follow("a", "/a", title: "Rock &amp; Roll")
      let before = try await harness.sync(latest: 3)
      #expect(before.finished.first == "Tom &amp; Number 6&#8217;s")
      #expect(try moves(in: harness.library).isEmpty)
      serve(feed("amp;", 1...9))
      let after = try await harness.sync(latest: 3)
      #expect(after.failures.isEmpty && after.planned == ["Tom & Number 9’s"])
      #expect(after.events.allSatisfy { $0.plan.folder == "Rock &amp; Roll" })
      #expect(after.events.allSatisfy { $0.plan.podcast.title == "Rock & Roll" })
      #expect(try await harness.sync(latest: 4).finished == [])
      // New names are of one folder.
      let moves = try moves(in: harness.library)
      #expect(moves.count == 4 && moves.allSatisfy { $0.to.text.hasPrefix("Rock & Roll/") })
    }
  }

  /// What a renaming by the usual template would move.
  private func moves(in library: Library) throws -> [FileMove] {
    let reading = library.locatedReading(of: .all, recording: false)
    return try library.moves(to: .standard, of: reading.episodes, in: reading)
  }

  @Test func `a page that could not be read is read at the next sync, whatever was new`()
    async throws
  {
    let harness = try harness(1...3)
    _ = try await harness.sync(latest: 1)
    harness.host["/a"] = Feed((10...16).reversed().map { Item($0) })
    harness.host["/a"].head = "<atom:link rel=\"next\" href=\"/missing\"/>"
    let cut = try await harness.sync(latest: 1)
    #expect(cut.finished.count == 7 && cut.failures.map(\.error.code) == [.httpStatus])
    harness.host["/missing"] = Feed((3...9).reversed().map { Item($0) })
    #expect(try await harness.sync(latest: 1).finished.count == 6)
    #expect(try await harness.sync(latest: 1).planned == [])
  }

  /// 60 episodes of one day.
  private let many = (0..<60).map { number in
    Item(100 + number, date: "05 Jan 2024 10:\(number < 10 ? "0" : "")\(number):00 GMT")
  }

  @Test func `very many new episodes at once wait until a person accepts them`() async throws {
    let harness = try harness(1...3)
    _ = try await harness.sync(latest: 2)
    let old = harness.host["/a"].items
    harness.host["/a"].items = many + old
    let flood = try await harness.sync(latest: 2)
    #expect(flood.results == ["a": .read] && flood.planned == [])
    #expect(flood.checks.first?.waiting == 60 && flood.checks.first?.newlyWaiting == 60)
    let again = try await harness.sync(latest: 2)
    #expect(again.results == ["a": .unchanged] && again.checks.first?.waiting == 60)
    #expect(again.checks.first?.newlyWaiting == 0)

    harness.host["/a"].items = [Item(31)] + many + old
    let one = try await harness.sync(latest: 2)
    #expect(one.finished == ["Number 31"] && one.checks.first?.waiting == 60)
    harness.host["/a"].items = [Item(31)] + old
    #expect(try await harness.sync(latest: 2).planned == [])
    harness.host["/a"].items = [Item(31)] + many + old
    #expect(try await harness.sync(latest: 2).checks.first?.waiting == 60)

    let dry = try await harness.sync(latest: 2, accepts: true, isDryRun: true)
    #expect(dry.planned.count == 60)
    let accepted = try await harness.sync(latest: 2, accepts: true)
    #expect(accepted.finished.count == 60 && accepted.checks.first?.waiting == 0)
    let end = try await harness.sync(latest: 2)
    #expect(end.results == ["a": .unchanged] && end.checks.first?.waiting == 0)
  }

  @Test func `what waits on further pages is accepted too`() async throws {
    let harness = try harness(1...3)
    _ = try await harness.sync()
    let old = harness.host["/a"].items
    harness.host["/a"].items = Array(many.prefix(30))
    harness.host["/a"].head = "<atom:link rel=\"next\" href=\"/a2\"/>"
    harness.host["/a2"] = Feed(Array(many.dropFirst(30)) + old)
    #expect(try await harness.sync().checks.first?.waiting == 60)
    harness.host["/a"].items.insert(Item(31), at: 0)
    let one = try await harness.sync()
    #expect(one.finished == ["Number 31"] && one.checks.first?.waiting == 60)
    #expect(try await harness.sync(accepts: true).finished.count == 60)
  }

  @Test func `the first sync, and one with other settings, take what was asked for`() async throws {
    let harness = try SyncHarness(["/a": Feed(many)])
    try harness.follow("a", "/a", title: "The Feed")
    let first = try await harness.sync(latest: 2, isDryRun: true)
    #expect(first.planned.count == 2)
    #expect(try await harness.sync(latest: nil, isDryRun: true).planned.count == 60)
    _ = try await harness.sync(latest: 2)
    #expect(try await harness.sync(latest: nil, isDryRun: true).planned.count == 58)
  }

  @Test func `a stale copy of the feed makes no episode new again`() async throws {
    let harness = try harness(1...30)
    let right = harness.host["/a"].items
    _ = try await harness.sync(latest: 2)
    for stale in [right[20...], right[...0], right[10..<20]] {
      harness.host["/a"].items = Array(stale)
      #expect(try await harness.sync(latest: 2).planned == [])
      harness.host["/a"].items = right
      #expect(try await harness.sync(latest: 2).planned == [])
    }
    harness.host["/a"].items.insert(Item(31), at: 0)
    #expect(try await harness.sync(latest: 2).finished == ["Number 31"])
  }

  @Test func `other settings need the complete feed`() async throws {
    let harness = try harness()
    _ = try await harness.sync(latest: 1)
    let second = try await harness.sync(latest: nil)
    #expect(second.results == ["a": .read])
    #expect(second.finished.count == 7)
    #expect(harness.host.feedRequests[1].request.first("If-None-Match") == nil)
  }

  @Test func `a failing feed is one failure and delays no other`() async throws {
    let harness = try harness()
    harness.host["/b"] = .error(500)
    try harness.follow("b", "/b")
    let report = try await harness.sync(latest: 1)
    #expect(report.failures.map(\.name) == ["b"])
    #expect(report.failures.first?.error.httpStatus == 500)
    #expect(report.finished == ["Number 8"])
    #expect(try harness.state("b")?.failures == 1)
  }

  @Test func `episodes download while another feed is still being read`() async throws {
    let harness = try harness()
    harness.host["/b"] = Feed(title: "Other", [Item(9)])
    harness.host["/b"].isHeld = true
    try harness.follow("b", "/b", title: "Other")
    var finishedBefore = 0
    let report = try await harness.sync(latest: 2) { event, _ in
      guard case .episode(let event) = event, case .finished = event.kind else { return }
      if harness.host["/b"].isHeld { finishedBefore += 1 }
      if finishedBefore == 2 { harness.host["/b"].isHeld = false }
    }
    #expect(finishedBefore == 2)
    #expect(report.finished == ["Number 7", "Number 8", "Number 9"])
  }

  @Test(arguments: [
    ("<html><body>Please log in</body></html>", PodgetError.Code.decoding),
    ("<rss version=\"2.0\"><channel><title>The Feed</title>", .decoding),
    ("<rss version=\"2.0\"><channel><title>The Feed</title></channel></rss>", .decoding),
    ("", .emptyBody),
  ])
  func `a bad answer changes nothing, and the next request is unconditional`(
    body: String, code: PodgetError.Code
  ) async throws {
    let harness = try harness(1...3)
    _ = try await harness.sync()
    let good = harness.host["/a"]
    harness.host["/a"].body = body
    let bad = try await harness.sync()
    #expect(bad.failures.map(\.error.code) == [code] && bad.checks.isEmpty)
    harness.host["/a"] = good
    harness.host["/a"].items.insert(Item(4), at: 0)
    let third = try await harness.sync()
    #expect(third.finished == ["Number 4"])
    #expect(harness.host.feedRequests.last?.request.first("If-None-Match") == nil)
  }

  @Test func `another podcast at the address is a failure`() async throws {
    let harness = try harness(1...3)
    _ = try await harness.sync()
    harness.host["/a"] = Feed(
      title: "Tech 411", [Item(50, guid: "x", date: "01 Jan 2020 00:00:00 GMT")])
    let report = try await harness.sync()
    #expect(report.failures.count == 1 && report.planned.isEmpty)
    #expect(try harness.state("a")?.listed.count == 3)
  }

  @Test func `a dry run plans and stores nothing`() async throws {
    let harness = try harness(1...3)
    let before = harness.folder.files
    let report = try await harness.sync(isDryRun: true)
    #expect(report.planned.count == 3 && report.finished.isEmpty)
    #expect(harness.folder.files.filter { !$0.hasSuffix(".sqlite") } == before)
  }

  @Test func `what was planned and not finished is continued`() async throws {
    let harness = try harness(1...2)
    harness.host.isMediaHeld = true
    _ = try await harness.sync { event, run in
      guard case .episode(let event) = event, case .started = event.kind else { return }
      await run.cancel()
    }
    harness.host.isMediaHeld = false
    let second = try await harness.sync()
    #expect(second.finished == ["Number 1", "Number 2"])
  }

  @Test func `a cancelled sync remembers no feed whose episodes are not recorded`() async throws {
    let harness = try harness(1...3)
    harness.host["/b"] = Feed(title: "Other", [Item(9)])
    harness.host["/b"].isHeld = true
    try harness.follow("b", "/b", title: "Other")
    _ = try await harness.sync { event, run in
      if case .checked = event { await run.cancel() }
    }
    harness.host["/b"].isHeld = false
    let second = try await harness.sync()
    #expect(second.finished == ["Number 1", "Number 2", "Number 3", "Number 9"])
  }

  @Test func `the first episodes of a feed that was empty are new`() async throws {
    let harness = try SyncHarness(["/a": Feed([])])
    try harness.follow("a", "/a", title: "The Feed")
    _ = try await harness.sync(latest: 0)
    harness.host["/a"].items = [Item(2), Item(1)]
    #expect(try await harness.sync(latest: 0).finished == ["Number 1", "Number 2"])
  }

  @Test func `episodes of one feed with one guid and address are all downloaded`() async throws {
    let harness = try SyncHarness()
    let items = (1...2).map { number in
      "<item><title>Day \(number)</title><guid>same</guid>"
        + "<pubDate>0\(number) Jan 2024 06:00:00 GMT</pubDate>"
        + "<enclosure url=\"/media/1.mp3\" type=\"audio/mpeg\"/></item>"
    }
    var feed = Feed()
    feed.body =
      "<rss version=\"2.0\"><channel><title>The Feed</title>\(items.joined())</channel></rss>"
    harness.host["/a"] = feed
    try harness.follow("a", "/a", title: "The Feed")
    #expect(try await harness.sync().finished == ["Day 1", "Day 2"])
  }

  @Test func `two podcasts with one title have their episodes of one title and day`() async throws {
    // More than are looked up one by one.
    let names = (0..<7).map { "f\($0)" }
    func feed(_ place: Int, _ days: ClosedRange<Int>) -> FeedHost.Feed {
      FeedHost.Feed(
        title: "News",
        days.reversed().map { day in
          FeedHost.Item(
            100 * place + day, title: "The News", date: "\(day + 10) Jan 2024 06:00:00 GMT")
        })
    }
    let harness = try SyncHarness(
      Dictionary(uniqueKeysWithValues: names.indices.map { ("/f\($0)", feed($0, 1...2)) }))
    for name in names { try harness.follow(name, "/\(name)", title: "News") }
    #expect(try await harness.sync().finished.count == 14)
    for place in names.indices { harness.host["/f\(place)"] = feed(place, 1...3) }
    #expect(try await harness.sync().finished.count == 7)
    #expect(Set(harness.host.mediaRequests).count == 21)
    // Not all have their news at once.
    for place in names.indices {
      harness.host["/f\(place)"] = feed(place, 1...4)
      #expect(try await harness.sync().finished == ["The News"], "\(place)")
    }
    #expect(try await harness.sync().finished.isEmpty)
    #expect(harness.host.mediaRequests.count == 28 && Set(harness.host.mediaRequests).count == 28)
  }

  @Test func `one podcast under two addresses is downloaded once`() async throws {
    let harness = try harness(1...2)
    harness.host["/copy"] = harness.host["/a"]
    try harness.follow("copy", "/copy", title: "The Feed")
    let report = try await harness.sync()
    #expect(report.finished == ["Number 1", "Number 2"])
    #expect(harness.host.mediaRequests.sorted() == [1, 2])
  }

  @Test func `a further page that cannot be read hides nothing`() async throws {
    let harness = try harness(1...2)
    harness.host["/a"].head = "<atom:link rel=\"next\" href=\"/missing\"/>"
    let first = try await harness.sync(latest: nil)
    #expect(first.finished == ["Number 1", "Number 2"] && first.results == ["a": .read])
    #expect(first.failures.count == 1)
    #expect(
      first.failures.first?.error.message.hasPrefix("Page 2 of the feed could not be read: ")
        == true)
    harness.host["/missing"] = Feed([Item(5, date: "01 Jan 2023 00:00:00 GMT")])
    let second = try await harness.sync(latest: nil)
    #expect(second.finished == ["Number 5"] && second.failures.isEmpty)
  }

  @Test func `after a long absence further pages are read until a known episode`() async throws {
    let harness = try harness(1...3)
    _ = try await harness.sync()
    func page(_ items: ClosedRange<Int>, next: String?) -> Feed {
      var feed = Feed(items.reversed().map { Item($0) })
      feed.head = next.map { "<atom:link rel=\"next\" href=\"\($0)\"/>" } ?? ""
      return feed
    }
    harness.host["/a"] = page(10...12, next: "/a2")
    harness.host["/a2"] = page(7...9, next: "/a3")
    harness.host["/a3"] = page(3...6, next: "/a4")
    let second = try await harness.sync()
    #expect(second.results == ["a": .read])
    #expect(second.finished.count == 9)
    #expect(harness.host.feedRequests.map(\.path) == ["/a", "/a", "/a2", "/a3"])
  }
}
