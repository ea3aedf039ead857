import FoundationEssentials

@testable import PodcastModel
@testable import PodcastTransfer

/// Values of options: a date, a size, a duration or an expression is read or refused, never a trap.
enum OptionsFuzzing {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  static func run(_ input: inout FuzzInput) throws {
    let kind = input.choice(5)
    let text = String(decoding: input.remaining(), as: UTF8.self)
    switch kind {
    case 0: try day(text)
    case 1: try size(text)
    case 2: try duration(text)
    case 3: try pattern(text)
    default: try dates(text)
    }
  }

  private static func day(_ text: String) throws {
    guard let day = try? CivilDay(option: text, now: now) else { return }
    try FuzzFailure.require((1...9999).contains(day.year), "The year \(day.year) of \(text)")
    try roundTrip(day)
    let far = CivilDay(year: 9999, month: 12, day: 31)
    try FuzzFailure.require(far.map { day <= $0 } ?? true, "\(day) is after the last day.")
  }

  /// A day's text is read as that day, and its neighbors are one day away.
  private static func roundTrip(_ day: CivilDay) throws {
    let again = try CivilDay(option: day.description, now: now)
    try FuzzFailure.require(again == day, "\(day) is read as \(again).")
    let next = day.adding(days: 1)
    if next != day {
      try FuzzFailure.require(
        next.daysSince1970 == day.daysSince1970 + 1 && next > day && next.adding(days: -1) == day,
        "After \(day) comes \(next).")
    }
    let week = ISOWeek(day)
    try FuzzFailure.require((1...53).contains(week.week), "\(day) lies in \(week).")
    let month = day.adding(months: 1)
    try FuzzFailure.require(month >= day, "A month after \(day) is \(month).")
    let date = Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400 + 86_399)
    try FuzzFailure.require(CivilDay(date) == day, "The end of \(day) lies in \(CivilDay(date)).")
    try FuzzFailure.require(
      date.timestamp == "\(day)T23:59:59Z", "\(day) is written as \(date.timestamp).")
  }

  private static func size(_ text: String) throws {
    guard let bytes = try? ByteSize(option: text).bytes else { return }
    try FuzzFailure.require(bytes >= 0, "\(text) is \(bytes) bytes.")
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      try FuzzFailure.require(Int64(text) == bytes, "\(text) is read as \(bytes).")
    }
  }

  private static func duration(_ text: String) throws {
    guard let duration = try? Duration(option: text) else { return }
    try FuzzFailure.require(
      duration >= .zero && duration <= .seconds(4_000_000_000_000), "\(text) is \(duration).")
    let seconds = duration.components.seconds
    let again = try Duration(
      option: "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))")
    try FuzzFailure.require(again == duration, "\(text) is \(duration), and then \(again).")
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func pattern(_ text: String) throws {
    // A user's own expression may take any time; the target looks for traps.
    guard text.utf8.count <= 40, let pattern = try? TitlePattern(text) else { return }
    let test = pattern.test()
    _ = test("Episode 12: Part I")
  }

  private static func dates(_ text: String) throws {
    for date in [Date(timestamp: text), Date(httpDate: text, now: now)] {
      guard let date else { continue }
      try FuzzFailure.require(
        date.timeIntervalSince1970.isFinite, "\(text) is \(date.timeIntervalSince1970).")
      // Offsets may exceed the years of the calendar, and are written as its first or last day.
      let written = date.timestamp
      try FuzzFailure.require(written.utf8.count == 20, "\(text) is written as \(written).")
      let inside = (-62_135_596_800..<253_402_300_800).contains(date.timeIntervalSince1970)
      if inside {
        let whole = date.timeIntervalSince1970.rounded(.down)
        try FuzzFailure.require(
          Date(timestamp: written)?.timeIntervalSince1970 == whole,
          "\(text) is written as \(written).")
      }
      _ = DatePattern("%Y %y %m %d %H %M %S %j %b %B %a %A %u %G %V %F %s %%")?.text(date)
    }
  }
}
