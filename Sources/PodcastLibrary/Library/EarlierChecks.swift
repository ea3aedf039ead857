internal import CFiles
package import FoundationEssentials
import Glibc
import PodcastModel
import PodcastTransfer

/// When earlier runs checked the trash, in the file `.podget/trash.json`, or the ages of episodes that
/// rules of `sync` remove, in `.podget/ages.json`.
///
/// A clock that is wrong once must not empty the trash: a file is deleted only when it is expired
/// now and was at an earlier check. Checks within a day count as one, so that the checks of an hour
/// or two with a wrong clock do not confirm each other. A clock that was fast and has been
/// corrected leaves a date in the future, which does not count. The file may be deleted at any
/// time; then the files in the trash stay until the second check from then.
package struct EarlierChecks: Sendable, Hashable {
  /// What is checked; the raw values are the names of the files.
  enum Subject: String, Sendable {
    case trash = "trash.json"
    case ages = "ages.json"

    /// Its path below the library.
    var path: String { ".podget/\(rawValue)" }
  }

  /// The minimum time between two checks that both count, in seconds.
  static let distance: TimeInterval = 24 * 60 * 60
  /// More than any podget writes.
  private static let sizeLimit: Int64 = 4096

  /// At most two, the earlier one first.
  private(set) var dates: [Date] = []
  private var wereRead: [Date] = []
  private let subject: Subject

  /// Creates it without earlier checks.
  init(_ subject: Subject = .trash) { self.subject = subject }

  /// Reads the file; an unreadable file counts as empty.
  init(in library: OpenFile, _ subject: Subject = .trash) {
    self.subject = subject
    guard let folder = try? OpenFile.ownFolder(nil, in: library, creating: false),
      let data = try? OpenFile.ownContents(subject.rawValue, in: folder, limit: Self.sizeLimit),
      let texts = try? JSONDecoder().decode([String].self, from: data)
    else { return }
    dates = texts.prefix(2).compactMap { Date(timestamp: $0) }.sorted()
    wereRead = dates
  }

  /// Adds a check.
  ///
  /// - Returns: the earlier check at which a file must have been expired to be deleted now; nil
  ///   when there is none.
  mutating func add(_ now: Date) -> Date? {
    dates.removeAll { $0 > now }
    guard let last = dates.last else {
      dates = [now]
      return nil
    }
    guard now.timeIntervalSince(last) >= Self.distance else {
      // This check and the last count as one; only an earlier one confirms it.
      return dates.count > 1 ? dates.first : nil
    }
    dates = [last, now]
    return last
  }

  /// Forgets all checks.
  mutating func forget() { dates = [] }

  /// Writes the checks, if they have changed. If that fails, only a day is lost.
  func write(in library: OpenFile) {
    guard dates != wereRead, let data = try? JSONEncoder().encode(dates.map(\.timestamp)) else {
      return
    }
    guard let folder = try? OpenFile.ownFolder(nil, in: library, creating: true),
      let file = try? OpenFile.writableOwnFile(
        subject.rawValue, in: folder, flags: O_WRONLY | O_TRUNC)
    else { return }
    try? file.writeAll(data, subject.path)
  }
}

extension Library {
  /// When an earlier run, at least a day before, looked at the ages of episodes; nil if none has. What
  /// is old now and was old then is old although one of the clocks was wrong.
  ///
  /// - Parameter isRecording: whether this run counts for later ones.
  package func earlierRun(before now: Date, isRecording: Bool) -> Date? {
    var looks = EarlierChecks(in: root, .ages)
    let earlier = looks.add(now)
    if isRecording { looks.write(in: root) }
    return earlier
  }

  /// Forgets when earlier runs looked at the ages of episodes: their clock was wrong.
  package func forgetEarlierRuns() {
    var looks = EarlierChecks(in: root, .ages)
    looks.forget()
    looks.write(in: root)
  }
}
