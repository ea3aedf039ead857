internal import FoundationEssentials
internal import PodcastModel

/// Dates in the forms in which feeds have them.
///
/// Standard are RFC 822 and 2822 in RSS, RFC 3339 in Atom and JSON Feed. Read are also dates without
/// weekday, zone, seconds or time of day, with months and weekdays in other languages, and dates in
/// digits where it is certain which is the month. A date that cannot be read is nil, and never now.
enum FeedDate {
  /// The longest text that is looked at.
  private static let maximumBytes = 128

  /// The instant that a text names; without a zone it is in UTC.
  static func date(_ bytes: some Collection<UInt8>) -> Date? {
    guard bytes.count <= maximumBytes else { return nil }
    let content = bytes.drop(while: MarkupTag.isSpace)
    guard let first = content.first else { return nil }
    if let date = StandardDate.date(content) { return date }
    if (0x30...0x39).contains(first) {
      let text = String(decoding: content, as: UTF8.self)
      if let date = Date(timestamp: text) { return date }
    }
    let start = Array(content.prefix(10))
    if isWeekDate(start) { return weekDate(start, content.dropFirst(10)) }
    var words = FeedDateWords(content)
    guard let (day, time) = words.read() else { return nil }
    return Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400 + time)
  }
}

extension FeedDate {
  /// Whether a text begins with a day of a week, such as `2024-W10-2` (ISO 8601).
  private static func isWeekDate(_ day: [UInt8]) -> Bool {
    day.count == 10 && day[4] == UInt8(ascii: "-") && day[5] | 0x20 == UInt8(ascii: "w")
      && day[8] == UInt8(ascii: "-")
  }

  /// Reads such a day, and the time behind it if there is one.
  private static func weekDate(_ day: [UInt8], _ time: some Collection<UInt8>) -> Date? {
    guard let year = number(day[..<4]), let week = number(day[6..<8]),
      let weekday = number(day[9...]), (1...7).contains(weekday),
      let january = CivilDay(year: year, month: 1, day: 4)
    else { return nil }
    // The 4th of January is always in the first week; 1970-01-01 was a Thursday.
    let daysSinceMonday = ((january.daysSince1970 + 3) % 7 + 7) % 7
    let named = january.adding(days: (week - 1) * 7 + weekday - 1 - daysSinceMonday)
    guard ISOWeek(named).year == year, ISOWeek(named).week == week else { return nil }
    return date(Array("\(named)".utf8) + time)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    Int(digits: String(decoding: digits, as: UTF8.self))
  }
}

/// The words and numbers of a date.
struct FeedDateWords {
  private enum Word {
    case number(Int, digits: Int)
    case name(String)
    case mark(UInt8)
  }

  private var words: [Word] = []
  private var position = 0

  init(_ bytes: some Collection<UInt8>) {
    var rest = bytes[...]
    var depth = 0
    while let byte = rest.first {
      // What stands in parentheses is a comment (RFC 2822, section 3.2.3).
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if (0x30...0x39).contains(byte) {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        let value = digits.prefix(9).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        if depth <= 0 { words.append(.number(value, digits: digits.count)) }
        rest = rest[digits.endIndex...]
      } else if Self.isLetter(byte) {
        let letters = rest.prefix(while: Self.isLetter)
        let name = String(decoding: letters, as: UTF8.self).lowercased()
        if depth <= 0 { words.append(.name(name)) }
        rest = rest[letters.endIndex...]
      } else {
        if depth <= 0, !MarkupTag.isSpace(byte), byte != UInt8(ascii: ")") {
          words.append(.mark(byte))
        }
        rest = rest.dropFirst()
      }
    }
  }

  /// The day, and the seconds since its beginning in UTC; nil when there is no certain reading.
  mutating func read() -> (day: CivilDay, seconds: Double)? {
    guard let clock = takeClock(), let day = takeDay() else { return nil }
    return (day, clock)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
  }
}

extension FeedDateWords {
  /// Takes the time of day and the zone out of the words, as seconds since midnight in UTC; midnight
  /// where there is none, and nil where it cannot be.
  private mutating func takeClock() -> Double? {
    guard let start = clockStart else { return withoutClock() }
    guard case .number(var hours, _) = words[start],
      case .number(let minutes, _) = words[start + 2], minutes < 60
    else { return nil }
    var end = start + 3
    var seconds = 0.0
    if isMark(":", at: end) {
      guard end + 1 < words.count, case .number(let value, _) = words[end + 1], value <= 60 else {
        return nil
      }
      seconds = Double(min(value, 59))
      end += 2
      if isMark(".", at: end), case .number(let value, let digits)? = word(end + 1), digits <= 9 {
        var fraction = Double(value)
        for _ in 0..<digits { fraction /= 10 }
        seconds += fraction
        end += 2
      }
    }
    // The end of a day may be 24:00 (ISO 8601).
    guard hours < 24 || hours == 24 && minutes == 0 && seconds == 0 else { return nil }
    if case .name(let half)? = word(end), half == "am" || half == "pm" {
      guard (1...12).contains(hours) else { return nil }
      hours = hours % 12 + (half == "pm" ? 12 : 0)
      end += 1
    }
    guard let offset = zone(at: &end) else { return nil }
    words.removeSubrange(start..<end)
    if case .mark(UInt8(ascii: "-"))? = word(start - 1) { words.remove(at: start - 1) }
    return Double(hours * 3600 + minutes * 60) + seconds - Double(offset)
  }

