import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Shares of a rate") struct RateSharesTests {
  /// Lets transfers read pieces as a loop does, every 10 ms of a clock that only this test moves.
  private func bytesRead(
    rate: Int64, seconds: Int, appetites: [Int: Int], piece: Int = 16_384
  ) -> [Int: Int] {
    var shares = RateShares(bytesPerSecond: rate)
    var read: [Int: Int] = [:]
    for _ in 0..<(seconds * 100) {
      shares.refill(after: .milliseconds(10), for: Set(appetites.keys))
      for (transfer, appetite) in appetites {
        var left = appetite
        while left > 0, shares.mayTake(transfer) {
          let count = min(piece, left)
          shares.take(count, for: transfer)
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
    var shares = RateShares(bytesPerSecond: 1_000_000)
    for _ in 0..<1000 { shares.refill(after: .milliseconds(10), for: [1]) }
    var read = 0
    while shares.mayTake(1) {
      shares.take(1000, for: 1)
      read += 1000
    }
    #expect(read == 100_000)
  }

  /// Numbers of this size have no fractions: what is left to share may be too small for a sum to
  /// change by it.
  @Test("the largest rate is shared in finite time", .timeLimit(.minutes(1)))
  func largest() {
    var shares = RateShares(bytesPerSecond: .max)
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<10_000 {
      let transfers = Set((1...Int.random(in: 1...7, using: &generator)))
      let elapsed = Duration.nanoseconds(Int64.random(in: 0...40_000_000, using: &generator))
      shares.refill(after: elapsed, for: transfers)
      for transfer in transfers {
        shares.take(.random(in: 0...16_384, using: &generator), for: transfer)
      }
    }
    #expect(shares.mayTake(1))
  }

  @Test("the debt of ended transfers is paid back before others read") func forgotten() {
    var shares = RateShares(bytesPerSecond: 1000)
    var read = 0
    var seconds = 0
    // Each takes one piece of 16,000 bytes and ends.
    for transfer in 1...5 {
      while !shares.mayTake(transfer) {
        shares.refill(after: .seconds(1), for: [transfer])
        seconds += 1
      }
      shares.take(16_000, for: transfer)
      shares.forget(transfer)
      read += 16_000
    }
    #expect(abs(seconds - (read - 16_000) / 1000) <= 5)
  }

  @Test("a transfer that overdrew waits until it is paid back") func debt() {
    var shares = RateShares(bytesPerSecond: 1000)
    shares.refill(after: .milliseconds(1), for: [1])
    shares.take(501, for: 1)
    #expect(!shares.mayTake(1))
    let wait = shares.wait(for: 1, among: 1)
    #expect(wait > .milliseconds(499) && wait < .milliseconds(503))
    shares.refill(after: wait, for: [1])
    #expect(shares.mayTake(1))
  }

  @Test("a debt outlives a pause") func pause() {
    var shares = RateShares(bytesPerSecond: 1000)
    shares.take(500, for: 1)
    shares.refill(after: .milliseconds(100), for: [])
    #expect(!shares.mayTake(1))
  }
}
