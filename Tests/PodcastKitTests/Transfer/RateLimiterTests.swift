import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Rate limiter") struct RateLimiterTests {
  /// Lets transfers read pieces as a loop does, every 10 ms of a clock that only this test moves.
  private func bytesRead(
    rate: Int64, seconds: Int, appetites: [Int: Int], piece: Int = 16_384
  ) -> [Int: Int] {
    let limiter = RateLimiter(bytesPerSecond: rate)
    var read: [Int: Int] = [:]
    for _ in 0..<(seconds * 100) {
      limiter.refill(after: .milliseconds(10), for: Set(appetites.keys))
      for (transfer, appetite) in appetites {
        var left = appetite
        while left > 0 {
          let count = min(piece, left)
          guard limiter.admits(count, for: transfer) else { break }
          read[transfer, default: 0] += count
          left -= count
        }
      }
    }
    return read
  }

  @Test("one transfer reads at the rate over time", arguments: [200_000, 2_000_000, 20_000_000])
  func single(rate: Int64) {
    let read = bytesRead(rate: rate, seconds: 20, appetites: [1: .max])[1] ?? 0
    #expect(abs(Double(read) / 20 / Double(rate) - 1) < 0.01)
  }

  @Test("busy transfers get equal shares") func equal() {
    let read = bytesRead(rate: 4_000_000, seconds: 20, appetites: [1: .max, 2: .max, 3: .max])
    let total = read.values.reduce(0, +)
    #expect(abs(Double(total) / 20 / 4_000_000 - 1) < 0.01)
    for count in read.values { #expect(abs(Double(count) * 3 / Double(total) - 1) < 0.01) }
  }

  @Test("the unused share of a slow transfer goes to the others") func leftOver() {
    // The slow one gets 1000 bytes every 10 ms: 100 kB/s.
    let read = bytesRead(rate: 1_000_000, seconds: 20, appetites: [1: 1000, 2: .max])
    #expect(read[1] == 2_000_000)
    #expect(abs(Double(read[2] ?? 0) / 20 / 900_000 - 1) < 0.05)
  }

  @Test("unused shares are kept for at most a tenth of a second") func burst() {
    let limiter = RateLimiter(bytesPerSecond: 1_000_000)
    for _ in 0..<1000 { limiter.refill(after: .milliseconds(10), for: [1]) }
    var read = 0
    while limiter.admits(1000, for: 1) { read += 1000 }
    #expect(read == 100_000)
  }

  /// Numbers of this size have no fractions: what is left to share may be too small for a sum to
  /// change by it.
  @Test("the largest rate is shared in finite time", .timeLimit(.minutes(5)))
  func largest() {
    let limiter = RateLimiter(bytesPerSecond: .max)
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<10_000 {
      let transfers = Set((1...Int.random(in: 1...7, using: &generator)))
      let elapsed = Duration.nanoseconds(Int64.random(in: 0...40_000_000, using: &generator))
      limiter.refill(after: elapsed, for: transfers)
      for transfer in transfers {
        _ = limiter.admits(.random(in: 0...16_384, using: &generator), for: transfer)
      }
    }
    #expect(limiter.mayRead(1))
  }

  @Test("the debt of ended transfers is paid back before others read") func forgotten() {
    let limiter = RateLimiter(bytesPerSecond: 1000)
    var read = 0
    var seconds = 0
    // Each takes one piece of 16,000 bytes and ends.
    for transfer in 1...5 {
      while !limiter.admits(16_000, for: transfer) {
        limiter.refill(after: .seconds(1), for: [transfer])
        seconds += 1
      }
      limiter.forget(transfer)
      read += 16_000
    }
    #expect(abs(seconds - (read - 16_000) / 1000) <= 5)
  }

  @Test("a transfer that overdrew waits until it is paid back") func debt() {
    let limiter = RateLimiter(bytesPerSecond: 1000)
    limiter.refill(after: .milliseconds(1), for: [1])
    #expect(limiter.admits(501, for: 1) && !limiter.mayRead(1))
    let wait = limiter.wait(for: 1, among: 1)
    #expect(wait > .milliseconds(499) && wait < .milliseconds(503))
    limiter.refill(after: wait, for: [1])
    #expect(limiter.mayRead(1))
  }

  @Test("a debt outlives a pause") func pause() {
    let limiter = RateLimiter(bytesPerSecond: 1000)
    limiter.refill(after: .milliseconds(1), for: [1])
    #expect(limiter.admits(500, for: 1))
    limiter.refill(after: .milliseconds(100), for: [])
    #expect(!limiter.mayRead(1))
  }
}
