import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// From when the ages of episodes count.
///
/// A clock that is wrong must remove nothing. The clock of this machine counts if a server that
/// answered in this round has the same day, give or take one, and none has another. If none says a
/// day, ages count from an earlier run, at least a day ago, as those of the trash do; without one, no
/// age counts.
struct RetentionTime: Sendable {
  /// The time of day (UTC), as this machine has it.
  var now: Date
  /// What servers say about it.
  var servers: ServerClock
  /// The time from which ages count if nothing confirms the clock: nothing is so old.
  static let never = Date(timeIntervalSince1970: 0)

  /// The time from which ages count. It blocks on the disk.
  ///
  /// - Parameter isRecording: whether this run counts for later ones.
  func counted(in library: Library, isRecording: Bool) -> Date {
    switch servers {
    case .agrees(let then):
      // The clock may have changed since the answer.
      _ = library.earlierRun(before: then, isRecording: isRecording)
      return min(now, then)
    case .differs:
      if isRecording { library.forgetEarlierRuns() }
      return Self.never
    case .silent:
      return min(now, library.earlierRun(before: now, isRecording: isRecording) ?? Self.never)
    }
  }
}

/// What the servers that answered in a round say about the clock of this machine.
enum ServerClock: Sendable, Hashable {
  /// None says a day.
  case silent
  /// At least one has the same day, give or take one, and none has another; with the time at which the
  /// last one answered, as this machine has it.
  case agrees(Date)
  /// One has another day.
  case differs

  /// Takes the head of an answer.
  ///
  /// Only the server of a feed counts, and not what a proxy says of an error. A machine of this network
  /// may have a wrong clock of its own: another day of it says nothing.
  ///
  /// - Parameters:
  ///   - url: where the answer is from.
  ///   - now: when it came, as this machine has it.
  mutating func take(_ head: ResponseHead, from url: WebAddress?, at now: Date) {
    guard let url, head.status == 200 || head.status == 304,
      let date = head.first("Date").flatMap({ Date(httpDate: $0.trimmingWhitespace(), now: now) })
    else { return }
    // A cache keeps the date of the server, and says how long ago that was.
    let age = head.first("Age").flatMap { Int64(digits: $0.trimmingWhitespace()) } ?? 0
    let isSame = abs(date.addingTimeInterval(Double(age)).timeIntervalSince(now)) <= 86_400
    if !isSame {
      if !url.isPrivate { self = .differs }
    } else if self != .differs {
      self = .agrees(now)
    }
  }
}