  /// Where a number, a colon and a number stand.
  private var clockStart: Int? {
    words.indices.first { index in
      guard case .number? = word(index), isMark(":", at: index + 1), case .number? = word(index + 2)
      else { return false }
      return true
    }
  }

  private mutating func withoutClock() -> Double? {
    // `Z` and the like say nothing without a time.
    if case .name(let name)? = words.last, words.count > 3, FeedZones.seconds(name) != nil,
      FeedMonths.number(name) == nil
    {
      words.removeLast()
    }
    return 0
  }

  /// Reads a zone: an offset, a name, or a name with an offset. An unknown name means UTC (RFC 2822,
  /// section 4.3), no zone too.
  private func zone(at end: inout Int) -> Int? {
    var named = 0
    if case .name(let name)? = word(end), FeedMonths.number(name) == nil {
      named = FeedZones.seconds(name) ?? 0
      end += 1
    }
    let isMinus = isMark("-", at: end)
    guard isMinus || isMark("+", at: end), case .number(let value, let digits)? = word(end + 1)
    else { return named }
    var hours = value
    var minutes = 0
    end += 2
    if digits > 2 {
      guard digits <= 4 else { return nil }
      (hours, minutes) = (value / 100, value % 100)
    } else if isMark(":", at: end), case .number(let value, _)? = word(end + 1) {
      minutes = value
      end += 2
    }
    guard hours < 24, minutes < 60 else { return nil }
    return (isMinus ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private func word(_ index: Int) -> Word? { words.indices.contains(index) ? words[index] : nil }

  private func isMark(_ mark: Unicode.Scalar, at index: Int) -> Bool {
    guard case .mark(let byte)? = word(index) else { return false }
    return UInt32(byte) == mark.value
  }
}

extension FeedDateWords {
  /// The day that the rest of the words names.
  private func takeDay() -> CivilDay? {
    let numbers = words.compactMap { word -> (value: Int, digits: Int)? in
      guard case .number(let value, let digits) = word else { return nil }
      return (value, digits)
    }
    let names = words.compactMap { word -> String? in
      guard case .name(let name) = word else { return nil }
      return name
    }
    if let month = month(names) {
      guard numbers.count == 2 else { return nil }
      // The year is the one that cannot be a day, else the second one.
      let isYearFirst = numbers[0].digits == 4
      let (year, day) = isYearFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
      guard day.digits <= 2, let full = Self.year(year.value, digits: year.digits) else {
        return nil
      }
      return CivilDay(year: full, month: month, day: day.value)
    }
    guard numbers.count == 3 else { return nil }
    return inDigits(numbers, weekday: names.lazy.compactMap { FeedMonths.weekday($0) }.first)
  }

  /// The month among the names: the last one that is a month, since weekdays stand before it and some
  /// look like months (`mar, 15 nov`).
  private func month(_ names: [String]) -> Int? {
    names.lazy.reversed().compactMap { FeedMonths.number($0) }.first
  }

  /// A date in digits: the year first, or the day first with dots; with slashes only when the weekday
  /// or the size of the numbers says which one is the month.
  private func inDigits(
    _ numbers: [(value: Int, digits: Int)], weekday: Int?
  ) -> CivilDay? {
    if numbers[0].digits == 4 {
      return CivilDay(year: numbers[0].value, month: numbers[1].value, day: numbers[2].value)
    }
    guard let year = Self.year(numbers[2].value, digits: numbers[2].digits) else { return nil }
    let dayFirst = CivilDay(year: year, month: numbers[1].value, day: numbers[0].value)
    let hasDots = words.contains { word in
      if case .mark(UInt8(ascii: ".")) = word { true } else { false }
    }
    if hasDots { return dayFirst }
    let monthFirst = CivilDay(year: year, month: numbers[0].value, day: numbers[1].value)
    guard let dayFirst, let monthFirst, dayFirst != monthFirst else {
      return dayFirst ?? monthFirst
    }
    // 1970-01-01 was a Thursday; Monday is 0.
    let fits = [dayFirst, monthFirst].filter { ($0.daysSince1970 + 3) % 7 == weekday }
    return fits.count == 1 ? fits.first : nil
  }

  /// A year of two or three digits is one of 1950 to 2049 (RFC 2822, section 4.3).
  private static func year(_ value: Int, digits: Int) -> Int? {
    switch digits {
    case 4: value
    case 3: 1900 + value
    case 2: value < 50 ? 2000 + value : 1900 + value
    default: nil
    }
  }
}
