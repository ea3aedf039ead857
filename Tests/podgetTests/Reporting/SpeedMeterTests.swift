import Testing

@testable import podget

@Suite("Speed") struct SpeedMeterTests {
  private func meter(from bytes: Int64, rate: Int64, tenths: Int) -> SpeedMeter {
    var meter = SpeedMeter()
    meter.begin(at: bytes, now: .zero)
    for tenth in 1...tenths {
      meter.record(bytes + rate * Int64(tenth) / 10, now: .milliseconds(100 * tenth))
    }
    return meter
  }

  @Test("bytes of an earlier run do not count") func resumed() throws {
    let meter = meter(from: 1_000_000_000, rate: 1000, tenths: 20)
    #expect(try #require(meter.speed(now: .seconds(2))) == 1000)
  }

  @Test("too little time gives no speed") func early() {
    #expect(SpeedMeter().speed(now: .seconds(9)) == nil)
    #expect(meter(from: 0, rate: 1000, tenths: 4).speed(now: .milliseconds(400)) == nil)
  }

  @Test("only the last five seconds count") func window() throws {
    var meter = meter(from: 0, rate: 1_000_000, tenths: 100)
    for tenth in 1...60 {
      meter.record(10_000_000 + Int64(tenth) * 100, now: .milliseconds(10_000 + 100 * tenth))
    }
    #expect(abs(try #require(meter.speed(now: .seconds(16))) - 1000) < 0.001)
  }

  @Test("it falls to nothing while nothing arrives") func stalled() throws {
    let meter = meter(from: 0, rate: 1000, tenths: 20)
    #expect(try #require(meter.speed(now: .seconds(4))) == 500)
    #expect(try #require(meter.speed(now: .seconds(60))) == 0)
  }

  @Test("fewer bytes than before restart the meter") func restarted() throws {
    var meter = meter(from: 5000, rate: 1000, tenths: 20)
    meter.record(0, now: .seconds(2))
    meter.record(3000, now: .seconds(3))
    #expect(try #require(meter.speed(now: .seconds(3))) == 3000)
  }
}
