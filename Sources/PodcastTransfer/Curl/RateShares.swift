/// Shares a rate of bytes among transfers: a token bucket for each, filled evenly from one source.
///
/// What a slow transfer leaves of its share goes to the others, so that together they reach the
/// rate whenever there is enough to read. A transfer may overdraw its bucket by the piece it has at
/// hand and then waits until that is paid back, so the long-term rate is exact. Time comes from the
/// caller; nothing here reads a clock.
struct RateShares: Sendable {
  private let bytesPerSecond: Double
  private var tokens: [Int: Double] = [:]
  /// What ended transfers overdrew; nothing is handed out before it is paid back.
  private var owed = 0.0

  /// How much time's worth of bytes the buckets together hold at most; it bounds a burst.
  private static let depth = 0.1

  /// Makes shares of a rate, which is above zero.
  init(bytesPerSecond: Int64) {
    self.bytesPerSecond = Double(bytesPerSecond)
  }

  /// Whether a transfer may read now.
  func mayTake(_ transfer: Int) -> Bool { tokens[transfer, default: 0] > 0 }

  /// Notes that a transfer has read bytes.
  mutating func take(_ bytes: Int, for transfer: Int) {
    tokens[transfer, default: 0] -= Double(bytes)
  }

  /// Makes what an ended transfer overdrew everybody's debt.
  mutating func forget(_ transfer: Int) {
    owed -= min(0, tokens.removeValue(forKey: transfer) ?? 0)
  }

  /// Fills the buckets for the time that has passed since the last call.
  ///
  /// - Parameter transfers: those that want to read; the buckets of others are dropped, but for
  ///   what they owe.
  mutating func refill(after elapsed: Duration, for transfers: Set<Int>) {
    tokens = tokens.filter { transfers.contains($0.key) || $0.value < 0 }
    var left = bytesPerSecond * max(0, min(elapsed.inSeconds, 1))
    let repaid = min(owed, left)
    owed -= repaid
    left -= repaid
    guard !transfers.isEmpty else { return }
    let capacity = bytesPerSecond * Self.depth / Double(transfers.count)
    var open = transfers
    // Each round either hands out everything or fills at least one bucket, so more rounds than
    // buckets are never needed. What the rounding of large numbers leaves over is dropped.
    for _ in 0...transfers.count {
      let share = left / Double(open.count)
      for transfer in open {
        let before = tokens[transfer, default: 0]
        let after = min(before + share, max(before, capacity))
        tokens[transfer] = after
        left -= after - before
        if after >= capacity { open.remove(transfer) }
      }
      if left < 1 || open.isEmpty { break }
    }
  }

  /// How long until a transfer may read, when so many share the rate.
  func wait(for transfer: Int, among count: Int) -> Duration {
    let debt = -tokens[transfer, default: 0]
    guard debt >= 0 else { return .zero }
    return .seconds((owed + (debt + 1) * Double(max(1, count))) / bytesPerSecond)
  }
}

/// The rate limit of one loop thread, on its clock.
final class RateLimiter {
  private var shares: RateShares
  private var lastRefill = ContinuousClock.now

  init(bytesPerSecond: Int64) { shares = RateShares(bytesPerSecond: bytesPerSecond) }

  /// Fills up for the time that has passed.
  func refill(for transfers: Set<Int>) {
    let now = ContinuousClock.now
    shares.refill(after: now - lastRefill, for: transfers)
    lastRefill = now
  }

  /// Takes a piece of a body where that is allowed now.
  func admits(_ bytes: Int, for transfer: Int) -> Bool {
    guard shares.mayTake(transfer) else { return false }
    shares.take(bytes, for: transfer)
    return true
  }

  /// A transfer has ended.
  func forget(_ transfer: Int) { shares.forget(transfer) }

  func mayRead(_ transfer: Int) -> Bool { shares.mayTake(transfer) }

  func wait(for transfer: Int, among count: Int) -> Duration {
    max(.milliseconds(1), shares.wait(for: transfer, among: count))
  }
}
