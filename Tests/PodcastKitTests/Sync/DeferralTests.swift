import Foundation
import Testing

@testable import PodcastModel

@Suite("Feeds that are deferred") struct DeferralTests {
  private static let origin = "https://feeds.example"

  @Test(
    "which answers defer what, and for how long",
    arguments: [
      (429, 7200, 7200, true), (429, 301, 301, true), (429, 60, 60, true), (429, nil, 3600, true),
      (429, 0, 0, true), (503, 7200, 7200, false), (503, 301, 301, false), (503, 300, nil, false),
      (503, nil, nil, false), (500, 7200, nil, false), (408, 7200, nil, false),
      (403, 7200, nil, false), (200, 7200, nil, false), (429, Int.max, 86_400, true),
      (503, Int.max, 30 * 86_400, false), (429, -5, 0, true),
    ] as [(Int, Int?, Int?, Bool)])
  func table(status: Int, retryAfter: Int?, seconds: Int?, defersOrigin: Bool) throws {
    let now = SyncPieces.hour(0)
    let deferral = Deferral(
      status: status, retryAfter: retryAfter.map { .seconds($0) },
      url: try SyncPieces.url("https://user:pw@Feeds.example:443/show?x"), now: now)
    #expect(deferral?.until == seconds.map { now.addingTimeInterval(Double($0)) })
    #expect(deferral?.origin == (defersOrigin ? Self.origin : nil))
  }

  @Test("five minutes are waited for in the run, a second more is not") func waits() {
    #expect(Deferral.isWaitedFor(.zero))
    #expect(Deferral.isWaitedFor(.seconds(300)))
    #expect(!Deferral.isWaitedFor(.seconds(301)))
  }

  @Test("429 of a private host defers its feed only") func privateHost() throws {
    for host in ["localhost:8080", "127.0.0.1", "[::1]:99", "rsshub", "nas.local", "10.0.0.9"] {
      let deferral = Deferral(
        status: 429, retryAfter: .seconds(7200), url: try SyncPieces.url("http://\(host)/feed"),
        now: SyncPieces.hour(0))
      #expect(deferral == Deferral(until: SyncPieces.hour(2)))
    }
  }

  @Test("a deferral outlives the process, for its feed or for all feeds of the origin")
  func stored() throws {
    var origin = FeedState()
    origin.notBefore = SyncPieces.hour(6)
    origin.deferredOrigin = Self.origin
    var own = FeedState()
    own.notBefore = SyncPieces.hour(8)
    let deferrals = Deferrals(["a": origin, "b": own])
    func until(_ text: String, _ state: FeedState, _ hour: Double) throws -> Date? {
      deferrals.notBefore(
        try SyncPieces.url(text), state: state, now: SyncPieces.hour(hour))
    }
    let other = "https://feeds.example:8443/b"
    #expect(try until("https://feeds.example/b", FeedState(), 5) == SyncPieces.hour(6))
    #expect(try until("https://feeds.example/b", FeedState(), 6) == nil)
    #expect(try until("https://feeds.example/b", own, 5) == SyncPieces.hour(8))
    #expect(try until(other, own, 5) == SyncPieces.hour(8))
    #expect(try until(other, FeedState(), 5) == nil)
    #expect(try until("http://feeds.example/b", FeedState(), 5) == nil)
  }

  @Test("the later one of two deferrals of an origin counts") func later() throws {
    var deferrals = Deferrals()
    for hour in [3.0, 5, 4] { deferrals.set("\(hour)", Self.state(hour)) }
    deferrals.set("own", Self.state(9, origin: nil))
    #expect(try Self.until(deferrals) == SyncPieces.hour(5))
  }

  @Test("what a feed was told counts no longer than its state says so") func takenBack() throws {
    var deferrals = Deferrals(["a": Self.state(5), "b": Self.state(3)])
    // Another origin says nothing about this one.
    let other = Self.state(6, origin: "https://other.example")
    let steps: [(feed: String, state: FeedState, mayAskEarlier: Bool, until: Double?)] = [
      ("a", Self.state(5), false, 5), ("b", Self.state(4), false, 5), ("a", FeedState(), true, 4),
      ("b", other, true, nil), ("a", Self.state(2), false, 2),
    ]
    for (feed, state, mayAskEarlier, hour) in steps {
      let result = deferrals.set(feed, state)
      #expect(result == mayAskEarlier)
      #expect(try Self.until(deferrals) == hour.map(SyncPieces.hour))
    }
  }

  private static func state(_ hour: Double, origin: String? = origin) -> FeedState {
    var state = FeedState()
    state.notBefore = SyncPieces.hour(hour)
    state.deferredOrigin = origin
    return state
  }

  /// Until when another feed of the origin is deferred.
  private static func until(_ deferrals: Deferrals) throws -> Date? {
    deferrals.notBefore(
      try SyncPieces.url("https://feeds.example/other"), state: FeedState(),
      now: SyncPieces.hour(0))
  }

  @Test("a time that no deferral reaches is ignored") func wrongClock() throws {
    var state = FeedState()
    state.notBefore = SyncPieces.day(30.5)
    let url = try SyncPieces.url("https://feeds.example/a")
    #expect(Deferrals().notBefore(url, state: state, now: SyncPieces.day(0)) == nil)
    #expect(Deferrals().notBefore(url, state: state, now: SyncPieces.day(1)) != nil)
    // An earlier version let a 429 last as long.
    state.deferredOrigin = Self.origin
    #expect(Deferrals(["a": state]).notBefore(url, state: state, now: SyncPieces.day(1)) == nil)
    #expect(Deferrals(["a": state]).notBefore(url, state: state, now: SyncPieces.day(30)) != nil)
  }
}
