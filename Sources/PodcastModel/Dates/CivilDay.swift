public import FoundationEssentials

/// A day of the proleptic Gregorian calendar in UTC.
public struct CivilDay: Sendable, Hashable, Comparable {
  /// The year, such as 2024.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int

  /// Creates a day; nil when the calendar has no such day. Years go from 1 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.length(ofMonth: month, year: year)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  /// The UTC day of an instant.
  public init(_ date: Date) {
    self.init(daysSince1970: Int((Double(date.calendarSeconds) / 86_400).rounded(.down)))
  }

  /// The number of days from 1970-01-01 to this day.
  public var daysSince1970: Int {
    // Years start in March here, so that the leap day is the last day of a year.
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The day that many days later, or earlier when negative.
  public func adding(days: Int) -> CivilDay {
    CivilDay(daysSince1970: Self.bounded(daysSince1970.addingReportingOverflow(days)))
  }

  /// The same day that many months later; the last day of the month if that month is too short.
  public func adding(months: Int) -> CivilDay {
    let index = (year * 12 + month - 1).addingReportingOverflow(months)
    let bounded = index.overflow ? (months < 0 ? 12 : 119_999) : min(max(index.0, 12), 119_999)
    let (newYear, newMonth) = (bounded / 12, bounded % 12 + 1)
    return CivilDay(
      uncheckedYear: newYear, month: newMonth,
      day: min(day, Self.length(ofMonth: newMonth, year: newYear)))
  }

  /// Earlier days are smaller.
  public static func < (first: CivilDay, second: CivilDay) -> Bool {
    (first.year, first.month, first.day) < (second.year, second.month, second.day)
  }
}

extension CivilDay: CustomStringConvertible {
  /// The day as `YYYY-MM-DD`.
  public var description: String {
    String(unsafeUninitializedCapacity: 10) { text in
      text.writeDigits(year, count: 4, at: 0)
      text[4] = UInt8(ascii: "-")
      text.writeDigits(month, count: 2, at: 5)
      text[7] = UInt8(ascii: "-")
      text.writeDigits(day, count: 2, at: 8)
      return 10
    }
  }
}

extension Date {
  /// Whole seconds since 1970, within the years 1 to 9999: values outside become the first or the
  /// last second of them, and NaN becomes 1970.
  package var calendarSeconds: Int64 {
    guard !timeIntervalSince1970.isNaN else { return 0 }
    let seconds = timeIntervalSince1970.rounded(.down)
    let range = Self.calendarRange
    return Int64(min(max(seconds, range.lowerBound), range.upperBound))
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Writes the last digits of a number that is not negative, with leading zeros.
  func writeDigits(_ number: Int, count: Int, at start: Int) {
    var rest = number
    for place in stride(from: start + count - 1, through: start, by: -1) {
      self[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}

extension CivilDay {
  private init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  private init(daysSince1970 days: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    self.init(
      uncheckedYear: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func bounded(_ sum: (partialValue: Int, overflow: Bool)) -> Int {
    // Days of 0001-01-01 and 9999-12-31.
    let (first, last) = (-719_162, 2_932_896)
    if sum.overflow { return sum.partialValue < 0 ? last : first }
    return min(max(sum.partialValue, first), last)
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
