import Foundation
import Testing

@testable import PodcastModel

@Suite("When a feed is checked again") struct CheckPaceTests {
  private let now = SyncPieces.hour(0)

  /// The seconds until the next check, divided by the phase of the address.
  private func wait(
    _ result: FeedResult = .unchanged, _ pace: CheckPace = CheckPace(),
    text: String = "https://a.b/",
    change: (inout FeedState) -> Void = { _ in }
  ) throws -> Double {
    var state = FeedState()
    change(&state)
    let url = try SyncPieces.url(text)
    let next = pace.nextCheck(after: result, state: state, address: url, now: now)
    return try #require(next).timeIntervalSince(now) / CheckPace.phase(url)
  }

  private func close(_ one: Double, _ other: Double) -> Bool { (one - other).magnitude < 0.001 }

  @Test(
    "an eighth of the rhythm, within limits that the phase keeps",
    arguments: [
      (1, 3 * 3600), (2, 6 * 3600), (7, 21 * 3600), (0.01, 1000), (0, 1000), (-1, 1000),
      (8, 86_400 / 1.1), (1000, 86_400 / 1.1), (nil, 21 * 3600),
    ] as [(Double?, Double)])
  func rhythm(days: Double?, seconds: Double) throws {
    let found = try wait { $0.rhythm = days.map { .seconds($0 * 86_400) } }
    #expect(close(found, seconds))
  }

