import Foundation
import LoopbackServer
import PodcastLibrary
import PodcastModel
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// What happens to subscriptions that nobody looks at for a long time.
@Suite("Following for years") struct SyncYearsTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let harness: SyncHarness

  init() throws { harness = try SyncHarness.followingOne() }

  private func address(_ path: String) -> String { harness.address(path) }

  private func announce(_ path: String, at other: String) { harness.announce(path, at: other) }

  private var dueOnly: SyncOptions {
    var options = SyncOptions()
    options.asksDueOnly = true
    return options
  }

  // MARK: Deferrals and logins

  @Test func `a sync that names a deferred feed asks it`() async throws {
    _ = try await harness.sync()
    let good = harness.host["/a"]
    harness.host["/a"] = .error(503, retryAfter: "7200")
    #expect(try await harness.sync().results == ["a": .deferred])
    harness.host["/a"] = good
    #expect(try await harness.sync().results == ["a": .deferred])
    #expect(try await harness.sync(names: ["a"]).results == ["a": .unchanged])
    #expect(try await harness.sync().results == ["a": .unchanged])
  }

  @Test func `a deferred feed is reported once by rounds`() async throws {
    harness.host["/a"] = .error(503, retryAfter: "7200")
    #expect(try await harness.sync(options: dueOnly).results == ["a": .deferred])
    let next = try await harness.sync(options: dueOnly)
    #expect(next.checks.isEmpty)
    #expect(next.outcome.nextCheck == harness.now.addingTimeInterval(7200))
  }

  @Test func `a refused login is tried again when somebody may have changed it`() async throws {
    _ = try await harness.sync()
    harness.host.authorization = "Basic dXNlcjpwYXNz"
    #expect(try await harness.sync().failures.map(\.error.httpStatus) == [401])
    harness.host.authorization = nil
    #expect(try await harness.sync(options: dueOnly).checks.isEmpty)
    var again = dueOnly
    again.retriesLogins = true
    #expect(try await harness.sync(options: again).results == ["a": .unchanged])
  }

  // MARK: The network

  @Test func `a dead host that is due alone backs off`() async throws {
    let other = try FeedHost(["/x": Feed(title: "X", [Item(9)])])
    try harness.file.update { list in
      list.add(Subscription(name: "x", title: "X", feedURL: FeedURL("\(other.origin)/x")))
    }
    _ = try await harness.sync()
    other.stop()
    harness.pass(.seconds(90_000))
    // The other one is not due.
    let state = try #require(try harness.state("a"))
    var later = state
    later.nextCheck = harness.now.addingTimeInterval(3600)
    let first = try #require(try harness.subscriptions.first?.firstURL)
    try FeedStateLog(harness.library).append([FeedLine(first, later)])
    let report = try await harness.sync(options: dueOnly)
    #expect(report.failures.map(\.name) == ["x"] && report.sources.isEmpty)
    #expect(!report.outcome.isNetworkDown)
    let next = try #require(try harness.state("x")?.nextCheck)
    #expect(next.timeIntervalSince(harness.now) > 3000)
  }

  @Test func `two dead hosts of four back off when only they are due`() async throws {
    let others = try ["x", "y", "z"].map { name in
      (name: name, host: try FeedHost(["/\(name)": Feed(title: name, [Item(9)])]))
    }
    try harness.file.update { list in
      for (name, host) in others {
        list.add(
          Subscription(name: name, title: name, feedURL: FeedURL("\(host.origin)/\(name)")))
      }
    }
    _ = try await harness.sync()
    for (_, host) in others.prefix(2) { host.stop() }
    harness.pass(.seconds(90_000))
    // The others answer, so it is not the network.
    #expect(try await harness.sync(options: dueOnly).failures.map(\.name).sorted() == ["x", "y"])
    var waits: [Double] = []
    for _ in 0..<3 {
      // Only the dead ones are due, each time in another process.
      let next = try #require(try harness.state("x")?.nextCheck)
      let other = try #require(try harness.state("y")?.nextCheck)
      waits.append(next.timeIntervalSince(harness.now))
      harness.pass(.seconds(max(next, other).timeIntervalSince(harness.now) + 1))
      let report = try await harness.sync(options: dueOnly)
      #expect(report.stillFailing.sorted() == ["x", "y"])
      #expect(report.sources.isEmpty && !report.outcome.isNetworkDown)
    }
    #expect(waits[1] > 1.5 * waits[0] && waits[2] > 1.5 * waits[1], "\(waits)")
    #expect(try harness.state("x")?.failures == 4)
  }

  // MARK: Moves

  @Test func `a move that cannot be written is made by the next sync`() async throws {
    _ = try await harness.sync()
    harness.host["/new"] = harness.host["/a"]
    announce("/a", at: "/new")
    let lock = harness.folder.path("library/.podget/subscriptions.opml.lock")
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    let failed = try await harness.sync()
    #expect(failed.notes.contains { $0.hasPrefix("Subscriptions could not be moved") })
    try FileManager.default.removeItem(atPath: lock)
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/a")])
    // The feed has not changed.
    _ = try await harness.sync()
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/new")])
    #expect(try harness.state("a")?.announcement == nil)
  }

  @Test func `a redirect whose move cannot be written is not forgotten`() async throws {
    _ = try await harness.sync()
    harness.host["/new"] = harness.host["/a"]
    harness.host["/a"] = .redirect(301, to: "/new")
    _ = try await harness.sync()
    harness.pass(.seconds(90_000))
    let lock = harness.folder.path("library/.podget/subscriptions.opml.lock")
    try FileManager.default.removeItem(atPath: lock)
    try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
    _ = try await harness.sync()
    try FileManager.default.removeItem(atPath: lock)
    _ = try await harness.sync()
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/new")])
    #expect(try harness.state("a")?.move == nil)
  }

  @Test func `an address that waits for a person is asked once a day`() async throws {
    harness.host["/b"] = Feed(title: "Other", [Item(2), Item(12)])
    try harness.follow("b", "/b", title: "Other")
    announce("/a", at: "/b")
    _ = try await harness.sync()
    #expect(try harness.state("a")?.waitingMove?.text == address("/b"))
    for number in 4..<8 {
      // It changes, and so does not say at each check that it is as it was.
      harness.host["/a"].items.insert(Item(number), at: 0)
      harness.pass(.seconds(3600))
      _ = try await harness.sync(names: ["a"])
    }
    #expect(harness.host.feedRequests.count { $0.path == "/b" } == 2)
    harness.pass(.seconds(90_000))
    _ = try await harness.sync(names: ["a"])
    #expect(harness.host.feedRequests.count { $0.path == "/b" } == 3)
    #expect(try harness.state("a")?.waitingMove?.text == address("/b"))
  }

  @Test func `two feeds that announce each other move once, and say so once`() async throws {
    harness.host["/b"] = harness.host["/a"]
    announce("/a", at: "/b")
    announce("/b", at: "/a")
    _ = try await harness.sync()
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/b")])
    var said: [String] = []
    for _ in 0..<4 {
      harness.pass(.seconds(90_000))
      said += try await harness.sync().notes
    }
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/b")])
    #expect(said.count == 1 && said.first?.contains("moved back to \(address("/a"))") == true)
    #expect(try harness.state("a")?.waitingMove?.text == address("/a"))
  }

  @Test func `a subscription that is pinned stays, and says nothing`() async throws {
    _ = try await harness.sync()
    try harness.file.update { list in
      guard var subscription = list.named("a") else { return }
      subscription.settings[.move] = "never"
      list.replace(subscription)
    }
    harness.host["/new"] = harness.host["/a"]
    announce("/a", at: "/new")
    let report = try await harness.sync()
    #expect(report.results == ["a": .read] && report.notes.isEmpty)
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/a")])
    #expect(harness.host.feedRequests.allSatisfy { $0.path == "/a" })
  }

  @Test func `a move is undone, and is not made again`() async throws {
    _ = try await harness.sync()
    harness.host["/new"] = harness.host["/a"]
    announce("/a", at: "/new")
    _ = try await harness.sync()
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/new")])
    let changes = try Subscriber.undoMoves(of: ["a", "b"], in: harness.library)
    #expect(changes.map(\.status) == [.updated, .failed])
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/a")])
    harness.host["/a"].items.insert(Item(4), at: 0)
    let report = try await harness.sync()
    #expect(report.results == ["a": .read] && report.notes.count == 1)
    #expect(try harness.subscriptions.map(\.feedURL.text) == [address("/a")])
  }

  // MARK: The queue by time

  @Test func `a clock that is set back lets no feed wait`() async throws {
    let harness = harness
    let asked = Mutex<[Int]>([])
    _ = try await harness.watch(latest: 5, step: .seconds(3600)) {
      let round = asked.withLock { asked in
        asked.append(harness.host.feedRequests.count)
        return asked.count
      }
      // For one round it is nine days ahead.
      if round == 2 { harness.pass(.seconds(9 * 86_400)) }
      if round == 3 { harness.pass(.seconds(-9 * 86_400)) }
      return round < 5
    }
    #expect(asked.withLock { $0 } == [0, 1, 2, 3, 4])
  }

  @Test func `a time that a wrong clock gave does not count, also if no host answered`()
    async throws
  {
    _ = try await harness.sync()
    var state = try #require(try harness.state("a"))
    state.nextCheck = harness.now.addingTimeInterval(30 * 86_400)
    try FeedStateLog(harness.library).append([FeedLine(harness.address("/a"), state)])
    harness.host.stop()
    let (harness, start) = (harness, harness.now)
    let rounds = Mutex(0)
    _ = try await harness.watch(latest: 5, step: .seconds(60)) {
      rounds.withLock { rounds in
        rounds += 1
        return rounds < 4
      }
    }
    #expect(harness.now < start.addingTimeInterval(3600))
  }

  @Test func `what another process says of a feed counts in the next round`() async throws {
    harness.host["/b"] = Feed(title: "B", [Item(9)])
    try harness.follow("b", "/b")
    let harness = harness
    let rounds = Mutex(0)
    _ = try await harness.watch(latest: 5, step: .seconds(60)) {
      let round = rounds.withLock { rounds in
        rounds += 1
        return rounds
      }
      // The second round reads all states, since there was no file before.
      guard round == 3 else { return round < 4 }
      // Only the first feed is due; the other one is now asked again, as after podget subscribe.
      do {
        var state = try #require(try harness.state("b"))
        state.nextCheck = nil
        try FeedStateLog(harness.library).append([FeedLine(harness.address("/b"), state)])
      } catch {
        Issue.record(error)
      }
      return true
    }
    #expect(harness.host.feedRequests.map(\.path).sorted() == ["/a", "/a", "/a", "/b", "/b"])
  }

  @Test func `a wait that another process has ended lets all feeds of the origin be asked`()
    async throws
  {
    let other = try FeedHost(["/c": Feed(title: "C", [Item(9)])])
    harness.host["/b"] = Feed(title: "B", [Item(5)])
    try harness.follow("b", "/b")
    try harness.file.update { list in
      var subscription = Subscription(
        name: "c", title: "C", feedURL: FeedURL("\(other.origin)/c"))
      subscription.settings[.interval] = "1h"
      list.add(subscription)
    }
    var state = FeedState()
    state.notBefore = harness.now.addingTimeInterval(20 * 3600)
    state.deferredOrigin = harness.host.origin
    try FeedStateLog(harness.library).append([FeedLine(harness.address("/a"), state)])
    let harness = harness
    let asked = Mutex<[Int]>([])
    _ = try await harness.watch(latest: 5, step: .seconds(60)) {
      let round = asked.withLock { asked in
        asked.append(harness.host.feedRequests.count)
        return asked.count
      }
      // As podget sync NAME does, after a good answer.
      if round == 3 {
        do {
          try FeedStateLog(harness.library).append([FeedLine(harness.address("/a"), FeedState())])
        } catch {
          Issue.record(error)
        }
      }
      return round < 5
    }
    #expect(asked.withLock { Array($0.prefix(4)) } == [0, 0, 0, 2])
    #expect(harness.host.feedRequests.prefix(2).map(\.path).sorted() == ["/a", "/b"])
  }

  // MARK: Refreshing

  @Test func `a refresh reads the whole feed, believes it and floods nothing`() async throws {
    var refresh = SyncOptions()
    refresh.refreshes = true
    _ = try await harness.sync()
    #expect(try await harness.sync(names: ["a"], options: refresh).results == ["a": .read])
    #expect(harness.host.feedRequests.last?.request.first("If-None-Match") == nil)
    // All episodes are other ones, and the title too.
    harness.host["/a"] = Feed(
      title: "Renamed", [Item(25), Item(24), Item(11, date: "Mon, 02 Jan 2012")])
    #expect(try await harness.sync(names: ["a"]).failures.map(\.error.code) == [.decoding])
    let report = try await harness.sync(names: ["a"], options: refresh)
    #expect(report.finished == ["Number 24", "Number 25"] && report.failures.isEmpty)
    harness.host["/a"].items.insert(Item(26), at: 0)
    #expect(try await harness.sync().finished == ["Number 26"])
    // What was listed before is not new again.
    harness.host["/a"].items += [Item(3), Item(2), Item(1)]
    #expect(try await harness.sync(names: ["a"], options: refresh).planned.isEmpty)
  }

  @Test func `a refresh asks a feed that has ended, and one that is deferred`() async throws {
    var refresh = SyncOptions()
    refresh.refreshes = true
    _ = try await harness.sync()
    let good = harness.host["/a"]
    harness.host["/a"] = .error(410)
    for _ in 0..<2 {
      _ = try await harness.sync()
      harness.pass(.seconds(90_000))
    }
    #expect(try harness.state("a")?.isGone == true)
    // It still has ended.
    #expect(try await harness.sync(names: ["a"], options: refresh).failures.count == 1)
    #expect(try harness.state("a")?.isGone == false)
    harness.host["/a"] = good
    #expect(try await harness.sync(names: ["a"], options: refresh).results == ["a": .read])
    #expect(try harness.state("a")?.failures == 0)
  }

  // MARK: Settings

  @Test func `what is paused is asked only when it is named`() async throws {
    _ = try Subscriber.pause(["a"], true, in: harness.library)
    #expect(try await harness.sync().checks.isEmpty)
    #expect(try FollowedPodcast.all(in: harness.library).map(\.status) == [.paused])
    #expect(try await harness.sync(names: ["a"]).results == ["a": .read])
    #expect(try Subscriber.pause(["a"], false, in: harness.library).map(\.status) == [.updated])
    #expect(try Subscriber.pause(["a"], false, in: harness.library).map(\.status) == [.unchanged])
    #expect(try await harness.sync().results == ["a": .unchanged])
  }

  @Test func `only feeds in a category, and only what is due`() async throws {
    harness.host["/b"] = Feed(title: "B", [Item(9)])
    try harness.follow("b", "/b")
    try harness.file.update { list in
      guard var subscription = list.named("b") else { return }
      subscription.categories = ["News/Radio"]
      list.replace(subscription)
    }
    var options = SyncOptions()
    options.categories = ["news"]
    #expect(try await harness.sync(options: options).results == ["b": .read])
    options.categories = ["news/radio/x", "talk"]
    let none = try await harness.sync(options: options)
    #expect(none.checks.isEmpty && none.sources.map(\.source) == ["news/radio/x", "talk"])
    #expect(try await harness.sync(options: dueOnly).results == ["a": .read])
    #expect(try await harness.sync(options: dueOnly).checks.isEmpty)
    _ = try Subscriber.pause(["b"], true, in: harness.library)
    options.categories = ["news"]
    let paused = try await harness.sync(options: options)
    #expect(paused.sources.map(\.error.remedy) == [.unpause])
    #expect(paused.sources.first?.error.message.contains("are paused") == true)
  }

  @Test func `a mistake in the list is said when it is made, and not in each round`() async throws {
    let harness = harness
    let path = harness.folder.path("library/.podget/subscriptions.opml")
    @Sendable func edit(_ old: String, _ new: String) {
      do {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(old))
        try text.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
      } catch {
        Issue.record(error)
      }
    }
    let report = try await harness.syncRounds { number in
      switch number {
      case 3: edit("<outline ", "<outline podget:lastest=\"3\" ")
      case 6: edit("<outline podget:lastest=\"3\" ", "<outline ")
      case 8: edit("<outline ", "<outline podget:lastest=\"3\" ")
      case 10: edit("</opml>", "</opm>")
      case 13: edit("</opm>", "</opml>")
      default: break
      }
      return number < 16
    }
    #expect(report.notes.count == 2, "\(report.notes)")
    #expect(report.notes.allSatisfy { $0.contains("lastest") })
    #expect(report.sources.map(\.source) == ["subscriptions.opml"])
  }

  @Test func `settings that cannot be used are said when they are made`() async throws {
    let harness = harness
    let report = try await harness.syncRounds(
      next: { number in
        if number == 3 || number == 7 {
          do {
            try harness.file.update { list in
              guard var subscription = list.named("a") else { return }
              subscription.settings[.since] = number == 3 ? "2024-01-02" : "2024-01-03"
              subscription.settings[.until] = "2024-01-01"
              list.replace(subscription)
            }
          } catch {
            Issue.record(error)
          }
        }
        return number < 10
      })
    #expect(report.failures.map(\.name) == ["a", "a"])
  }

  @Test func `a feed that goes on failing is news once a week, and when its error is another one`()
    async throws
  {
    _ = try await harness.sync()
    harness.host["/a"] = .error(404)
    var options = dueOnly
    options.interval = .seconds(86_400)
    var news: [Int] = []
    for day in 1...16 {
      harness.pass(.seconds(86_400))
      if day == 12 { harness.host["/a"] = .error(403) }
      let report = try await harness.sync(options: options)
      #expect(report.failures.count + report.stillFailing.count == 1)
      if !report.failures.isEmpty { news.append(day) }
    }
    #expect(news == [1, 8, 12])
    #expect(try await harness.sync().failures.count == 1)
  }

  // MARK: Unfinished episodes

  @Test func `an unfinished episode is asked for where the feed lists it now`() async throws {
    harness.host.missingMedia = [2]
    _ = try await harness.sync()
    // Its time has not come; the new address is tried all the same.
    harness.host["/a"].items[1] = Item(20, guid: "guid-2", title: "Number 2", date: nil)
    harness.host["/a"].items[1].date = Item(2).date
    #expect(try await harness.sync().finished == ["Number 2"])
    #expect(harness.host.mediaRequests.count { $0 == 2 } == 1)
    #expect(harness.host.mediaRequests.last == 20)
  }

  @Test func `an unfinished episode whose address is signed anew is not tried at each check`()
    async throws
  {
    harness.host.missingMedia = [2]
    _ = try await harness.sync()
    let asked = harness.host.mediaRequests.count { $0 == 2 }
    for number in 0..<4 {
      harness.host["/a"].items[1].query = "signature=\(number)"
      _ = try await harness.sync()
    }
    #expect(harness.host.mediaRequests.count { $0 == 2 } == asked)
    harness.pass(.seconds(1000))
    harness.host.missingMedia = []
    harness.host["/a"].items[1].query = "signature=5"
    #expect(try await harness.sync().finished == ["Number 2"])
  }

  @Test func `an unfinished episode waits for the answer of its feed`() async throws {
    let harness = harness
    harness.host.isMediaHeld = true
    _ = try await harness.sync { event, run in
      if case .episode(let event) = event, case .planned = event.kind { await run.cancel() }
    }
    harness.host.isMediaHeld = false
    let asked = harness.host.mediaRequests.count
    for (place, number) in [3, 2, 1].enumerated() {
      var item = Item(number + 20, guid: "guid-\(number)", title: "Number \(number)")
      item.date = Item(number).date
      harness.host["/a"].items[place] = item
    }
    let report = try await harness.sync()
    #expect(report.finished == ["Number 1", "Number 2", "Number 3"])
    #expect(harness.host.mediaRequests.dropFirst(asked).sorted() == [21, 22, 23])
  }

  @Test func `the last time that an episode is tried is said`() async throws {
    harness.host.missingMedia = [2]
    var said: [String] = []
    for _ in 0..<20 {
      said += try await harness.sync().notes
      harness.pass(.seconds(90_000))
    }
    #expect(said.count == 1)
    #expect(said.first?.hasPrefix("Number 2 has been failing for two weeks.") == true)
    let asked = harness.host.mediaRequests.count { $0 == 2 }
    #expect((13...16).contains(asked))
    // A user who names the podcast tries it again.
    harness.host.missingMedia = []
    #expect(try await harness.sync(names: ["a"]).finished == ["Number 2"])
  }

  @Test func `an episode that failed in a run rests before it is tried again in the run`() throws {
    let failed = FailedDownloads()
    let podcast = Podcast(title: "A")
    let episode = SyncPieces.episode("1")
    let plan = DownloadPlan(
      key: EpisodeIdentity.key(podcast: podcast, episode: episode), podcast: podcast,
      episode: episode, folder: "A", stem: "1", announcedExtension: "mp3")
    let error = PodgetError(.httpStatus, "Busy.", httpStatus: 503)
    failed.note(DownloadEvent(plan, .failed(error)), at: SyncPieces.hour(0))
    #expect(failed.resting(at: SyncPieces.hour(0.2)) == [plan.key])
    #expect(failed.resting(at: SyncPieces.hour(0.25)) == [])
    // Two days later it waits a day, and never longer.
    failed.note(DownloadEvent(plan, .failed(error)), at: SyncPieces.hour(48))
    #expect(failed.resting(at: SyncPieces.hour(71)) == [plan.key])
    #expect(failed.resting(at: SyncPieces.hour(72)) == [])
    failed.note(DownloadEvent(plan, .failed(error)), at: SyncPieces.hour(24 * 40))
    #expect(failed.resting(at: SyncPieces.hour(24 * 41)) == [])
    failed.note(DownloadEvent(plan, .cancelled(received: 0)), at: SyncPieces.hour(24 * 40.5))
    #expect(failed.resting(at: SyncPieces.hour(24 * 40.5)) == [plan.key])
  }
}
