/// The clock of a run, which may last for years. It sleeps in short steps: a sleep that is cancelled keeps
/// half a kilobyte until its time has come, and every feed that is asked has a deadline.
public struct RunClock: Clock {
  /// A moment of the clock.
  public typealias Instant = ContinuousClock.Instant

  /// The longest single sleep.
  private static let step = Duration.seconds(5)

  /// Creates the clock.
  public init() {}

  /// The present moment.
  public var now: Instant { .now }

  /// The smallest difference that the clock knows.
  public var minimumResolution: Duration { ContinuousClock().minimumResolution }

  /// Sleeps until a moment; throws when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    while now < deadline {
      let end = min(deadline, now.advanced(by: Self.step))
      try await ContinuousClock().sleep(until: end, tolerance: tolerance)
    }
  }
}
