import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// When a line of a record, or a part of it, was written: microseconds since 1970 (UTC).
///
/// The time of a line of events is a whole second, or that of the line before. The time of a line of
/// states is never a whole second, which shows which of the two it is.
package struct RecordTime: Sendable, Hashable, Comparable {
  private static let second: Int64 = 1_000_000
  /// In the year 2255. A line that says a later time says none: no later line could ever count.
  private static let limit: Int64 = 1 << 53

  /// Zero for what was never written.
  package let microseconds: Int64

  package static let never = RecordTime(microseconds: 0)

  init(microseconds: Int64) { self.microseconds = microseconds }

  /// A time that a line says; nil for a text that is none.
  init?(_ text: String) {
    guard let date = Date(timestamp: text) else { return nil }
    let seconds = date.timeIntervalSince1970
    guard (0...Date.calendarRange.upperBound + 1).contains(seconds) else { return nil }
    microseconds = Int64((seconds * Double(Self.second)).rounded())
    guard microseconds < Self.limit else { return nil }
  }

  /// The time of an event, which has whole seconds.
  init?(event text: String?) {
    guard let text, let time = RecordTime(text) else { return nil }
    microseconds = time.microseconds / Self.second * Self.second
  }

  /// The time of a line that is written now, later than any time that is known, but never later
  /// than what can be read.
  static func next(after known: RecordTime) -> RecordTime {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let micros = Int64(now.tv_sec) * second + Int64(now.tv_nsec) / 1000
    var time = max(micros, min(known.microseconds, limit) + 1)
    if time % second == 0 { time += 1 }
    // A text of so late a time is not exact to the microsecond.
    return RecordTime(microseconds: min(time, limit - 10))
  }

  /// The next time that a line of states may have.
  var following: RecordTime {
    let time = min(microseconds, Self.limit - 10) + 1
    return RecordTime(microseconds: time % Self.second == 0 ? time + 1 : time)
  }

  /// The whole second after it.
  var endOfSecond: RecordTime {
    RecordTime(microseconds: (microseconds / Self.second + 1) * Self.second)
  }

  /// Whether an event has set what has this time.
  var isOfEvent: Bool { microseconds % Self.second == 0 }

  /// As lines have it, such as `2026-11-26T22:01:08.123456Z`.
  var text: String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: Self.second)
    let digits = String(rest)
    let date = Date(timeIntervalSince1970: Double(seconds)).timestamp.dropLast()
    return "\(date).\(String(repeating: "0", count: 6 - digits.count))\(digits)Z"
  }

  package static func < (first: RecordTime, second: RecordTime) -> Bool {
    first.microseconds < second.microseconds
  }
}

/// Who wrote a line: a name of this machine that says nothing about it.
enum RecordWriter {
  static let own: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    var sum = ContinuedSHA256()
    sum.add("podget record ".utf8)
    sum.add((try? OpenFile.ownContents("/etc/machine-id", limit: 1 << 10)) ?? Data())
    sum.add(name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) })
    return String(sum.checksum.prefix(8))
  }()
}
