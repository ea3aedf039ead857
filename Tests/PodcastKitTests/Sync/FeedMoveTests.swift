import Foundation
import Testing

@testable import PodcastModel

@Suite("When a subscription moves") struct FeedMoveTests {
  private static let old = "https://old.example/feed"
  private static let new = "https://new.example/feed"

  private func sync(
    _ hops: [(Int, String)], _ state: inout FeedState,
    _ answer: (status: Int, body: FeedAnswer.Body) = (200, .same), at hour: Double,
    of subscribed: String = old, hasLogin: Bool = false
  ) throws -> FeedMove {
    let now = SyncPieces.hour(hour)
    let subscribed = try SyncPieces.url(subscribed)
    let hops = try hops.map { FeedRedirect(status: $0.0, target: try SyncPieces.url($0.1)) }
    let request = ConditionalRequest(state, settingsDigest: "s", now: now)
    let decision = AnswerDecision(
      FeedAnswer(status: answer.status, url: hops.last?.target ?? subscribed, body: answer.body),
      to: request, state: state, now: now)
    let move = FeedMove(
      from: subscribed, through: hops, decision: decision, hasLogin: hasLogin, now: now)
    state = decision.state
    state.move = move.note
    return move
  }

  @Test(
    "which redirects are noted, and which address",
    arguments: [
      ([(301, new)], new), ([(308, new)], new), ([(302, new)], nil), ([(303, new)], nil),
      ([(307, new)], nil), ([(301, new), (302, "https://cdn.example/x")], new),
      ([(301, "https://mid.example/"), (308, new)], new),
      ([(302, new), (301, "https://cdn.example/x")], nil),
      ([(301, new), (301, old)], nil), ([], nil), ([(300, new)], nil),
    ] as [([(Int, String)], String?)])
  func noted(hops: [(Int, String)], address: String?) throws {
    var state = try SyncPieces.state()
    let first = try sync(hops, &state, at: 1)
    #expect(first.address == nil)
    #expect(first.note?.address.text == address)
    let second = try sync(hops, &state, at: 25)
    #expect(second.address?.text == address)
    #expect(second.note == nil)
  }

  @Test(
    "a redirect moves when it was seen for a day, at every sync",
    arguments: [
      ([1], nil), ([1, 24.9], nil), ([1, 25], 25), ([1, 8, 16, 26], 26), ([30, 2, 27], 27),
    ] as [([Double], Double?)])
  func time(hours: [Double], moves: Double?) throws {
    var state = try SyncPieces.state()
    for hour in hours {
      let move = try sync([(301, Self.new)], &state, at: hour)
      #expect((move.address != nil) == (hour == moves))
    }
  }

  @Test("a sync between that does not see it starts the time again") func interrupted() throws {
    let between: [([(Int, String)], (Int, FeedAnswer.Body))] = [
      ([], (200, .same)), ([(301, "https://other.example/")], (200, .same)),
      ([(302, Self.new)], (200, .same)), ([(301, Self.new)], (200, .webPage)),
      ([(301, Self.new)], (404, .none)), ([(301, Self.new)], (429, .none)),
    ]
    for (hops, answer) in between {
      var state = try SyncPieces.state()
      _ = try sync([(301, Self.new)], &state, at: 1)
      let move = try sync(hops, &state, (answer.0, answer.1), at: 13)
      #expect(move.address == nil)
      #expect(move.check == nil)
      #expect(try sync([(301, Self.new)], &state, at: 26).address == nil)
      #expect(state.move?.firstSeen == SyncPieces.hour(26))
    }
  }

  @Test("a login page for every address moves nothing, however long it stays") func portal() throws
  {
    var state = try SyncPieces.state()
    for hour in [1.0, 25, 49] {
      let move = try sync(
        [(301, "https://login.example/")], &state, (200, .webPage), at: hour)
      #expect(move == .stay)
    }
  }

