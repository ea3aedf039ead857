import Foundation
import Testing

@testable import PodcastModel

@Suite("What the answer to a feed's request means") struct AnswerDecisionTests {
  private let new = FeedValidators(etag: "\"2\"", lastModified: "Sat, 01 Jun 2024 12:00:00 GMT")

  private func decide(
    _ status: Int, _ body: FeedAnswer.Body = .none, validators: FeedValidators = FeedValidators(),
    retryAfter: Duration? = nil, state: FeedState, at hour: Double = 1
  ) throws -> AnswerDecision {
    let now = SyncPieces.hour(hour)
    let answer = FeedAnswer(
      status: status, url: try SyncPieces.url("https://feeds.example/show"), validators: validators,
      retryAfter: retryAfter, body: body)
    let request = ConditionalRequest(state, settingsDigest: "s", now: now)
    return AnswerDecision(answer, to: request, state: state, now: now)
  }

  @Test(
    "304 to validators is unchanged, updates those that it has and keeps the others",
    arguments: [("\"2\"", nil), (nil, "Sat"), ("\"2\"", "Sat"), (nil, nil)]
      as [(String?, String?)])
  func notModified(etag: String?, lastModified: String?) throws {
    let state = try SyncPieces.state()
    let decision = try decide(
      304, validators: FeedValidators(etag: etag, lastModified: lastModified), state: state)
    #expect(decision.result == .unchanged)
    #expect(decision.sharesEpisode)
    #expect(
      decision.state.validators
        == FeedValidators(
          etag: etag ?? state.validators.etag,
          lastModified: lastModified ?? state.validators.lastModified))
    #expect(decision.state.validatorsSince == state.validatorsSince)
    #expect(decision.state.listed == state.listed)
    #expect(decision.state.lastChecked == SyncPieces.hour(1))
    #expect(decision.state.lastRead == SyncPieces.hour(0))
  }

  @Test("304 without validators is a failure, and clears them") func unasked() throws {
    var state = try SyncPieces.state()
    state.needsFullAnswer = true
    let decision = try decide(304, state: state)
    #expect(decision.result == .failed(.notModifiedUnasked))
    #expect(decision.state.lastError?.code == .decoding)
    #expect(decision.state.validators.isEmpty)
    #expect(!decision.sharesEpisode)
  }

  @Test("the same bytes are unchanged, and replace both validators") func sameBytes() throws {
    var state = try SyncPieces.state()
    state.needsFullAnswer = true
    let decision = try decide(
      200, .same, validators: FeedValidators(etag: "\"2\""), state: state)
    #expect(decision.result == .unchanged)
    #expect(decision.sharesEpisode)
    #expect(decision.state.validators == FeedValidators(etag: "\"2\""))
    #expect(decision.state.validatorsSince == SyncPieces.hour(1))
    #expect(!decision.state.needsFullAnswer)
  }

  @Test("a feed is read the first time, and gives keys, date and validators") func firstTime()
    throws
  {
    let now = SyncPieces.hour(1)
    let feed = SyncPieces.contents(["b", "a"], newest: SyncPieces.hour(0.5), now: now)
    let decision = try decide(200, .feed(feed), validators: new, state: FeedState())
    #expect(decision.result == .read(.firstTime))
    #expect(!decision.sharesEpisode)
    #expect(decision.state.listed.count == 2)
    #expect(decision.state.newest == SyncPieces.hour(0.5))
    #expect(decision.state.validators == new)
    #expect(decision.state.bodyDigest == "digest")
    #expect(decision.state.settingsDigest == "s")
    #expect(decision.state.lastRead == now)
  }

  @Test("a feed that shares an episode is read, and ends a row of failures") func read() throws {
    var state = try SyncPieces.state()
    state = try decide(500, state: state, at: 0.5).state
    state =
      AnswerDecision(
        noAnswer: PodgetError(.timeout, "No answer."), state: state, now: SyncPieces.hour(0.7)
      ).state
    #expect(state.failures == 2)
    #expect(state.failingSince == SyncPieces.hour(0.5))
    #expect(state.lastError?.code == .timeout)
    let feed = SyncPieces.contents(
      ["d", "c"], newest: SyncPieces.hour(0), digest: "new", now: SyncPieces.hour(1))
    let decision = try decide(200, .feed(feed), validators: new, state: state)
    #expect(decision.result == .read(.sharedEpisode))
    #expect(decision.sharesEpisode)
    #expect(Set(decision.state.listed.keys) == Set(state.listed.keys).union(feed.items.map(\.key)))
    #expect(decision.state.bodyDigest == "new")
    #expect(decision.state.failures == 0)
    #expect(decision.state.lastError == nil)
    #expect(decision.state.failingSince == nil)
  }

  @Test("with other guids it is the same podcast, also where nothing is known") func otherGUIDs()
    throws
  {
    let episodes = (1...3).map { SyncPieces.episode("\($0)", SyncPieces.day(-Double($0))) }
    func feed(_ change: (inout Episode) -> Void) -> ListedFeed {
      var changed = episodes
      for index in changed.indices { change(&changed[index]) }
      return ListedFeed(
        digest: "", episodes: changed, lookAlikes: 0, known: 0, now: SyncPieces.hour(0))
    }
    let state = try decide(200, .feed(feed { _ in }), state: FeedState(), at: 0).state
    func result(_ change: (inout Episode) -> Void) throws -> FeedResult {
      try decide(200, .feed(feed(change)), state: state).result
    }
    #expect(try result { $0.guid = "new \($0.title)" } == .read(.sharedEpisode))
    let moved = try result {
      $0.guid = nil
      $0.enclosure.url = "https://other.example/\($0.title)"
    }
    #expect(moved == .read(.sharedEpisode))
    // One guid for every episode is still one of this feed.
    let renamed = try result {
      $0.title += " again"
      $0.enclosure.url = "https://other.example/\($0.title)"
      $0.date = SyncPieces.day(-100)
    }
    #expect(renamed == .read(.sharedEpisode))
    let another = try result {
      $0.guid = nil
      $0.title += " again"
      $0.enclosure.url = "https://other.example/\($0.title)"
    }
    #expect(another == .failed(.anotherPodcast))
  }

  @Test("an older or shorter list takes nothing back: neither episodes nor the newest date")
  func stale() throws {
    let state = try SyncPieces.state()
    for guids in [["a"], ["b", "a"]] {
      let feed = SyncPieces.contents(guids, newest: SyncPieces.day(-9), now: SyncPieces.hour(1))
      let decision = try decide(200, .feed(feed), validators: new, state: state)
      #expect(decision.result == .read(.sharedEpisode))
      #expect(decision.state.listed.keys == state.listed.keys)
      #expect(decision.state.newest == SyncPieces.day(-1))
    }
  }

  @Test("a newest date in the future, of a clock that was wrong, ends with the next list")
  func newestInFuture() throws {
    var state = try SyncPieces.state()
    state.newest = SyncPieces.day(4000)
    let feed = SyncPieces.contents(["a"], newest: SyncPieces.day(-1), now: SyncPieces.hour(1))
    #expect(try decide(200, .feed(feed), state: state).state.newest == SyncPieces.hour(1))
  }

  @Test(
    "a feed without a shared key is the same podcast by look-alikes, podcast:guid, or a new end",
    arguments: [
      (2, 4, false, false, -2, .lookAlikes), (1, 4, false, false, -2, nil),
      (2, 100, false, false, -2, .lookAlikes), (1, 1, false, false, -2, .lookAlikes),
      (0, 0, true, false, -2, .podcastGUID), (0, 0, false, false, 30, nil),
      (0, 0, false, true, 30, .rolledOver), (0, 5, false, true, 30, .rolledOver),
      (0, 0, false, true, 2, nil),
    ] as [(Int, Int, Bool, Bool, Double, FeedResult.Evidence?)])
  func anotherList(
    lookAlikes: Int, known: Int, hasGUID: Bool, hasTitle: Bool, newest: Double,
    evidence: FeedResult.Evidence?
  ) throws {
    let state = try SyncPieces.state()
    let now = SyncPieces.day(31)
    var feed = SyncPieces.contents(
      ["z", "y", "x", "w"], newest: SyncPieces.day(newest), digest: "new", lookAlikes: lookAlikes,
      known: known, now: now)
    feed.hasPodcastGUID = hasGUID
    feed.hasTitle = hasTitle
    let decision = try decide(200, .feed(feed), validators: new, state: state, at: 31 * 24)
    #expect(decision.sharesEpisode == (evidence == .lookAlikes))
    if let evidence {
      #expect(decision.result == .read(evidence))
      #expect(
        Set(decision.state.listed.keys) == Set(state.listed.keys).union(feed.items.map(\.key)))
    } else {
      #expect(decision.result == .failed(.anotherPodcast))
      expectNothingLearned(decision.state, since: state)
    }
  }

  @Test(
    "an unusable body fails, changes nothing, and the next request is for the complete feed",
    arguments: [
      (.broken, .broken), (.webPage, .webPage), (.none, .emptyBody),
      (.feed(SyncPieces.contents([], newest: .now, now: .now)), .noEpisodes),
    ] as [(FeedAnswer.Body, FeedProblem)])
  func unusable(body: FeedAnswer.Body, problem: FeedProblem) throws {
    let state = try SyncPieces.state()
    let decision = try decide(200, body, validators: new, state: state)
    #expect(decision.result == .failed(problem))
    #expect(decision.state.lastError == problem.error)
    expectNothingLearned(decision.state, since: state)
  }

  @Test("an empty feed is fine where nothing was listed and nothing is known") func emptyFeed()
    throws
  {
    let now = SyncPieces.hour(1)
    var feed = SyncPieces.contents([], newest: now, now: now)
    #expect(try decide(200, .feed(feed), state: FeedState()).result == .read(.firstTime))
    feed.known = 1
    #expect(try decide(200, .feed(feed), state: FeedState()).result == .failed(.noEpisodes))
  }

  @Test(
    "other statuses are failures that keep the validators, and never final",
    arguments: [
      (401, .passwordRequired), (403, .refused(status: 403)), (404, .refused(status: 404)),
      (451, .refused(status: 451)), (408, .refused(status: 408)), (425, .refused(status: 425)),
      (500, .refused(status: 500)), (503, .refused(status: 503)), (300, .refused(status: 300)),
    ] as [(Int, FeedProblem)])
  func statuses(status: Int, problem: FeedProblem) throws {
    var state = try SyncPieces.state()
    for day in [1, 2, 30] {
      let decision = try decide(status, validators: new, state: state, at: Double(day) * 24)
      #expect(decision.result == .failed(problem))
      #expect(decision.state.validators == state.validators)
      #expect(!decision.state.isGone)
      #expect(decision.state.lastError?.httpStatus == (status >= 400 ? status : nil))
      state = decision.state
    }
    #expect(state.failures == 3)
  }

  @Test(
    "410 ends a feed at the second sight after a day, unless it was good between them",
    arguments: [
      ([(0, 410)], false), ([(0, 410), (23.9, 410)], false), ([(0, 410), (24, 410)], true),
      ([(0, 410), (10, 410), (24, 410)], true), ([(0, 410), (10, 503), (30, 410)], true),
      ([(0, 410), (10, 404), (30, 410)], true), ([(0, 410), (10, 200), (30, 410)], false),
      ([(0, 410), (10, 200), (30, 410), (60, 410)], true), ([(40, 410), (10, 410)], false),
      ([(40, 410), (10, 410), (34, 410)], true),
    ] as [([(Double, Int)], Bool)])
  func gone(answers: [(Double, Int)], isGone: Bool) throws {
    var state = try SyncPieces.state()
    var result = FeedResult.unchanged
    for (hour, status) in answers {
      let decision = try decide(status, status == 200 ? .same : .none, state: state, at: hour + 1)
      (state, result) = (decision.state, decision.result)
    }
    #expect(state.isGone == isGone)
    #expect(result == (isGone ? .gone : .failed(.refused(status: 410))))
    #expect(state.lastError?.httpStatus == 410)
    #expect(state.validators.isEmpty)
    state.subscribeAgain()
    #expect(!state.isGone)
    #expect(state.goneSince == nil)
  }

  @Test("429 and a long 503 are deferred, which is no failure") func deferred() throws {
    let state = try SyncPieces.state()
    let many = try decide(429, validators: new, retryAfter: .seconds(7200), state: state)
    let origin = Deferral(until: SyncPieces.hour(3), origin: "https://feeds.example")
    #expect(many.result == .deferred(origin))
    #expect(many.state.notBefore == SyncPieces.hour(3))
    #expect(many.state.deferredOrigin == "https://feeds.example")
    #expect(many.state.validators == state.validators)
    #expect(many.state.failures == 0)
    let busy = try decide(503, retryAfter: .seconds(7200), state: state)
    #expect(busy.result == .deferred(Deferral(until: SyncPieces.hour(3))))
    #expect(busy.state.deferredOrigin == nil)
    let good = try decide(304, state: many.state, at: 4)
    #expect(good.state.notBefore == nil)
    #expect(good.state.deferredOrigin == nil)
  }

  @Test("any answer that is not the feed forgets the redirect that was seen") func moveForgotten()
    throws
  {
    var state = try SyncPieces.state()
    state.move = FeedState.MoveNote(
      address: try SyncPieces.url("https://new.example/"), firstSeen: SyncPieces.hour(0))
    for status in [404, 410, 429, 500] {
      #expect(try decide(status, state: state).state.move == nil)
    }
    #expect(try decide(200, .broken, state: state).state.move == nil)
    #expect(try decide(304, state: state).state.move != nil)
  }

  private func expectNothingLearned(_ state: FeedState, since old: FeedState) {
    #expect(state.validators == old.validators)
    #expect(state.validatorsSince == old.validatorsSince)
    #expect(state.bodyDigest == old.bodyDigest)
    #expect(state.listed == old.listed)
    #expect(state.newest == old.newest)
    #expect(state.lastRead == old.lastRead)
    #expect(state.needsFullAnswer)
    #expect(state.failures == 1)
  }
}
