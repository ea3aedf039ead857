import Foundation
import LoopbackServer
import PodcastLibrary
import PodcastModel
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// Slow servers and commands that do not end: no feed waits for another one, and a round ends.
@Suite("Sync and deadlines", .timeLimit(.minutes(5))) struct SyncDeadlineTests {
  private typealias Item = FeedHost.Item
  private typealias Feed = FeedHost.Feed

  private let harness: SyncHarness
  private let clock = SteppedClock()

  init() throws { harness = try SyncHarness() }

  private func path(_ number: Int) -> String { "/feed\(number)" }

  /// Follows feeds that are not changed by a test, each with an episode of its own.
  private func followHealthy(_ numbers: ClosedRange<Int>) throws {
    for number in numbers {
      harness.host[path(number)] = Feed(title: "Feed \(number)", [Item(number)])
      try harness.follow("feed\(number)", path(number), title: "Feed \(number)")
    }
  }

  /// Follows a feed of another origin, which no limit of the healthy ones concerns.
  private func follow(_ name: String, at address: String, command: String? = nil) throws {
    try harness.file.update { list in
      var subscription = Subscription(name: name, title: name, feedURL: "\(address)")
      if let command {
        subscription.settings[.user] = "ada"
        subscription.settings[.passwordCommand] = command
      }
      list.add(subscription)
    }
  }

  /// Syncs, and moves the clock on when nothing but the clock is waited for.
  ///
  /// - Parameters:
  ///   - sleepers: when those end that wait for the clock then.
  ///   - isReady: whether everything else has happened.
  private func sync(
    latest: Int? = 5, retries: Int = 0, until sleepers: [Duration], passing time: Duration,
    isReady: @escaping @Sendable () -> Bool, then change: () -> Void = {}
  ) async throws -> SyncHarness.Report {
    async let report = harness.sync(latest: latest, retries: retries, clock: clock)
    try await waitUntil("only the clock is waited for", seen: { "\(clock.deadlines)" }) {
      isReady() && clock.deadlines == sleepers
    }
    change()
    clock.advance(by: time)
    return try await report
  }

  /// A server that sends a byte now and then, which is no stall.
  private static func slowServer() throws -> LoopbackServer {
    try LoopbackServer { request, connection in
      guard request.path != "/moved" else {
        connection.respond(status: 302, fields: [.init("Location", "/feed")])
        return
      }
      connection.writeHead(status: 200, fields: [.init("Content-Type", "text/xml")])
      connection.pace(Array(repeating: 0x20, count: 100_000), rate: 20)
    }
  }

  @Test func `a feed that never ends is a failure after its time, and delays no other`()
    async throws
  {
    let slow = try Self.slowServer()
    for name in ["slow1", "slow2"] { try follow(name, at: "\(slow.origin)/\(name)") }
    try followHealthy(1...20)
    let host = harness.host
    let report = try await sync(
      until: [.seconds(600), .seconds(600)], passing: .seconds(600),
      isReady: { host.feedRequests.count == 20 && slow.log.count == 2 })
    #expect(Set(report.results.keys) == Set((1...20).map { "feed\($0)" }))
    #expect(Set(report.failures.map(\.name)) == ["slow1", "slow2"])
    #expect(report.failures.allSatisfy { $0.error.code == .timeout })
    let state = try #require(try harness.state("slow1"))
    #expect(state.failures == 1 && state.nextCheck.map { $0 > harness.now } == true)
  }

  @Test func `a feed that never ends backs off, also when it is asked alone`() async throws {
    let slow = try Self.slowServer()
    try follow("slow", at: "\(slow.origin)/moved")
    let report = try await sync(
      until: [.seconds(600)], passing: .seconds(600), isReady: { slow.log.count == 2 })
    #expect(report.failures.map(\.error.code) == [.timeout])
    #expect(!report.outcome.isNetworkDown)
    #expect(try harness.state("slow")?.failures == 1)
  }

  @Test func `a host that answers nothing at all may be the network`() async throws {
    try followHealthy(1...1)
    harness.host[path(1)].isHeld = true
    let host = harness.host
    let report = try await sync(
      until: [.seconds(600)], passing: .seconds(600), isReady: { host.log.count == 1 })
    #expect(report.failures.map(\.error.code) == [.timeout])
    #expect(report.outcome.isNetworkDown)
    #expect(try harness.state("feed1") == nil)
    harness.host[path(1)].isHeld = false
  }

  @Test func `whoever waits for a Retry-After holds no place`() async throws {
    // They would take all places.
    let busy = try (0..<4).map { _ in try FeedHost() }
    let names = (1...4).flatMap { host in (1...5).map { "busy\(host)-\($0)" } }
    for (place, name) in names.enumerated() {
      let host = busy[place / 5]
      host["/\(name)"] = .error(503, retryAfter: "200")
      try follow(name, at: "\(host.origin)/\(name)")
    }
    try followHealthy(1...20)
    let host = harness.host
    let report = try await sync(
      retries: 1,
      until: Array(repeating: .seconds(200), count: 20)
        + Array(repeating: .seconds(600), count: 20),
      passing: .seconds(200), isReady: { host.feedRequests.count == 20 },
      then: {
        for (place, name) in names.enumerated() {
          busy[place / 5]["/\(name)"] = Feed(title: name, [Item(place + 30)])
        }
      })
    #expect(report.failures.isEmpty)
    #expect(Set(report.results.keys) == Set((1...20).map { "feed\($0)" } + names))
    #expect(busy.allSatisfy { $0.feedRequests.count == 10 })
  }

  @Test func `a password command that does not end stops its own feeds only`() async throws {
    // As many as there are places.
    let names = (1...16).map { "private\($0)" }
    for name in names {
      try follow(name, at: "\(harness.host.origin)/\(name)", command: "sleep 3600")
    }
    try followHealthy(1...5)
    let host = harness.host
    let report = try await sync(
      until: [.seconds(60)] + Array(repeating: .seconds(600), count: 16), passing: .seconds(60),
      isReady: { host.feedRequests.count == 5 })
    #expect(report.results.count == 5)
    #expect(Set(report.failures.map(\.name)) == Set(names))
    #expect(report.failures.allSatisfy { $0.error.code == .timeout })
    #expect(report.failures.first?.error.message.contains("password command sleep") == true)
    #expect(try harness.state("private1")?.failures == 1)
    #expect(!report.outcome.isNetworkDown)
    #expect(harness.host.feedRequests.count == 5)
  }

  @Test func `further pages that take too long are asked for again`() async throws {
    try followHealthy(1...1)
    harness.host["/page2"] = Feed(title: "Feed 1", [Item(2)])
    harness.host["/page2"].isHeld = true
    harness.host[path(1)].head =
      "<atom:link rel=\"next\" href=\"\(harness.host.origin)/page2\"/>"
    let host = harness.host
    let report = try await sync(
      latest: nil, until: [.seconds(600)], passing: .seconds(600),
      isReady: { host.feedRequests.last?.path == "/page2" })
    #expect(report.finished == ["Number 1"])
    #expect(report.failures.map(\.error.code) == [.timeout])
    harness.host["/page2"].isHeld = false
    #expect(try await harness.sync(latest: nil).finished == ["Number 2"])
  }

  @Test func `the rounds go on while a feed does not end, and a later one takes its answer`()
    async throws
  {
    let requests = Mutex(0)
    let slow = try LoopbackServer { _, connection in
      let number = requests.withLock { number in
        number += 1
        return number
      }
      guard number == 1 else {
        connection.respond(status: 404)
        return
      }
      connection.writeHead(status: 200, fields: [.init("Content-Type", "text/xml")])
      connection.pace(Array(repeating: 0x20, count: 100_000), rate: 20)
    }
    try follow("slow", at: "\(slow.origin)/feed")
    try followHealthy(1...1)
    let (harness, clock) = (harness, clock)
    let isLate = Mutex(false)
    let rounds = Mutex(0)
    let end = ContinuousClock.now + patience
    async let syncing = harness.syncRounds(clock: clock) { number in
      rounds.withLock { $0 = number }
      guard number > 3 else { return true }
      clock.advance(by: .seconds(600))
      return !isLate.withLock { $0 } && ContinuousClock.now < end
    } onEvent: { event, _ in
      if case .feedFailed = event { isLate.withLock { $0 = true } }
    }
    try await waitUntil("nothing happens in the first round", seen: { "\(clock.deadlines)" }) {
      harness.host.feedRequests.count == 1 && slow.log.count == 1
        && clock.deadlines == [.seconds(5), .seconds(600)]
    }
    try await waitUntil("the second round", seen: { "\(clock.deadlines)" }) {
      // The answer of the other feed may not have been taken yet: then it is quiet again later.
      if let next = clock.deadlines.first, next < .seconds(600) { clock.advance(by: .seconds(5)) }
      return rounds.withLock { $0 > 1 }
    }
    let report = try await syncing
    #expect(report.failures.first?.name == "slow")
    #expect(report.failures.first?.error.code == .timeout)
    #expect(harness.host.feedRequests.count >= 3)
    #expect(try harness.state("slow").map { $0.failures > 0 } == true)
  }
}