  @Test("another podcast, or one of which nothing is known, moves nothing") func foreign() throws {
    var state = try SyncPieces.state()
    for hour in [1.0, 25] {
      let feed = SyncPieces.contents(
        ["x"], newest: SyncPieces.hour(0), now: SyncPieces.hour(hour))
      #expect(
        try sync([(301, Self.new)], &state, (200, .feed(feed)), at: hour) == .stay)
    }
    var empty = FeedState()
    let feed = SyncPieces.contents(["x"], newest: SyncPieces.hour(0), now: SyncPieces.hour(1))
    #expect(try sync([(301, Self.new)], &empty, (200, .feed(feed)), at: 1) == .stay)
  }

  @Test(
    "http becomes https on the same host and path at once, and nothing else does",
    arguments: [
      ("http://a.example/feed", 301, "https://a.example/feed", true),
      ("http://a.example/feed", 308, "https://a.example/feed", true),
      ("http://a.example:8080/feed?id=1", 301, "https://A.example:8443/feed?id=1", true),
      ("http://a.example", 301, "https://a.example/", true),
      ("http://user:pw@a.example/feed", 301, "https://a.example/feed", true),
      ("http://a.example/feed", 302, "https://a.example/feed", false),
      ("http://a.example/feed", 307, "https://a.example/feed", false),
      ("http://a.example/feed", 301, "https://www.a.example/feed", false),
      ("http://a.example/feed", 301, "https://a.example/feed/", false),
      ("http://a.example/feed?id=1", 301, "https://a.example/feed", false),
      ("https://a.example/feed", 301, "http://a.example/feed", false),
    ])
  func upgrade(from: String, status: Int, to: String, moves: Bool) throws {
    var state = try SyncPieces.state()
    let move = try sync([(status, to)], &state, at: 1, of: from)
    #expect(move.address?.text == (moves ? to : nil))
  }

  @Test("the rest of a run behind https waits for its day") func upgradeAndRun() throws {
    var state = try SyncPieces.state()
    let secure = "https://a.example/feed"
    let first = try sync(
      [(301, secure), (301, Self.new)], &state, at: 1, of: "http://a.example/feed")
    #expect(first.address?.text == secure)
    #expect(first.note?.address.text == Self.new)
    state.recordMove(keepsValidators: true)
    state.move = first.note
    #expect(try sync([(301, Self.new)], &state, at: 25, of: secure).address?.text == Self.new)
  }

  @Test("https never becomes http") func downgrade() throws {
    var state = try SyncPieces.state()
    for hour in [1.0, 25] {
      let move = try sync([(301, "http://new.example/feed")], &state, at: hour)
      #expect(move == .stay)
    }
  }

  @Test(
    "an announced address is asked, unless it is the feed's own",
    arguments: [
      (new, true), ("https://old.example/other", true), (old, false),
      ("http://old.example/feed", false), ("https://www.old.example/feed/", false),
    ])
  func announced(address: String, isAsked: Bool) throws {
    var state = try SyncPieces.state()
    var feed = SyncPieces.contents(["c"], newest: SyncPieces.hour(0), now: SyncPieces.hour(1))
    feed.announcement = try SyncPieces.url(address)
    let move = try sync([], &state, (200, .feed(feed)), at: 1)
    #expect(move.check?.text == (isAsked ? address : nil))
    #expect(move.address == nil)
  }

  @Test("the announcement of a feed at http of its https is one") func announcedUpgrade() throws {
    var state = try SyncPieces.state()
    state.announcement = FeedState.Announcement(address: try SyncPieces.url(Self.old))
    #expect(try sync([], &state, at: 1, of: "http://old.example/feed").check?.text == Self.old)
  }

  @Test("an announced address that did not prove itself is asked again a day later, or with news")
  func askedAgain() throws {
    var state = try SyncPieces.state()
    let address = try SyncPieces.url(Self.new)
    state.announcement = FeedState.Announcement(address: address)
    #expect(try sync([], &state, at: 1).check == address)
    state.announcement?.lastAsked = SyncPieces.hour(1)
    #expect(try sync([], &state, at: 24).check == nil)
    #expect(try sync([], &state, at: 25).check == address)
    var feed = SyncPieces.contents(["c"], newest: SyncPieces.hour(0), now: SyncPieces.hour(2))
    feed.announcement = address
    #expect(try sync([], &state, (200, .feed(feed)), at: 2).check == address)
    #expect(state.announcement?.lastAsked == SyncPieces.hour(1))
    feed.announcement = nil
    #expect(try sync([], &state, (200, .feed(feed)), at: 3).check == nil)
    #expect(try sync([], &state, at: 99).check == nil)
  }

  @Test("a redirect to the announced address with a shared episode moves at once") func both()
    throws
  {
    for status in [301, 302] {
      var state = try SyncPieces.state()
      state.announcement = FeedState.Announcement(address: try SyncPieces.url(Self.new))
      let move = try sync([(status, Self.new)], &state, at: 1)
      #expect(move.address?.text == Self.new)
      #expect(move.check == nil)
      var empty = FeedState()
      var feed = SyncPieces.contents(["x"], newest: SyncPieces.hour(0), now: SyncPieces.hour(1))
      feed.announcement = try SyncPieces.url(Self.new)
      #expect(try sync([(status, Self.new)], &empty, (200, .feed(feed)), at: 1) == .stay)
    }
  }

  @Test("an answer that is not the feed moves nothing, not even to https") func failed() throws {
    for answer in [(404, FeedAnswer.Body.none), (200, .webPage), (503, .none), (410, .none)] {
      var state = try SyncPieces.state()
      state.announcement = FeedState.Announcement(address: try SyncPieces.url(Self.new))
      let move = try sync(
        [(301, "https://a.example/feed")], &state, (answer.0, answer.1), at: 1,
        of: "http://a.example/feed")
      #expect(move == .stay)
    }
  }

  @Test("after a move its note is removed, after an announced one the validators too")
  func moved() throws {
    for keepsValidators in [true, false] {
      var state = try SyncPieces.state()
      state.announcement = FeedState.Announcement(address: try SyncPieces.url(Self.new))
      state.move = FeedState.MoveNote(
        address: try SyncPieces.url(Self.new), firstSeen: SyncPieces.hour(0))
      state.recordMove(keepsValidators: keepsValidators)
      #expect(state.move == nil)
      #expect(state.announcement == nil)
      #expect(state.validators.isEmpty == !keepsValidators)
      #expect(!state.listed.isEmpty)
    }
  }

  @Test(
    "a login stays on its origin: scheme, host and port",
    arguments: [
      ("https://old.example/feed", "https://old.example/new", true),
      ("https://old.example/feed", "https://old.example:443/new", true),
      ("https://old.example/feed", "https://old.example:8443/feed", false),
      ("https://old.example/feed", "https://new.example/feed", false),
      ("https://old.example/feed", "https://www.old.example/feed", false),
      ("http://old.example/feed", "https://old.example/feed", false),
    ])
  func login(from: String, to: String, moves: Bool) throws {
    var state = try SyncPieces.state()
    for hour in [1.0, 26, 51] {
      let move = try sync([(301, to)], &state, at: hour, of: from, hasLogin: true)
      let isSeen = hour > 1 || from.hasPrefix("http:")
      guard hour < 51 || !moves else { continue }
      #expect(move.address?.text == (isSeen && moves ? to : nil))
      #expect(move.waiting?.text == (isSeen && !moves ? to : nil))
    }
  }
}
