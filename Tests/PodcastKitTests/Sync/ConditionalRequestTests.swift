import Foundation
import Testing

@testable import PodcastModel

@Suite("Which validators a feed is asked with") struct ConditionalRequestTests {
  private let both = FeedValidators(
    etag: "\"1\"", lastModified: "Fri, 31 May 2024 12:00:00 GMT")

  private func sent(
    at now: Date, settings: String? = "s", change: (inout FeedState) -> Void = { _ in }
  ) throws -> FeedValidators {
    var state = try SyncPieces.state()
    change(&state)
    return ConditionalRequest(state, settingsDigest: settings, now: now).sent
  }

  @Test("the first request has none") func first() {
    let request = ConditionalRequest(FeedState(), settingsDigest: nil, now: SyncPieces.hour(0))
    #expect(!request.isConditional)
    #expect(request.knownDigest == nil)
  }

  @Test("both are sent exactly as received") func plain() throws {
    let weak = FeedValidators(etag: "W/\"x-gzip\"", lastModified: "31 May")
    #expect(try sent(at: SyncPieces.hour(1)) { $0.validators = weak } == weak)
  }

  @Test(
    "fourteen days after the last body they are dropped",
    arguments: [(0, true), (13.9, true), (14, false), (400, false), (-0.1, false)])
  func age(days: Double, isSent: Bool) throws {
    #expect(try sent(at: SyncPieces.day(days)) == (isSent ? both : FeedValidators()))
  }

  @Test("a 304 does not renew them, a body does") func renewal() throws {
    let url = try SyncPieces.url("https://feeds.example/show")
    var state = try SyncPieces.state()
    var request = ConditionalRequest(state, settingsDigest: "s", now: SyncPieces.day(10))
    state =
      AnswerDecision(
        FeedAnswer(status: 304, url: url), to: request, state: state, now: SyncPieces.day(10)
      ).state
    request = ConditionalRequest(state, settingsDigest: "s", now: SyncPieces.day(15))
    #expect(!request.isConditional)
    state =
      AnswerDecision(
        FeedAnswer(status: 200, url: url, validators: both, body: .same), to: request, state: state,
        now: SyncPieces.day(15)
      ).state
    request = ConditionalRequest(state, settingsDigest: "s", now: SyncPieces.day(16))
    #expect(request.sent == both)
  }

  @Test("other settings need the list again, even with the same bytes") func settings() throws {
    let state = try SyncPieces.state()
    let same = ConditionalRequest(state, settingsDigest: "s", now: SyncPieces.hour(1))
    #expect(same.knownDigest == "digest")
    for settings in ["other", nil] {
      let other = ConditionalRequest(state, settingsDigest: settings, now: SyncPieces.hour(1))
      #expect(!other.isConditional)
      #expect(other.knownDigest == nil)
    }
  }

  @Test("after an unreadable feed none are sent") func unreadable() throws {
    #expect(try sent(at: SyncPieces.hour(1)) { $0.needsFullAnswer = true }.isEmpty)
  }

  @Test(
    "each step of the ladder sends something else, and the last one nothing",
    arguments: [
      ("\"1\"", "d", [.etagOnly, .lastModifiedOnly, .none, .none]), ("\"1\"", nil, [.none]),
      (nil, "d", [.none]), (nil, nil, [.none]),
    ] as [(String?, String?, [ValidatorUse])])
  func ladder(etag: String?, lastModified: String?, steps: [ValidatorUse]) {
    let validators = FeedValidators(etag: etag, lastModified: lastModified)
    var use = ValidatorUse.both
    for step in steps {
      use = use.next(for: validators)
      #expect(use == step)
    }
    #expect(ValidatorUse.etagOnly.sent(of: validators) == FeedValidators(etag: etag))
    #expect(ValidatorUse.none.sent(of: validators).isEmpty)
  }

  @Test(
    "two equal bodies in answer to validators lead to the next step, which is tried for a while")
  func equalBodies() throws {
    let url = try SyncPieces.url("https://feeds.example/show")
    var state = try SyncPieces.state()
    var sent: [FeedValidators] = []
    for hour in 1...7 {
      let now = SyncPieces.hour(Double(hour))
      let request = ConditionalRequest(state, settingsDigest: "s", now: now)
      sent.append(request.sent)
      let answer = FeedAnswer(status: 200, url: url, validators: both, body: .same)
      state = AnswerDecision(answer, to: request, state: state, now: now).state
    }
    let etag = FeedValidators(etag: both.etag)
    let date = FeedValidators(lastModified: both.lastModified)
    #expect(sent == [both, both, etag, etag, date, date, FeedValidators()])
    let later = SyncPieces.hour(6 + 14 * 24)
    #expect(ConditionalRequest(state, settingsDigest: "s", now: later).sent == both)
  }

  @Test("when all validators are tried again, the count starts again") func triedAgain() throws {
    var state = try SyncPieces.state()
    state.validatorUse = .etagOnly
    state.validatorUseSince = SyncPieces.day(-9)
    state.equalBodies = 1
    let now = SyncPieces.day(5)
    let request = ConditionalRequest(state, settingsDigest: "s", now: now)
    #expect(request.sent == both)
    let answer = FeedAnswer(
      status: 200, url: try SyncPieces.url("https://feeds.example/show"), validators: both,
      body: .same)
    state = AnswerDecision(answer, to: request, state: state, now: now).state
    #expect(state.validatorUse == .both)
    #expect(state.equalBodies == 1)
  }

  @Test("a 304 or another body between two equal ones starts the count again") func interrupted()
    throws
  {
    let url = try SyncPieces.url("https://feeds.example/show")
    let other = SyncPieces.contents(
      ["d", "c"], newest: SyncPieces.hour(1), digest: "new", now: SyncPieces.hour(1))
    for (status, body) in [(304, FeedAnswer.Body.none), (200, .feed(other))] {
      var state = try SyncPieces.state()
      for answer in [(200, .same), (status, body), (200, .same)] as [(Int, FeedAnswer.Body)] {
        let now = SyncPieces.hour(2)
        let request = ConditionalRequest(state, settingsDigest: "s", now: now)
        state =
          AnswerDecision(
            FeedAnswer(status: answer.0, url: url, validators: both, body: answer.1), to: request,
            state: state, now: now
          ).state
      }
      #expect(state.validatorUse == .both)
      #expect(state.equalBodies == 1)
    }
  }

  @Test(
    "a Last-Modified that cannot be right is not stored",
    arguments: [(-1, true), (0, true), (0.001, false), (100_000, false)])
  func future(hours: Double, isStored: Bool) {
    let found = FeedValidators(
      etag: "\"1\"", lastModified: "date", modified: SyncPieces.hour(hours),
      date: SyncPieces.hour(0))
    #expect(found.lastModified == (isStored ? "date" : nil))
    #expect(found.etag == "\"1\"")
  }

  @Test("a date of 1970, an empty validator and a very long one are not stored") func useless() {
    let now = SyncPieces.hour(0)
    let zero = FeedValidators(
      etag: "", lastModified: "Thu, 01 Jan 1970 00:00:00 GMT",
      modified: Date(timeIntervalSince1970: 0), date: now)
    #expect(zero.isEmpty)
    let long = String(repeating: "x", count: FieldValue.maximumBytes + 1)
    #expect(FeedValidators(etag: long, lastModified: long, modified: nil, date: now).isEmpty)
    let text = FeedValidators(etag: nil, lastModified: "yesterday", modified: nil, date: now)
    #expect(text.lastModified == "yesterday")
  }
}
