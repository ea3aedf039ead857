/// Shares a rate of bytes among transfers: a token bucket for each, filled evenly from one source.
///
/// The unused share of a slow transfer goes to the others, so that together they reach the rate
/// whenever there is enough to read. A transfer may overdraw its bucket by the current piece and
/// then waits until that is paid back, so the long-term rate is exact. The caller passes the time;
/// nothing here reads a clock.
final class RateLimiter {
  private let bytesPerSecond: Double
  private var tokens: [Int: Double] = [:]
  /// The debt of ended transfers; no tokens are added until it is paid back.
  private var owed = 0.0

  /// The maximum content of the buckets together, as a time at the full rate; it bounds a burst.
  private static let depth = 0.1

  /// Creates a limiter of a rate, which is above zero.
  init(bytesPerSecond: Int64) {
    self.bytesPerSecond = Double(bytesPerSecond)
  }

  /// Whether a transfer may read now.
  func mayRead(_ transfer: Int) -> Bool { tokens[transfer, default: 0] > 0 }

  /// Takes a piece of a body if the transfer may read it now.
  func admits(_ bytes: Int, for transfer: Int) -> Bool {
    guard mayRead(transfer) else { return false }
    tokens[transfer, default: 0] -= Double(bytes)
    return true
  }

  /// Shares the debt of an ended transfer among all.
  func forget(_ transfer: Int) {
    owed -= min(0, tokens.removeValue(forKey: transfer) ?? 0)
  }

  /// Fills the buckets for the time since the last call.
  ///
  /// - Parameter transfers: those that want to read; the buckets of others are dropped, except for
  ///   their debts.
  func refill(after elapsed: Duration, for transfers: Set<Int>) {
    tokens = tokens.filter { transfers.contains($0.key) || $0.value < 0 }
    var left = bytesPerSecond * max(0, min(elapsed.inSeconds, 1))
    let repaid = min(owed, left)
    owed -= repaid
    left -= repaid
    guard !transfers.isEmpty else { return }
    let capacity = bytesPerSecond * Self.depth / Double(transfers.count)
    var open = transfers
    // Each round either uses everything or fills at least one bucket, so there are never more
    // rounds than buckets. The rounding error of large numbers is dropped.
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

  /// The time until a transfer may read, if so many share the rate.
  func wait(for transfer: Int, among count: Int) -> Duration {
    let debt = -tokens[transfer, default: 0]
    guard debt >= 0 else { return .zero }
    return .seconds((owed + (debt + 1) * Double(max(1, count))) / bytesPerSecond)
  }
}
