import PodcastKit
import PodcastLibrary
import Testing

@testable import podget

@Suite("absurd numbers") struct AbsurdNumberTests {
  @Test(
    "no announced total crashes the display",
    arguments: [Int64.max, Int64.max - 1, 1] as [Int64])
  func totals(total: Int64) {
    var display = LiveDisplay(style: .sample)
    let plans = (0..<200).map { Sample.plan(key: "\($0)") }
    for plan in plans { display.take(DownloadEvent(plan, .planned(total: total)), now: .zero) }
    for plan in plans.prefix(3) {
      display.take(DownloadEvent(plan, .started(resumedFrom: total)), now: .zero)
      for (second, received) in [0, 1, 2, total].enumerated() {
        let now = Duration.seconds(second)
        display.take(DownloadEvent(plan, .progress(received: received, total: total)), now: now)
        for columns in [1, 20, 40, 80, 200] {
          _ = display.frame(columns: columns, rows: 24, now: now, showsKeys: true)
        }
      }
      display.take(DownloadEvent(plan, .restarted(.changed)), now: .seconds(5))
    }
    for columns in [1, 20, 40, 80, 200] {
      _ = display.frame(columns: columns, rows: 24, now: .seconds(6), showsKeys: true)
    }
    var summary = Summary()
    for plan in plans {
      let file = FinishedFile(path: "a.mp3", bytes: total, sha256: nil)
      display.take(DownloadEvent(plan, .finished(file)), now: .seconds(7))
      summary.count(DownloadEvent(plan, .finished(file)))
    }
    #expect(summary.bytes == (total == 1 ? 200 : .max))
  }

  @Test("no time left is too long to be written") func times() {
    for seconds in [Double.nan, .infinity, 1e300, 9.3e18, -1, -.infinity, 8_640_000] {
      _ = DurationText.clock(seconds: seconds)
    }
    #expect(DurationText.clock(seconds: 9e22) == "months")
    #expect(DurationText.clock(seconds: 7.9) == "0:07")
    for duration in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
      _ = JSONText.line(.seconds(duration))
      _ = DurationText.clock(duration)
      _ = DurationText.delay(duration)
    }
  }
}

@Suite("Sizes and times in words") struct UnitTextTests {
  @Test(
    "sizes",
    arguments: [
      (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (24_117_248, "23.0 MiB"),
      (102_297, "99.9 KiB"), (102_400, "100 KiB"), (1_048_063, "1023 KiB"),
      (1_048_575, "1.0 MiB"), (Int64.max, "8.0 EiB"), (-5, "0 B"),
    ] as [(Int64, String)])
  func sizes(bytes: Int64, text: String) {
    #expect(ByteText.size(bytes) == text)
  }

  @Test("current and total size") func sizeOfTotal() {
    #expect(ByteText.size(10_590_618, of: 24_117_248) == "10.1/23.0 MiB")
    #expect(ByteText.size(524_288, of: 1_288_490_189) == "0.0/1.2 GiB")
    #expect(ByteText.size(7, of: 0) == "7/0 B")
    #expect(ByteText.size(1024, of: 2048, isEstimate: true) == "1.0/~2.0 KiB")
  }

  @Test("rates") func rates() {
    #expect(ByteText.rate(1_258_291.2) == "1.2 MiB/s")
    #expect(ByteText.rate(-1) == "0 B/s")
    #expect(ByteText.rate(.infinity) == "9999 EiB/s")
    #expect(ByteText.rate(.nan) == "0 B/s")
  }

  @Test(
    "clocks",
    arguments: [
      (0, "0:00"), (7.9, "0:07"), (754, "12:34"), (3723, "1:02:03"), (35_999, "9:59:59"),
      (45_240, "12h 34m"), (172_800, "2 days"), (8_640_000, "months"),
      (1e18, "months"), (-3, "0:00"),
    ] as [(Double, String)])
  func clocks(seconds: Double, text: String) {
    #expect(DurationText.clock(.seconds(seconds)) == text)
  }

  @Test("delays are not rounded down") func delays() {
    #expect(DurationText.delay(.milliseconds(2400)) == "3 s")
    #expect(DurationText.delay(.seconds(3)) == "3 s")
    #expect(DurationText.delay(.seconds(121)) == "3 min")
  }
}
