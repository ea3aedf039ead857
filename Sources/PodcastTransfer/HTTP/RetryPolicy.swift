public import FoundationEssentials
import PodcastModel

/// How often and how soon a failure is retried.
public struct RetryPolicy: Sendable, Hashable {
  /// The longest Retry-After that podget waits for.
  public static let longestRetryAfter = Duration.seconds(300)

  /// The maximum number of retries; 0 means one attempt in total.
  public var retries: Int
  /// The longest wait before the second attempt; it doubles for each further one.
  public var baseDelay: Duration
  /// The maximum of all waits.
  public var maximumDelay: Duration

  /// Creates a policy.
  public init(
    retries: Int = 3, baseDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(60)
  ) {
    self.retries = retries
    self.baseDelay = baseDelay
    self.maximumDelay = maximumDelay
  }

  /// The wait before an attempt: a random time from zero to the doubled base delay (full jitter),
  /// so that many clients that failed together do not return together.
  ///
  /// The first attempt is number 1 and has no wait.
  public func delay(
    beforeAttempt attempt: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    guard attempt >= 2 else { return .zero }
    let (base, cap) = (Self.seconds(baseDelay), Self.seconds(maximumDelay))
    var longest = base
    // Stops at the cap, so that a late attempt cannot overflow.
    for _ in 2..<attempt where longest < cap { longest *= 2 }
    longest = min(longest, cap)
    guard longest > 0 else { return .zero }
    return .seconds(Double.random(in: 0...longest, using: &generator))
  }

  /// Whether a status may be temporary: 408, 425, 429 and 500 to 599.
  public static func isTransient(status: Int) -> Bool {
    switch status {
    case 408, 425, 429, 500...599: true
    default: false
    }
  }

  /// The wait in a Retry-After field: seconds or an HTTP date (RFC 9110, 10.2.3).
  ///
  /// A time in the past gives zero; an invalid value gives nil.
  public static func retryAfter(_ value: String, now: Date) -> Duration? {
    let text = value.trimmingWhitespace()
    if let seconds = Int64(text) { return .seconds(max(0, seconds)) }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than 64 bits hold.
      return .seconds(Int64.max)
    }
    guard let date = Date(httpDate: text, now: now) else { return nil }
    return .seconds(max(0, date.timeIntervalSince(now)))
  }

  /// The wait in an answer's Retry-After; nil without a valid one.
  ///
  /// A date is one of the server's clock, which may be wrong by more than the wait. If the answer
  /// has a valid `Date`, that is the time of the server's clock (RFC 9110, 6.6.1).
  public static func retryAfter(_ head: ResponseHead, now: Date) -> Duration? {
    guard let field = head.first("Retry-After") else { return nil }
    let date = head.first("Date").flatMap { Date(httpDate: $0.trimmingWhitespace(), now: now) }
    return retryAfter(field, now: date ?? now)
  }

  /// The Retry-After of an answer whose request may be retried; nil without one.
  package static func retryAfter(of end: TransferEnd, now: Date) -> Duration? {
    guard let head = end.head, isTransient(status: head.status) else { return nil }
    return retryAfter(head, now: now)
  }

  private static func seconds(_ duration: Duration) -> Double {
    max(0, duration / .seconds(1))
  }
}
