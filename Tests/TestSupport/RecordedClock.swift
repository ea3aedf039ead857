import Synchronization

/// A clock on which every wait is over at once; it remembers how long each should have lasted.
public final class RecordedClock: Clock {
  /// A moment of the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public var offset: Duration

    /// The moment that much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The time from this moment to another.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Earlier moments are smaller.
    public static func < (first: Instant, second: Instant) -> Bool {
      first.offset < second.offset
    }
  }

  private let state = Mutex<(now: Duration, waits: [Duration])>((.zero, []))

  /// Creates a clock at zero.
  public init() {}

  /// The time after all waits so far.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }

  /// The smallest difference that the clock knows.
  public var minimumResolution: Duration { .zero }

  /// How long each wait should have lasted.
  public var waits: [Duration] { state.withLock { $0.waits } }

  /// Moves the clock on; throws when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { state in
      state.waits.append(deadline.offset - state.now)
      state.now = max(state.now, deadline.offset)
    }
  }
}
