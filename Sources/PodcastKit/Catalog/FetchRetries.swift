import FoundationEssentials
import PodcastModel
import PodcastTransfer

/// Repeats requests for documents that failed, as a retry policy says: network errors, 408, 425, 429
/// and 5xx. A Retry-After is obeyed up to ``RetryPolicy/longestRetryAfter``.
struct FetchRetries: Sendable {
  var policy: RetryPolicy
  var clock: any Clock<Duration>
  var now: @Sendable () -> Date
  var randomness: any RandomNumberGenerator & Sendable
  /// Waits before another attempt; nil for the clock alone.
  var pause: (@Sendable (Duration) async throws -> Void)?

  /// Makes attempts until one succeeds. Cancelling the task ends an attempt or a wait at once.
  ///
  /// - Parameters:
  ///   - name: what is asked, for messages.
  ///   - retriesForbidden: whether 403 is retried too, as Apple's rate limit needs it.
  ///   - explain: the error of the last failure.
  ///   - attempt: one request.
  func run<Value>(
    _ name: String, retriesForbidden: Bool = false,
    explain: (FetchFailure) -> PodgetError = { $0.error },
    _ attempt: () async throws(FetchFailure) -> Value
  ) async throws(PodgetError) -> Value {
    do throws(FetchFailure) {
      return try await attempts(name, retriesForbidden: retriesForbidden, attempt)
    } catch {
      throw error.isPostponed ? error.error : explain(error)
    }
  }

  /// Makes attempts as ``run(_:retriesForbidden:explain:_:)`` does, and throws the last failure with
  /// the answer that it had.
  func attempts<Value>(
    _ name: String, retriesForbidden: Bool = false,
    _ attempt: () async throws(FetchFailure) -> Value
  ) async throws(FetchFailure) -> Value {
    var generator = randomness
    var number = 1
    while true {
      do {
        return try await attempt()
      } catch {
        let isForbidden = retriesForbidden && error.answer?.head.status == 403
        guard error.isTransient || isForbidden, number <= policy.retries else {
          throw error
        }
        number += 1
        let jitter = policy.delay(beforeAttempt: number, using: &generator)
        let asked = try askedDelay(error, name)
        do {
          let wait = max(jitter, asked)
          if let pause { try await pause(wait) } else { try await clock.sleep(for: wait) }
        } catch {
          throw FetchFailure(
            error: PodgetError(.network, "The request to \(name) was stopped."),
            isTransient: false)
        }
      }
    }
  }

  /// The wait that the server asks for; throws when it is longer than podget waits.
  private func askedDelay(
    _ failure: FetchFailure, _ name: String
  ) throws(FetchFailure) -> Duration {
    let now = now()
    guard let head = failure.answer?.head, let asked = RetryPolicy.retryAfter(head, now: now)
    else { return .zero }
    guard asked <= RetryPolicy.longestRetryAfter else {
      let moment = now.addingTimeInterval(min(asked / .seconds(1), 1e10))
      var failure = failure
      failure.error = PodgetError(
        .httpStatus, "\(name) is rate-limited until \(Self.minute(moment)); try again then.",
        httpStatus: failure.error.httpStatus)
      failure.isPostponed = true
      throw failure
    }
    return asked
  }

  private static func minute(_ date: Date) -> String {
    let day = CivilDay(date)
    let minutes = Int(date.calendarSeconds) / 60 - day.daysSince1970 * 1440
    func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(day) \(padded(minutes / 60)):\(padded(minutes % 60)) UTC"
  }
}