  /// A podcast that is checked for half a year.
  ///
  /// - Parameters:
  ///   - rhythm: the days between two episodes.
  ///   - late: by how many hours each episode comes late, in turn.
  /// - Returns: how many checks there were for an episode, and how long, in hours, the episodes of the
  ///   second half had to wait: the middle one and the longest wait.
  private func year(
    rhythm: Double, late: [Double], text: String
  ) throws -> (checks: Double, usual: Double, longest: Double) {
    let url = try SyncPieces.url(text)
    let count = Int(180 / rhythm)
    let dates = (0...count).map { place in
      SyncPieces.hour(Double(place) * rhythm * 24 + late[place % late.count])
    }
    var (now, seen, checks) = (dates[1], 1, 0)
    var waits: [Double] = []
    var state = FeedState()
    state.rhythm = .seconds(rhythm * 86_400)
    state.newest = dates[0]
    while seen < dates.count {
      checks += 1
      let published = dates.count { $0 <= now }
      for date in dates[seen..<published] { waits.append(now.timeIntervalSince(date) / 3600) }
      state.newest = dates[published - 1]
      state.record(newEpisodes: published - seen, at: now)
      seen = published
      now = try #require(
        CheckPace().nextCheck(after: .unchanged, state: state, address: url, now: now))
    }
    waits.removeFirst(waits.count / 2)
    waits.sort()
    return (
      Double(checks) / Double(count), waits[waits.count / 2], try #require(waits.last)
    )
  }

  @Test(
    "an episode that comes at its time arrives within the hour, for as many checks as before",
    arguments: [
      // At an eighth of the rhythm always it is 7.8, 14.3, 8, 8 and 7.8 checks, and waits of up to a day.
      (7, [0], 7.8, 1, 1), (14, [0], 14.3, 1, 1), (2, [0], 8, 1, 1), (1, [0], 8, 1, 1),
      (7, [0, 0.3, -0.2, 0.2], 8.2, 1, 1.2),
      // What comes late, and then early, costs a few checks more.
      (7, [0, 3], 9.5, 4, 5), (7, [0, 20], 10.5, 21, 23), (1, [0, 1, 2], 10, 1, 3),
    ] as [(Double, [Double], Double, Double, Double)])
  func expected(
    rhythm: Double, late: [Double], checks: Double, usual: Double, longest: Double
  ) throws {
    let texts = (0..<40).map { "https://a.b/\($0)" }
    var sum = 0.0
    for text in texts {
      let found = try year(rhythm: rhythm, late: late, text: text)
      sum += found.checks
      #expect(found.usual <= usual && found.longest <= longest, "\(text): \(found)")
    }
    #expect(sum / Double(texts.count) <= checks, "\(sum / Double(texts.count))")
  }

  @Test("a time in the future and a rhythm of nothing change nothing") func wrongTimes() throws {
    for (newest, days) in [
      (SyncPieces.day(9), 7.0), (SyncPieces.day(-1), 0), (SyncPieces.day(-1), -1),
    ] {
      let found = try wait {
        $0.newest = newest
        $0.rhythm = .seconds(days * 86_400)
      }
      #expect(close(found, days > 0 ? 21 * 3600 : 1000))
    }
  }

  @Test("a podcast that is complete is checked once a day") func complete() throws {
    let found = try wait {
      $0.isComplete = true
      $0.rhythm = .seconds(86_400)
    }
    #expect(close(found, 86_400 / 1.1))
  }

  @Test("each check without an overdue episode makes it longer, up to a day") func quiet() throws {
    let hours = try [0, 1, 2, 3, 4, 50, Int.max, -1].map { count in
      try wait {
        $0.rhythm = .seconds(86_400)
        $0.quietChecks = count
      } / 3600
    }
    for (found, expected) in zip(hours, [3, 4.5, 6.75, 10.125, 15.1875, 24 / 1.1, 24 / 1.1, 3]) {
      #expect(close(found, expected))
    }
  }

  @Test("a check counts as quiet after two gaps, until there is a new episode") func counting() {
    var state = FeedState()
    state.rhythm = .seconds(86_400)
    state.newest = SyncPieces.day(0)
    var counts: [Int] = []
    for (day, news) in [(1, 0), (1.9, 0), (2, 0), (3, 0), (4, 1), (4.1, 0)] {
      state.record(newEpisodes: news, at: SyncPieces.day(day))
      counts.append(state.quietChecks)
    }
    #expect(counts == [0, 0, 1, 2, 0, 1])
    #expect(state.lastNew == SyncPieces.day(4))
    state.rhythm = nil
    state.record(newEpisodes: 0, at: SyncPieces.day(90))
    #expect(state.quietChecks == 0)
  }

  @Test(
    "caching makes it later, at most to a day, and never sooner",
    arguments: [
      (nil, nil, 0), (18_000, nil, 18_000), (nil, 18_000, 18_000), (18_000, 36_000, 36_000),
      (1_000_000, nil, 86_400), (nil, Int.max, 86_400), (60, 60, 0), (-60, nil, 0),
    ] as [(Int?, Int?, Double)])
  func floors(ttl: Int?, maxAge: Int?, seconds: Double) throws {
    let url = try SyncPieces.url("https://a.b/")
    let found = try wait {
      $0.rhythm = .seconds(86_400)
      $0.ttl = ttl.map { .seconds($0) }
      $0.maxAge = maxAge.map { .seconds($0) }
    }
    #expect(close(found, seconds == 0 ? 10_800 : seconds / CheckPace.phase(url)))
  }

  @Test("the lifetime of an answer is the longer of both, and no time in the past") func lifetime()
  {
    func life(_ maxAge: Int?, _ hours: Double?) -> Duration? {
      CheckPace.lifetime(
        maxAge: maxAge.map { .seconds($0) }, expires: hours.map { SyncPieces.hour($0) }, date: now)
    }
    #expect(life(nil, nil) == nil)
    #expect(life(60, nil) == .seconds(60))
    #expect(life(60, 1) == .seconds(3600))
    #expect(life(7200, 1) == .seconds(7200))
    #expect(life(nil, -5) == .zero)
    #expect(life(-5, nil) == .zero)
    #expect(life(Int.max, 1e12) == .seconds(86_400))
  }

  @Test(
    "failures back off from an hour to a day",
    arguments: [(0, 1), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 24), (1_000_000, 24)])
  func backoff(failures: Int, hours: Double) throws {
    let url = try SyncPieces.url("https://a.b/")
    let found = try wait(.failed(.broken)) { $0.failures = failures }
    #expect(close(found, min(hours * 3600, 86_400 / CheckPace.phase(url))))
  }

  @Test("a missing password is asked for again a day later, and a gone feed never") func ends()
    throws
  {
    let url = try SyncPieces.url("https://a.b/")
    let next = { (result: FeedResult) in
      CheckPace().nextCheck(after: result, state: FeedState(), address: url, now: now)
    }
    #expect(next(.failed(.passwordRequired)) == SyncPieces.hour(24))
    #expect(next(.gone) == nil)
  }

  @Test("a deferral is exact, and an interval does not shorten it") func deferral() throws {
    let url = try SyncPieces.url("https://a.b/")
    let result = FeedResult.deferred(Deferral(until: SyncPieces.hour(5)))
    for (interval, hour) in [(nil, 5), (1, 5), (36_000, 10)] as [(Int?, Double)] {
      let pace = CheckPace(interval: interval.map { .seconds($0) })
      let next = pace.nextCheck(after: result, state: FeedState(), address: url, now: now)
      #expect(next == SyncPieces.hour(hour))
    }
  }

  @Test("an interval fixes the pace") func interval() throws {
    let url = try SyncPieces.url("https://a.b/")
    var state = FeedState()
    state.ttl = .seconds(86_400)
    state.failures = 9
    for result in [
      FeedResult.unchanged, .read(.sharedEpisode), .failed(.broken), .failed(.passwordRequired),
    ] {
      let next = CheckPace(interval: .seconds(1)).nextCheck(
        after: result, state: state, address: url, now: now)
      #expect(next == now.addingTimeInterval(1))
    }
    #expect(CheckPace(interval: .seconds(7)).waitWithoutNetwork(rounds: 9) == .seconds(7))
  }

  @Test("without a network a minute, doubled to a quarter of an hour") func network() {
    let waits = [0, 1, 2, 3, 4, 5, 6, Int.max].map { CheckPace().waitWithoutNetwork(rounds: $0) }
    #expect(waits == [60, 60, 120, 240, 480, 900, 900, 900].map { Duration.seconds($0) })
  }

  @Test("each address has a phase of its own, which spreads them") func phases() throws {
    let phases = try (0..<200).map { CheckPace.phase(try SyncPieces.url("https://a.b/\($0)")) }
    #expect(phases.allSatisfy { (0.9...1.1).contains($0) })
    #expect(phases.count { $0 < 1 } > 60)
    #expect(phases.count { $0 > 1 } > 60)
    for text in (0..<50).map({ "https://a.b/\($0)" }) {
      for days in [0, 100] {
        let next = CheckPace().nextCheck(
          after: .unchanged,
          state: {
            var state = FeedState()
            state.rhythm = .seconds(days * 86_400)
            return state
          }(), address: try SyncPieces.url(text), now: now)
        let wait = try #require(next).timeIntervalSince(now)
        #expect(wait > 899.999 && wait < 86_400.001)
      }
    }
  }

  @Test(
    "a feed is due at its time, and when its time cannot be right",
    arguments: [
      (nil, nil, true), (0, nil, true), (-1, nil, true), (1, nil, false), (24, nil, false),
      (25, nil, true), (31 * 24, nil, true), (31 * 24, 40 * 24, false),
    ] as [(Double?, Int?, Bool)])
  func due(hours: Double?, interval: Int?, isDue: Bool) {
    var state = FeedState()
    state.nextCheck = hours.map { SyncPieces.hour($0) }
    let pace = CheckPace(interval: interval.map { .seconds($0 * 3600) })
    #expect(pace.isDue(state, now: now) == isDue)
  }

  @Test("a deferred feed waits longer than any pace") func deferredLong() {
    var state = FeedState()
    state.nextCheck = SyncPieces.day(29)
    state.notBefore = state.nextCheck
    #expect(!CheckPace().isDue(state, now: now))
    state.nextCheck = SyncPieces.day(31)
    #expect(CheckPace().isDue(state, now: now))
  }
}
