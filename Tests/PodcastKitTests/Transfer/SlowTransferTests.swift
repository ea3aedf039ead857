import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Slow transfers") struct SlowTransferTests {
  /// 1 KiB/s over five minutes: 300 KiB.
  private static let limit = SlowLimit()

  /// When a transfer that gets so many bytes in each minute is slow, in minutes since it began.
  private static func slow(_ minutes: [Int], step: Int = 1) -> [Int] {
    var transfer = SlowTransfer(limit)
    _ = transfer.isSlow(at: .zero)
    var found: [Int] = []
    for second in 1...minutes.count * 60 {
      let minute = (second - 1) / 60
      transfer.add(minutes[minute] / 60)
      if second % step == 0, transfer.isSlow(at: .seconds(second)) { found.append(second) }
    }
    return found.map { $0 / 30 }
  }

  @Test("slow is what stays below the average of a whole window") func windows() {
    let (drip, enough) = (60, 61_440)
    // The numbers are half minutes: the first window, and then each half of one.
    #expect(Self.slow(Array(repeating: drip, count: 11)) == [10, 15, 20])
    #expect(Self.slow(Array(repeating: enough, count: 11)) == [])
    #expect(Self.slow(Array(repeating: enough - 60, count: 11)) == [10, 15, 20])
    #expect(Self.slow(Array(repeating: drip, count: 4)) == [])
    // Much in one minute is enough for the window that has it.
    #expect(Self.slow([400_000] + Array(repeating: drip, count: 10)) == [15, 20])
    #expect(Self.slow(Array(repeating: drip, count: 4) + [400_000, drip, drip]) == [])
  }

  @Test("while nobody measures, as when a machine sleeps, nothing is slow") func gaps() {
    var transfer = SlowTransfer(Self.limit)
    let found = [0, 150, 4000, 4150, 4300].map { transfer.isSlow(at: .seconds($0)) }
    #expect(found == [false, false, false, false, true])
    // A wait for podget itself begins it again.
    transfer.begin()
    let later = [4450, 4600, 4750].map { transfer.isSlow(at: .seconds($0)) }
    #expect(later == [false, false, true])
  }

  @Test("no limit and no number of bytes is too large") func bounds() {
    var transfer = SlowTransfer(SlowLimit(bytesPerSecond: .max, window: .seconds(1 << 60)))
    for second in 0...3 {
      transfer.add(.max)
      let isSlow = transfer.isSlow(at: .seconds(second * 400_000))
      #expect(!isSlow)
    }
    #expect(SlowLimit(bytesPerSecond: -1, window: .zero).bytes == 0)
  }
}
