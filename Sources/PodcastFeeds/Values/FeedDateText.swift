import FoundationEssentials
import PodcastModel

/// Dates as RSS and OPML have them (RFC 822, with the four digits of RFC 1123).
enum FeedDateText {
  /// `Tue, 05 Mar 2024 12:00:00 GMT`.
  static func text(_ date: Date) -> String {
    let day = CivilDay(date)
    // 1970-01-01 was a Thursday.
    let weekday = ((day.daysSince1970 + 4) % 7 + 7) % 7
    let parts = Array(date.timestamp)
    return "\(days[weekday]), \(String(parts[8..<10])) \(months[day.month - 1]) "
      + "\(String(parts[..<4])) \(String(parts[11..<19])) GMT"
  }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
