import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// From when the ages of episodes count.
///
/// A clock that is wrong must remove nothing. The clock of this machine counts if a server that
/// answered in this round has the same day, give or take one. Otherwise ages count from an earlier
/// run, at least a day ago, as those of the trash do; without one, no age counts.
struct RetentionTime: Sendable {
  /// The time of day (UTC), as this machine has it.
  var now: Date
  /// Whether a server confirms it.
  var isConfirmed: Bool

  /// The time from which ages count. It blocks on the disk.
  ///
  /// - Parameter isRecording: whether this run counts for later ones.
  func counted(in library: Library, isRecording: Bool) -> Date {
    if isConfirmed { return now }
    let never = Date(timeIntervalSince1970: 0)
    return min(now, library.earlierRun(before: now, isRecording: isRecording) ?? never)
  }

  /// Whether the head of an answer says about the time that this machine has.
  static func isConfirmed(by head: ResponseHead?, at now: Date) -> Bool {
    guard let text = head?.first("Date"),
      let date = Date(httpDate: text.trimmingWhitespace(), now: now)
    else { return false }
    return abs(date.timeIntervalSince(now)) <= 86_400
  }
}
