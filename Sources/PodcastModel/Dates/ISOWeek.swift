/// A week from Monday to Sunday, numbered within the year that has its Thursday (ISO 8601).
package struct ISOWeek: Sendable, Hashable, Comparable {
  /// The year that the week belongs to; around New Year not always that of the day.
  package let year: Int
  /// The number of the week in its year, 1 to 53.
  package let week: Int

  /// The week of a day.
  package init(_ day: CivilDay) {
    // 1970-01-01 was a Thursday.
    let weekday = ((day.daysSince1970 + 3) % 7 + 7) % 7
    let thursday = day.adding(days: 3 - weekday)
    let january = thursday.adding(months: 1 - thursday.month)
    let newYear = january.daysSince1970 - (january.day - 1)
    year = thursday.year
    week = (thursday.daysSince1970 - newYear) / 7 + 1
  }

  /// Earlier weeks are smaller.
  package static func < (first: ISOWeek, second: ISOWeek) -> Bool {
    (first.year, first.week) < (second.year, second.week)
  }
}

extension ISOWeek: CustomStringConvertible {
  /// The week as `YYYY-Www`, such as `2024-W07`.
  package var description: String {
    let year = String(year)
    let padding = String(repeating: "0", count: max(0, 4 - year.count))
    return "\(padding)\(year)-W\(week < 10 ? "0" : "")\(week)"
  }
}
