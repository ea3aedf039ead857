import Glibc

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
public enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The text for a time in seconds since 1970.
  public static func text(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
    let month = months[Int(parts.tm_mon)]
    let date = "\(twoDigits(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900)"
    return "\(days[Int(parts.tm_wday)]), \(date) \(clock) GMT"
  }

  /// A `Date` field with the current time.
  public static func field() -> Request.Field {
    Request.Field("Date", text(time(nil)))
  }

  private static func twoDigits(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
