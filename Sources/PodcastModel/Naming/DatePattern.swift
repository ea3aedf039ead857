internal import FoundationEssentials

/// A date pattern like that of `strftime` (POSIX): always UTC, names always English, so that an
/// episode gets the same name on every machine.
struct DatePattern: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case text(String)
    /// A directive's letter, and whether `%-` omits leading zeros.
    case directive(Character, isBare: Bool)
  }

  /// The supported directives, for a message.
  static let known = "%Y %y %m %d %H %M %S %j %b %B %a %A %u %G %V %F %s %%"

  /// The day as `2024-03-01`.
  static let day = DatePattern(parts: [.directive("F", isBare: false)])

  private let parts: [Part]

  /// Parses a pattern; nil when it is empty or has an unknown directive.
  init?(_ text: some StringProtocol) {
    var parts: [Part] = []
    var rest = Substring(text)
    while let percent = rest.firstIndex(of: "%") {
      if percent > rest.startIndex { parts.append(.text(String(rest[..<percent]))) }
      rest = rest[percent...].dropFirst()
      let isBare = rest.first == "-"
      if isBare { rest.removeFirst() }
      guard let letter = rest.popFirst() else { return nil }
      guard letter != "%" || isBare else {
        parts.append(.text("%"))
        continue
      }
      guard "YymdHMSjbBaAuGVFs".contains(letter) else { return nil }
      parts.append(.directive(letter, isBare: isBare))
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    guard !parts.isEmpty else { return nil }
    self.init(parts: parts)
  }

  private init(parts: [Part]) { self.parts = parts }

  /// The text for an instant; nil outside the years 1 to 9999, in which no episode was published.
  func text(_ date: Date) -> String? {
    let seconds = date.timeIntervalSince1970
    guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return nil }
    let moment = Moment(Int64(seconds.rounded(.down)))
    return parts.map { part in
      switch part {
      case .text(let text): text
      case .directive(let letter, let isBare): moment.value(letter, isBare: isBare)
      }
    }.joined()
  }
}

/// The parts of an instant.
private struct Moment {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  let seconds: Int64
  let day: CivilDay

  init(_ seconds: Int64) {
    self.seconds = seconds
    day = CivilDay(Date(timeIntervalSince1970: Double(seconds)))
  }

  func value(_ letter: Character, isBare: Bool) -> String {
    func number(_ value: Int, _ digits: Int) -> String {
      isBare ? String(value) : ZeroPadding.text(value, digits: digits)
    }
    return switch letter {
    case "Y": number(day.year, 4)
    case "y": number(day.year % 100, 2)
    case "m": number(day.month, 2)
    case "d": number(day.day, 2)
    case "H": number(secondOfDay / 3600, 2)
    case "M": number(secondOfDay / 60 % 60, 2)
    case "S": number(secondOfDay % 60, 2)
    case "j": number(dayOfYear, 3)
    case "b": String(Self.months[day.month - 1].prefix(3))
    case "B": Self.months[day.month - 1]
    case "a": String(Self.weekdays[weekday].prefix(3))
    case "A": Self.weekdays[weekday]
    case "u": String(weekday + 1)
    case "G": number(ISOWeek(day).year, 4)
    case "V": number(ISOWeek(day).week, 2)
    case "F": day.description
    default: String(seconds)
    }
  }

  private var secondOfDay: Int { Int((seconds % 86_400 + 86_400) % 86_400) }

  /// Days since the last Monday; 1970-01-01 was a Thursday.
  private var weekday: Int { ((day.daysSince1970 + 3) % 7 + 7) % 7 }

  private var dayOfYear: Int {
    let newYear = day.adding(months: 1 - day.month)
    return day.daysSince1970 - (newYear.daysSince1970 - (newYear.day - 1)) + 1
  }
}

/// Numbers with leading zeros.
enum ZeroPadding {
  /// The number with at least that many digits; a minus sign counts as none.
  static func text(_ number: some BinaryInteger, digits: Int) -> String {
    let text = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, digits - text.count))
    return (number < 0 ? "-" : "") + zeros + text
  }
}
