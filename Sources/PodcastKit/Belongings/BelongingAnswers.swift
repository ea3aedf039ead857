import FoundationEssentials
import PodcastLibrary
import PodcastModel
import Synchronization

/// What became of requests for files beside episodes: so that a run does not ask again and again.
///
/// A watch may run for months, so what is known is forgotten after an hour.
final class BelongingAnswers: Sendable {
  /// After how many answers in a row that took too long a host is left alone.
  private static let mostTimeouts = 2
  private static let lifetime: TimeInterval = 3_600
  private static let mostFailures = 1_000

  private struct State {
    var timeouts: [String: (count: Int, last: Date)] = [:]
    var failures: [String: (error: PodgetError, time: Date)] = [:]
  }

  private let state = Mutex(State())

  /// Whether a host is left alone.
  func isSlow(_ host: String, at now: Date) -> Bool {
    state.withLock { state in
      guard let known = state.timeouts[host] else { return false }
      if Self.counts(known.last, at: now) { return known.count >= Self.mostTimeouts }
      state.timeouts[host] = nil
      return false
    }
  }

  /// Notes that an answer of a host took too long.
  ///
  /// - Returns: whether the host is left alone from now on.
  func noteTimeout(of host: String, at now: Date) -> Bool {
    state.withLock { state in
      let count = (state.timeouts[host]?.count ?? 0) + 1
      state.timeouts[host] = (count, now)
      return count == Self.mostTimeouts
    }
  }

  /// Why an address gave nothing a short time ago; nil if that is not so.
  func failure(of address: String, at now: Date) -> PodgetError? {
    state.withLock { state in
      state.failures[address].flatMap { Self.counts($0.time, at: now) ? $0.error : nil }
    }
  }

  /// Notes why an address gave nothing.
  func note(_ error: PodgetError, of address: String, at now: Date) {
    state.withLock { state in
      if state.failures.count >= Self.mostFailures { state.failures = [:] }
      state.failures[address] = (error, now)
    }
  }

  private static func counts(_ time: Date, at now: Date) -> Bool {
    time <= now && now.timeIntervalSince(time) < lifetime
  }
}

/// How many requests may still be made.
final class RequestBudget: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  /// Takes one, if there is one.
  func take() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }
}

extension LocalEpisode {
  /// Whether it may be time to ask again for what it lacks: nothing is asked for twice within an hour.
  func mayBeDue(at now: Date) -> Bool {
    triedAt.map { $0 > now || now.timeIntervalSince($0) >= 3_600 } ?? true
  }
}

extension PlannedBelonging {
  /// The host of its address.
  var host: String? {
    url.flatMap { WebAddress(WebAddress.forRequest($0)) }.map { $0.host }
  }
}
