/// When a transfer counts as so slow that others need not wait for it.
public struct SlowLimit: Sendable, Hashable {
  /// The average in bytes per second below which it is.
  public var bytesPerSecond: Int64
  /// The time over which the average is taken.
  public var window: Duration

  /// Creates a limit; by default below what anyone would wait for.
  public init(bytesPerSecond: Int64 = 1024, window: Duration = .seconds(300)) {
    self.bytesPerSecond = max(0, bytesPerSecond)
    self.window = max(.milliseconds(2), min(window, .seconds(1_000_000)))
  }

  /// The fewest bytes of a window that is fast enough.
  var bytes: Int64 {
    let (bytes, overflows) = bytesPerSecond.multipliedReportingOverflow(
      by: max(1, window.wholeMilliseconds))
    return overflows ? .max : bytes / 1000
  }
}

/// Measures whether a transfer is slow: a pure value, which is told the time.
///
/// It counts by halves of a window, so that a slow transfer is known after one window, or one and a
/// half if it was fast before.
struct SlowTransfer: Sendable, Hashable {
  /// Transfers are measured each second; more than this was no measurement.
  private static let longestGap = Duration.seconds(60)

  private let limit: SlowLimit
  /// When the current half began, in any time; nil before the first moment.
  private var start: Duration?
  private var current: Int64 = 0
  /// The bytes of the half before; nil without one.
  private var previous: Int64?

  init(_ limit: SlowLimit) { self.limit = limit }

  /// Counts bytes that arrived.
  mutating func add(_ count: Int) {
    current = current.addingReportingOverflow(Int64(count)).overflow ? .max : current + Int64(count)
  }

  /// Forgets what was measured: the transfer waited for podget itself.
  mutating func begin() {
    start = nil
    current = 0
    previous = nil
  }

  /// Whether a window has ended just now in which too little arrived.
  ///
  /// - Parameter now: the time, not before that of the call before.
  mutating func isSlow(at now: Duration) -> Bool {
    let half = limit.window / 2
    guard let start, now - start < half + Self.longestGap else {
      // The first moment. Or nobody has measured for long, because the machine slept.
      begin()
      self.start = now
      return false
    }
    guard now - start >= half else { return false }
    defer {
      self.start = now
      (previous, current) = (current, 0)
    }
    guard let previous else { return false }
    let (sum, overflows) = previous.addingReportingOverflow(current)
    return !overflows && sum < limit.bytes
  }
}
