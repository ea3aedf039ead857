import Foundation
import PodcastModel
import Testing

@Suite("Days and moments") struct CalendarTests {
  @Test("days agree with the calendar of Foundation") func days() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    for days in stride(from: -60_000, to: 60_000, by: 17) {
      let date = Date(timeIntervalSince1970: Double(days) * 86_400 + 86_399)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let day = CivilDay(date)
      #expect(day.daysSince1970 == days)
      #expect([day.year, day.month, day.day] == [parts.year, parts.month, parts.day])
    }
  }

  @Test("months are counted to the last day that exists") func months() {
    let day = CivilDay(year: 2024, month: 3, day: 31)
    #expect(day?.adding(months: -1).description == "2024-02-29")
    #expect(day?.adding(months: -13).description == "2023-02-28")
    #expect(day?.adding(months: 9).description == "2024-12-31")
    #expect(day?.adding(days: 1).description == "2024-04-01")
    #expect(day?.adding(months: .min).description == "0001-01-31")
    #expect(day?.adding(days: .max).description == "9999-12-31")
    #expect(CivilDay(Date.distantPast).description == "0001-01-01")
    #expect(CivilDay(year: 2023, month: 2, day: 29) == nil)
  }

  @Test(
    "moments outside the calendar are its first or its last",
    arguments: [
      (1e300, "9999-12-31T23:59:59Z"), (-1e300, "0001-01-01T00:00:00Z"),
      (.infinity, "9999-12-31T23:59:59Z"), (-.infinity, "0001-01-01T00:00:00Z"),
      (253_402_300_800, "9999-12-31T23:59:59Z"), (.nan, "1970-01-01T00:00:00Z"),
    ] as [(Double, String)]) func outside(seconds: Double, written: String)
  {
    let date = Date(timeIntervalSince1970: seconds)
    #expect(date.timestamp == written)
    #expect(CivilDay(date).description == String(written.prefix(10)))
  }

  @Test(
    "moments are read",
    arguments: [
      ("2023-02-16T16:00:17Z", 1_676_563_217), ("2023-02-16T18:00:17.250+02:00", 1_676_563_217.25),
      ("2023-02-16 09:00:17 -0700", 1_676_563_217), ("2023-02-16", 1_676_505_600),
      ("2023-02-16T16:00:17", 1_676_563_217), ("2023-02-30T16:00:17Z", nil), ("yesterday", nil),
      ("2023-02-16T16:00Z", nil), ("2023-02-16T16:00:17Zx", nil), ("", nil),
      ("2023-02-16T16:00:17.Z", nil), ("2023-02-16T24:00:00Z", nil),
    ] as [(String, Double?)]) func moments(text: String, seconds: Double?)
  {
    #expect(Date(timestamp: text) == seconds.map { Date(timeIntervalSince1970: $0) })
  }
}
