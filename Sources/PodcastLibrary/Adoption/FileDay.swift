import FoundationEssentials
import PodcastModel

/// Days as tools write them into names and tags.
enum FileDay {
  /// The day in a complete text, such as `2023-02-16`, `20230216` or `2023-02-16T16:00:17Z`.
  static func day(_ text: String) -> CivilDay? {
    if let date = Date(timestamp: text) { return CivilDay(date) }
    guard text.utf8.count == 8 else { return nil }
    return leading(text)?.day
  }

  /// The day that a name begins with, and what follows it without separators.
  static func leading(_ name: String) -> (day: CivilDay, rest: String)? {
    var scanner = DigitScanner(name)
    guard let year = scanner.number(digits: 4), (1990...2100).contains(year) else { return nil }
    let separator: Unicode.Scalar? = ["-", "_", "."].first { scanner.skip($0) }
    guard let month = scanner.number(digits: 2),
      separator.map({ scanner.skip($0) }) ?? true,
      let number = scanner.number(digits: 2),
      let day = CivilDay(year: year, month: month, day: number)
    else { return nil }
    let rest = name.drop { $0.isWhitespace }.dropFirst(separator == nil ? 8 : 10)
    // A longer number is not a day.
    guard rest.first?.isNumber != true else { return nil }
    return (day, String(rest.drop { " -_.".contains($0) || $0.isWhitespace }))
  }
}
