package import FoundationEssentials

/// When `sync --watch` asks a feed again.
///
/// A feed with an episode a day is asked every three hours, a weekly one about once a day, and one of
/// these checks falls just behind the time at which the next episode is expected:
///
///     newest ─┬────┬────┬────┬────┬────┬────┬──┐ expected
///             └ an eighth of the rhythm each   └──┬─┬──┬────┬────────┬── … an eighth again
///                                                 the wait doubles while it is late
///
/// Caching headers make it later, never sooner; a deferral is exact.
package struct CheckPace: Sendable, Hashable {
  /// The shortest time between two checks.
  package static let shortest = Duration.seconds(15 * 60)
  /// The longest time between two checks.
  package static let longest = Duration.seconds(86_400)
  /// The rhythm of a feed that does not show one: most podcasts are weekly.
  package static let usualRhythm = Duration.seconds(7 * 86_400)

  /// The user's interval, which replaces every pace but a deferral; nil without one.
  package var interval: Duration?

  /// Creates a pace.
  package init(interval: Duration? = nil) {
    self.interval = interval
  }

  /// The time of the next check; nil for never.
  ///
  /// - Parameters:
  ///   - result: what this check brought.
  ///   - state: what is remembered after it, ``FeedState/record(newEpisodes:at:)`` included.
  ///   - address: the subscription's address. Each one has a phase of its own, so that feeds that
  ///     were checked together do not stay together.
  package func nextCheck(
    after result: FeedResult, state: FeedState, address: FeedURL, now: Date
  ) -> Date? {
    let wait: Duration
    switch result {
    case .gone: return nil
    case .deferred(let deferral): return max(deferral.until, now + (interval ?? .zero))
    case .unchanged, .read: wait = interval ?? Self.wait(state, Self.phase(address), now)
    case .failed(.passwordRequired): wait = interval ?? Self.longest
    case .failed:
      wait = interval ?? Self.backoff(failures: state.failures, phase: Self.phase(address))
    }
    return now + wait
  }

  /// Whether a feed is due.
  ///
  /// A time further away than any pace was stored by a clock that was wrong, or under another
  /// interval, and is ignored.
  package func isDue(_ state: FeedState, now: Date) -> Bool {
    guard let next = state.nextCheck else { return true }
    let furthest = max(
      interval ?? .zero, state.notBefore == nil ? Self.longest : Deferral.longest)
    return next <= now || next > now + furthest
  }

  /// The wait after a round without any network: a minute, doubled for each further one, to a quarter
  /// of an hour.
  ///
  /// - Parameter rounds: how many rounds in a row had none, from 1.
  package func waitWithoutNetwork(rounds: Int) -> Duration {
    interval ?? Self.doubled(.seconds(60), times: rounds - 1, to: .seconds(15 * 60))
  }

  /// How long an answer may be cached: the longer of `max-age` and what remains until `Expires`.
  ///
  /// - Parameter date: the time of the answer by the server's clock.
  package static func lifetime(maxAge: Duration?, expires: Date?, date: Date) -> Duration? {
    let rest = expires.map { expires in
      let seconds = expires.timeIntervalSince(date)
      return Duration.seconds(min(max(seconds.isNaN ? 0 : seconds, 0), 86_400))
    }
    return [maxAge, rest].compactMap(\.self).max().map { min(max($0, .zero), longest) }
  }
}

extension CheckPace {
  private static func wait(_ state: FeedState, _ phase: Double, _ now: Date) -> Duration {
    // The phase must not lead out of the limits.
    let (least, most) = (shortest / 0.9, longest / 1.1)
    var paced = most
    if !state.isComplete {
      paced = min(max((state.rhythm ?? usualRhythm) / 8, least), most)
      for _ in 0..<min(max(state.quietChecks, 0), 100) where paced < most { paced = paced * 1.5 }
      paced = min(paced, most)
    }
    let floors = [state.ttl, state.maxAge].compactMap(\.self).map { min($0, longest) }
    let expecting = expecting(state, usual: paced * phase, phase, now)
    return max(expecting ?? paced * phase, floors.max() ?? .zero)
  }

  /// The wait for the next episode of a feed that shows when it comes; nil if it does not.
  ///
  /// - Parameter usual: the wait between two checks without that.
  private static func expecting(
    _ state: FeedState, usual: Duration, _ phase: Double, _ now: Date
  ) -> Duration? {
    guard !state.isComplete, state.quietChecks <= 0, let rhythm = state.rhythm,
      let newest = state.newest, newest <= now, rhythm > .zero
    else { return nil }
    // Servers need a while, and many podcasts come at the same minute.
    let step = min(max(rhythm / 96, shortest), .seconds(3600))
    let delay = step * (0.1 + 2 * (phase - 0.9))
    let late = Duration.seconds(now.timeIntervalSince(newest)) - rhythm
    guard late < delay else { return max(min(max(late, step), usual), min(shortest, usual)) }
    let left = delay - late
    // As many checks as usual, or one less, so that the last one comes at that time.
    let count = (left / min(usual * 1.1, longest)).rounded(.up)
    return max(left / max(count, 1), min(shortest, usual))
  }

  /// An hour after the first failure, doubled for each further one, to a day.
  private static func backoff(failures: Int, phase: Double) -> Duration {
    min(doubled(.seconds(3600), times: failures - 1, to: longest) * phase, longest)
  }

  private static func doubled(_ base: Duration, times: Int, to most: Duration) -> Duration {
    var wait = base
    for _ in 0..<min(max(times, 0), 64) where wait < most { wait *= 2 }
    return min(wait, most)
  }

  /// From 0.9 to 1.1, always the same for one address.
  static func phase(_ address: FeedURL) -> Double {
    0.9 + 0.2 * Double(StableHash.of(["phase", address.text])) / 0x1p64
  }
}

extension Date {
  /// The time a wait later.
  fileprivate static func + (date: Date, wait: Duration) -> Date {
    date.addingTimeInterval(wait / .seconds(1))
  }
}
