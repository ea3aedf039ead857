import PodcastKit
import PodcastLibrary
import TestSupport
import Testing

@testable import podget

@Suite("The live lines") struct LiveDisplayTests {
  private static let style = TerminalStyle(hasColor: false, isUTF8: true)

  /// Two of three episodes run for ten seconds, the first from an earlier run's bytes on.
  private func display() -> LiveDisplay {
    var display = LiveDisplay(style: Self.style)
    let titles = ["275 - Psalms and Subjectivity", "日本語のポッドキャスト", "🎉 Third"]
    for (index, title) in titles.enumerated() {
      display.take(Sample.event(.planned(total: nil), title, key: "\(index)"), now: .zero)
    }
    display.take(Sample.event(.started(resumedFrom: 4_194_304), titles[0], key: "0"), now: .zero)
    display.take(Sample.event(.started(resumedFrom: 0), titles[1], key: "1"), now: .zero)
    for second in 1...10 {
      let bytes = Int64(second) * 1_048_576
      display.take(
        Sample.event(
          .progress(received: 4_194_304 + bytes, total: 24_117_248), titles[0], key: "0"),
        now: .seconds(second))
      display.take(
        Sample.event(.progress(received: bytes, total: 12_582_912), titles[1], key: "1"),
        now: .seconds(second))
    }
    return display
  }

  private func frame(_ display: LiveDisplay, _ columns: Int, rows: Int = 24) -> [String] {
    display.frame(columns: columns, rows: rows, now: .seconds(10), showsKeys: true).map(\.text)
  }

