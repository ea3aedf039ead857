import PodcastModel
import Testing

@Suite("Weeks of ISO 8601") struct ISOWeekTests {
  @Test(
    "the week of a day",
    arguments: [
      (2024, 2, 12, "2024-W07"), (2024, 2, 18, "2024-W07"), (2024, 2, 19, "2024-W08"),
      // The Thursday decides to which year a week belongs.
      (2023, 1, 1, "2022-W52"), (2021, 1, 3, "2020-W53"), (2024, 12, 30, "2025-W01"),
      (2026, 12, 31, "2026-W53"), (2027, 1, 1, "2026-W53"), (2027, 1, 4, "2027-W01"),
      (1970, 1, 1, "1970-W01"), (1969, 12, 28, "1969-W52"), (1900, 1, 1, "1900-W01"),
      (1, 1, 1, "0001-W01"), (9999, 12, 31, "9999-W52"),
    ]) func week(year: Int, month: Int, day: Int, text: String) throws
  {
    let day = try #require(CivilDay(year: year, month: month, day: day))
    #expect(ISOWeek(day).description == text)
  }

  @Test("weeks have seven days, and later days never earlier weeks") func order() throws {
    var day = try #require(CivilDay(year: 2019, month: 12, day: 30))
    var counts: [ISOWeek: Int] = [:]
    for _ in 0..<7 * 320 {
      let next = day.adding(days: 1)
      #expect(ISOWeek(day) <= ISOWeek(next))
      counts[ISOWeek(day), default: 0] += 1
      day = next
    }
    #expect(counts.count == 320)
    #expect(counts.values.allSatisfy { $0 == 7 })
  }
}
