import PodcastModel
import Testing

@testable import podget

@Suite("The line of an episode") struct ProgressLineTests {
  private static let utf8 = TerminalStyle(hasColor: false, isUTF8: true)
  private static let ascii = TerminalStyle(hasColor: false, isUTF8: false)

  private func line(
    _ title: String = "275 - Michael Legaspi - Subjectivity and the Psalms",
    total: Int64? = 24_117_248, activity: ProgressLine.Activity = .receiving
  ) -> ProgressLine {
    ProgressLine(
      title: title, received: 10_590_618, total: total, activity: activity, speed: 1_258_291.2)
  }

  private func draw(
    _ line: ProgressLine, _ columns: Int, _ style: TerminalStyle = utf8
  ) -> String {
    line.draw(columns: columns, now: .seconds(10), style: style).text
  }

  @Test(
    "a narrower window shows less",
    arguments: [
      (
        120,
        "275 - Michael Legaspi - Subjectivity and the Psalms        ━━━━━━━━───────────"
          + "   43%  10.1/23.0 MiB   1.2 MiB/s     0:10"
      ),
      (80, "275 - Michael Legaspi - Su…  ━━━╸─────   43%  10.1/23.0 MiB   1.2 MiB/s     0:10"),
      (60, "275 - Michael Leg…   43%  10.1/23.0 MiB   1.2 MiB/s     0:10"),
      (51, "275 - Michael Legaspi -…   43%   1.2 MiB/s     0:10"),
      (40, "275 - Michael Legaspi…   43%   1.2 MiB/s"),
      (20, "275 - Michael…   43%"),
      (10, "275 - Mic…"),
    ])
  func ladder(columns: Int, text: String) {
    #expect(draw(line(), columns) == text)
    #expect(TerminalText.width(text) == columns)
  }

  @Test("wide characters take two cells each") func wide() {
    let title = "日本語のポッドキャスト：長い題名がここに"
    #expect(draw(line(title), 40) == "日本語のポッドキャス…    43%   1.2 MiB/s")
    #expect(draw(line("🎉 Party"), 40) == "🎉 Party                 43%   1.2 MiB/s")
  }

  @Test("an unknown total shows bytes and speed") func unknownTotal() {
    #expect(
      draw(line("275", total: nil), 80)
        == "275" + String(repeating: " ", count: 48) + "10.1 MiB   1.2 MiB/s")
    #expect(draw(line("275", total: nil), 40) == "275                 10.1 MiB   1.2 MiB/s")
    #expect(draw(line("275", total: nil), 20) == "275         10.1 MiB")
  }

  @Test("the reason of a delay replaces the speed") func status() {
    #expect(
      draw(line("275", activity: .paused), 60).hasSuffix("10.1/23.0 MiB               paused"))
    #expect(draw(line("275", activity: .paused), 20) == "275           paused")
    let waiting = ProgressLine.Activity.waiting(until: .milliseconds(12_400), reason: .timeout)
    #expect(draw(line("275", activity: waiting), 80).hasSuffix("MiB  retry in 3 s: timeout"))
    #expect(draw(line("275", activity: waiting), 40).hasSuffix("   43%   retry 3 s"))
    let over = ProgressLine.Activity.waiting(until: .seconds(10), reason: .timeout)
    #expect(draw(line("275", activity: over), 80).hasSuffix("MiB           connecting"))
  }

  @Test("other locales get a bar of ASCII") func ascii() {
    #expect(draw(line("275"), 80, Self.ascii).contains("  ###------   43%"))
  }

  @Test("no line is wider than the window", arguments: Sample.titles) func neverWider(title: String)
  {
    let activities: [ProgressLine.Activity] = [
      .connecting, .receiving, .paused, .waiting(until: .seconds(400), reason: .rangeProtocol),
    ]
    for columns in 1...200 {
      for activity in activities {
        for total in [nil, 0, 1, 24_117_248, Int64.max] {
          let line = line(TerminalText.safe(title), total: total, activity: activity)
          #expect(TerminalText.width(draw(line, columns)) <= columns)
        }
      }
    }
  }
}
