public import FoundationEssentials
import PodcastModel

extension Date {
  /// Parses an HTTP date in any of its three forms (RFC 9110, 5.6.7); anything else is nil.
  ///
  /// A year of two digits means the latest such year that is at most fifty years after `now`.
  public init?(httpDate text: some StringProtocol, now: Date) {
    var scanner = DigitScanner(text)
    guard !scanner.word().isEmpty else { return nil }
    let parsed: (day: CivilDay, time: Int)?
    if scanner.skip(",") {
      parsed = scanner.commaForm(now: now)
    } else {
      parsed = scanner.asctimeForm()
    }
    guard let parsed, scanner.isAtEnd else { return nil }
    self.init(timeIntervalSince1970: Double(parsed.day.daysSince1970 * 86_400 + parsed.time))
  }
}

extension DigitScanner {
  /// ` 06 Nov 1994 08:49:37 GMT` or, obsolete, ` 06-Nov-94 08:49:37 GMT`.
  fileprivate mutating func commaForm(now: Date) -> (CivilDay, Int)? {
    guard skip(" "), let dayOfMonth = number(digits: 2) else { return nil }
    let isObsolete = skip("-")
    guard isObsolete || skip(" "), let month = month(), skip(isObsolete ? "-" : " "),
      let written = number(digits: isObsolete ? 2 : 4)
    else { return nil }
    let year = isObsolete ? Self.fullYear(written, now: now) : written
    guard skip(" "), let day = CivilDay(year: year, month: month, day: dayOfMonth),
      let time = timeOfDay(), skip(" "), word() == "GMT"
    else { return nil }
    return (day, time)
  }

  /// ` Nov  6 08:49:37 1994`, as C's asctime prints it.
  fileprivate mutating func asctimeForm() -> (CivilDay, Int)? {
    guard skip(" "), let month = month(), skip(" ") else { return nil }
    guard let dayOfMonth = skip(" ") ? number(digits: 1) : number(digits: 2), skip(" "),
      let time = timeOfDay(), skip(" "), let year = number(digits: 4),
      let day = CivilDay(year: year, month: month, day: dayOfMonth)
    else { return nil }
    return (day, time)
  }

  private mutating func month() -> Int? {
    let names = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return names.firstIndex(of: word()).map { $0 + 1 }
  }

  private static func fullYear(_ twoDigits: Int, now: Date) -> Int {
    let latest = CivilDay(now).year + 50
    let year = latest - latest % 100 + twoDigits
    return year > latest ? year - 100 : year
  }
}
