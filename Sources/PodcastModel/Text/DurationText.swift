/// Durations for people.
package enum DurationText {
  /// A duration or the time left: `0:07`, `12:34`, `1:02:03`, `12h 34m`, `3 days`, `months`; at
  /// most seven characters wide.
  package static func clock(_ duration: Duration) -> String {
    guard duration < .seconds(100 * 86400) else { return "months" }
    let seconds = max(0, duration.components.seconds)
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    if hours >= 48 { return "\(hours / 24) days" }
    if hours >= 10 { return "\(hours)h \(twoDigits(minutes))m" }
    if hours > 0 { return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))" }
    return "\(minutes):\(twoDigits(seconds % 60))"
  }

  /// The same for a number of seconds that was computed from what servers announce: it may be any
  /// number.
  package static func clock(seconds: Double) -> String {
    // Also for NaN; a `Duration` holds at most about 10^20 seconds.
    guard seconds < 100 * 86400 else { return "months" }
    return clock(.seconds(max(0, seconds)))
  }

  /// A delay, such as `3 s` or `5 min`, rounded up.
  package static func delay(_ duration: Duration) -> String {
    let seconds = max(0, wholeSeconds(duration))
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60 + (seconds % 60 > 0 ? 1 : 0)) min"
  }

  private static func wholeSeconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return attoseconds > 0 && seconds < .max ? seconds + 1 : seconds
  }

  private static func twoDigits(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
