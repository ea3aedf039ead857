import Synchronization

/// A clock that stops until a test advances it; a task that waits on it waits until then.
public final class SteppedClock: Clock {
  /// A moment of the clock.
  public typealias Instant = RecordedClock.Instant

  private struct State {
    var now = Duration.zero
    var nextNumber = 0
    var sleepers: [Int: (deadline: Duration, continuation: CheckedContinuation<Void, any Error>)] =
      [:]
  }

  private let state = Mutex(State())

  /// Creates a clock at zero.
  public init() {}

  /// The moment to which the test has moved the clock.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }

  /// The smallest difference that the clock knows.
  public var minimumResolution: Duration { .zero }

  /// How many wait for the clock.
  public var sleepers: Int { state.withLock { $0.sleepers.count } }

  /// When each of those that wait is woken, sorted.
  public var deadlines: [Duration] {
    state.withLock { $0.sleepers.values.map(\.deadline).sorted() }
  }

  /// Moves the clock on, and ends the waits that are over then.
  public func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits until the clock was moved so far; throws when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let end: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          guard deadline.offset > state.now else { return .success(()) }
          state.sleepers[number] = (deadline.offset, continuation)
          return nil
        }
        if let end { continuation.resume(with: end) }
      }
    } onCancel: {
      let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