  @Test("a frame at 120 columns") func frame120() {
    #expect(
      frame(display(), 120) == [
        "275 - Psalms and Subjectivity                              ━━━━━━━━━━━╸───────"
          + "   60%  14.0/23.0 MiB   1.0 MiB/s     0:09",
        "日本語のポッドキャスト                                     ━━━━━━━━━━━━━━━╸───"
          + "   83%  10.0/12.0 MiB   1.0 MiB/s     0:02",
        "0/3 done  24.0/~52.5 MiB  2.0 MiB/s  ~0:14 left  p pause  q quit",
      ])
  }

  @Test("a frame at 80 columns") func frame80() {
    #expect(
      frame(display(), 80) == [
        "275 - Psalms and Subjectiv…  ━━━━━────   60%  14.0/23.0 MiB   1.0 MiB/s     0:09",
        "日本語のポッドキャスト       ━━━━━━━╸─   83%  10.0/12.0 MiB   1.0 MiB/s     0:02",
        "0/3 done  24.0/~52.5 MiB  2.0 MiB/s  ~0:14 left  p pause  q quit",
      ])
  }

  @Test("a frame at 40 columns") func frame40() {
    #expect(
      frame(display(), 40) == [
        "275 - Psalms and Subj…   60%   1.0 MiB/s",
        "日本語のポッドキャスト   83%   1.0 MiB/s",
        "0/3  24.0/~52.5 MiB  2.0 MiB/s  ~0:14",
      ])
  }

  @Test("a frame at 20 columns") func frame20() {
    #expect(
      frame(display(), 20) == [
        "275 - Psalms …   60%", "日本語のポッ…    83%", "0/3  ~0:14",
      ])
  }

  @Test("ended episodes disappear; the estimate becomes a sum") func ended() {
    var display = display()
    let file = FinishedFile(path: "a.mp3", bytes: 24_117_248, sha256: nil)
    display.take(Sample.event(.finished(file), key: "0"), now: .seconds(10))
    display.take(Sample.event(.failed(Sample.notFound), key: "2"), now: .seconds(10))
    let frame = frame(display, 80)
    #expect(frame.count == 2)
    #expect(frame.last?.hasPrefix("2/3 done  1 failed  33.0/35.0 MiB  ") == true)
    display.take(Sample.event(.cancelled(received: 1), key: "1"), now: .seconds(10))
    #expect(self.frame(display, 80).last?.hasPrefix("3/3 done  1 failed  23.0/23.0 MiB") == true)
  }

  @Test("when all are paused the total line says so") func paused() {
    var display = display()
    for key in ["0", "1"] { display.take(Sample.event(.paused, key: key), now: .seconds(10)) }
    let lines = frame(display, 80)
    #expect(lines[0].hasSuffix("14.0/23.0 MiB               paused"))
    #expect(lines[2] == "0/3 done  24.0/~52.5 MiB  paused  p resume  q quit")
    display.take(Sample.event(.resumed, key: "0"), now: .seconds(10))
    #expect(frame(display, 80)[2] == "0/3 done  24.0/~52.5 MiB  p pause  q quit")
  }

  @Test("a restarted episode begins at nothing") func restarted() {
    var display = display()
    display.take(Sample.event(.restarted(.changed), key: "0"), now: .seconds(10))
    let frame = frame(display, 80)
    #expect(frame[0].contains("   0%   0.0/23.0 MiB"))
    #expect(frame[2].hasPrefix("0/3 done  10.0/~52.5 MiB"))
  }

  @Test("more episodes than rows are counted", arguments: 1...12) func rows(rows: Int) {
    var display = LiveDisplay(style: Self.style)
    for key in 0..<8 {
      display.take(Sample.event(.planned(total: 9), key: "\(key)"), now: .zero)
      display.take(Sample.event(.started(resumedFrom: 0), key: "\(key)"), now: .zero)
    }
    let frame = frame(display, 80, rows: rows)
    #expect(frame.count == min(9, max(1, rows - 1)))
    #expect(frame.last?.hasPrefix("0/8 done") == true)
    if (3..<10).contains(rows) { #expect(frame[rows - 3] == "… and \(11 - rows) more") }
  }

  @Test("nothing planned, nothing drawn") func empty() {
    #expect(frame(LiveDisplay(style: Self.style), 80).isEmpty)
  }

  @Test("no line is wider than the window for random events", arguments: [1, 2, 3] as [UInt64])
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var display = LiveDisplay(style: Self.style)
    for step in 0..<300 {
      let key = Int.random(in: 0..<12, using: &random)
      let title = random.title()
      let now = Duration.milliseconds(step * 137)
      let received = Int64.random(in: 0...(1 << 40), using: &random)
      let kind: DownloadEvent.Kind =
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .planned(total: Bool.random(using: &random) ? nil : received)
        case 1, 2: .started(resumedFrom: received)
        case 3: .progress(received: received, total: nil)
        case 4, 5, 6: .progress(received: received, total: received + (1 << 39))
        case 7: Sample.kinds[Int.random(in: 0..<Sample.kinds.count, using: &random)]
        case 8: .retrying(attempt: 2, delay: .seconds(3), reason: .rangeProtocol)
        default: .progress(received: received / 1000, total: received)
        }
      display.take(Sample.event(kind, title, key: "\(key)"), now: now)
      let columns = Int.random(in: 1...160, using: &random)
      let rows = Int.random(in: 1...20, using: &random)
      let frame = display.frame(columns: columns, rows: rows, now: now, showsKeys: true)
      #expect(frame.count <= max(1, rows - 1))
      #expect(frame.allSatisfy { $0.width <= columns })
      #expect(frame.allSatisfy { !hasUnsafeScalars($0.text) })
    }
  }
}

extension SeededGenerator {
  /// Up to 60 scalars from blocks that are hard to measure, or unsafe.
  mutating func title() -> String {
    let blocks: [ClosedRange<UInt32>] = [
      0x00...0xFF, 0x300...0x36F, 0x600...0x6FF, 0x2000...0x206F, 0x3040...0x30FF,
      0x4E00...0x9FFF, 0xFE00...0xFE0F, 0x1F300...0x1F6FF, 0x1F1E6...0x1F1FF,
    ]
    var title = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...60, using: &self) {
      let block = blocks[Int.random(in: 0..<blocks.count, using: &self)]
      if let scalar = Unicode.Scalar(UInt32.random(in: block, using: &self)) {
        title.append(scalar)
      }
    }
    return String(title)
  }
}
