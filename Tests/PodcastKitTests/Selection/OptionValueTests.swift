import Foundation
import PodcastModel
import Testing

@Suite("Values of options") struct OptionValueTests {
  @Test(
    "days and ages",
    arguments: [
      ("2024-03-01", "2024-03-01"), ("0d", "2024-03-31"), ("30d", "2024-03-01"),
      ("2w", "2024-03-17"), ("1m", "2024-02-29"), ("6M", "2023-09-30"), ("1y", "2023-03-31"),
      ("9999y", "0001-01-31"), ("2024-02-30", nil), ("2024-3-1", nil), ("d", nil), ("-1d", nil),
      ("30", nil), ("30h", nil), ("", nil), ("99999999999999999999d", nil), ("٣d", nil),
    ] as [(String, String?)]) func days(text: String, day: String?) throws
  {
    let now = try #require(Date(timestamp: "2024-03-31T23:59:59Z"))
    #expect((try? CivilDay(option: text, now: now))?.description == day)
  }

  @Test(
    "sizes",
    arguments: [
      ("0", 0), ("1000", 1000), ("1k", 1024), ("1.5M", 1_572_864), ("2G", 2_147_483_648),
      ("0.0001K", 0), ("1.5", nil), ("K", nil), ("-1K", nil), ("1KB", nil), ("1e3", nil),
      ("99999999999G", nil), (".5K", nil), ("1.2.3K", nil), ("", nil), ("nan", nil),
    ] as [(String, Int64?)]) func sizes(text: String, bytes: Int64?)
  {
    #expect((try? ByteSize(option: text))?.bytes == bytes)
  }

  @Test(
    "durations",
    arguments: [
      ("90", 90), ("20m", 1200), ("1h30m", 5400), ("1:30:00", 5400), ("90:05", 5405),
      ("2H", 7200), ("1h5s", 3605), ("45s", 45), ("0", 0), ("1:60", nil), ("1:5", nil),
      ("1:2:3:4", nil), ("30m1h", nil), ("1hm", nil), ("m", nil), ("", nil), ("-5", nil),
      ("1.5h", nil), ("99999999999999999999", nil), ("1h 30m", nil),
    ] as [(String, Int?)]) func durations(text: String, seconds: Int?)
  {
    #expect((try? Duration(option: text)) == seconds.map { .seconds($0) })
  }

  @Test("an integer is a number of bytes") func wholeBytes() throws {
    #expect(try ByteSize(option: "9007199254740993").bytes == 9_007_199_254_740_993)
    #expect(try ByteSize(option: "9223372036854775807").bytes == .max)
    #expect(throws: OptionValueError.self) { try ByteSize(option: "9223372036854775808") }
  }

  @Test("errors are one sentence that quotes the value") func errors() {
    let day = #expect(throws: OptionValueError.self) { try CivilDay(option: "x", now: Date()) }
    #expect(
      "\(day.map(String.init(describing:)) ?? "")"
        == "\"x\" is neither a day like 2024-03-01 nor an age like 30d, 2w, 6m, 1y.")
    let pattern = #expect(throws: OptionValueError.self) { try TitlePattern("a(b") }
    #expect(pattern?.description.hasPrefix("\"a(b\" is not a regular expression (") == true)
    #expect(pattern?.description.contains("\n") == false)
    #expect(throws: OptionValueError.self) { try TitlePattern("") }
  }
}
