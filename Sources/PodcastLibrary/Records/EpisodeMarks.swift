import FoundationEssentials
import PodcastModel

/// What a user has said about an episode, as it is now.
package struct EpisodeMarks: Sendable, Hashable {
  /// Whether it is a favorite.
  var isStarred = false
  /// Whether it was played.
  var isPlayed = false
  /// Where playing continues; nil is the start.
  var position: Duration?
  /// Whether a person brought it back or asked for it by name, so that no rule of `sync` removes it.
  package var isKept = false
  /// Whether it is recorded as removed only to mark it as played, as only its feed has it.
  var isOnlyListed = false
  /// What is wrong in its feed.
  var correction = EpisodeCorrection()

  /// Creates marks; without any an episode is new.
  package init(isStarred: Bool = false, isPlayed: Bool = false, position: Duration? = nil) {
    (self.isStarred, self.isPlayed, self.position) = (isStarred, isPlayed, position)
  }

  /// Takes what a user says.
  mutating func take(_ mark: EpisodeMark) {
    switch mark {
    case .starred(let isStarred):
      self.isStarred = isStarred
      if !isStarred { isKept = false }
    case .played(let isPlayed):
      (self.isPlayed, position) = (isPlayed, nil)
      if isPlayed { isKept = false }
    case .edited(nil): correction = EpisodeCorrection()
    case .edited(let new?):
      correction.title = new.title ?? correction.title
      correction.date = new.date ?? correction.date
    case .position(let position):
      self.position = Self.position(position?.components.seconds)
      // Who is in the middle of it has not played it.
      if self.position != nil { isPlayed = false }
    }
  }

  /// A position that a record or a user says; nil for the start and for what cannot be one.
  static func position(_ seconds: Int64?) -> Duration? {
    guard let seconds, seconds > 0, .seconds(seconds) <= EpisodeMark.longestPosition else {
      return nil
    }
    return .seconds(seconds)
  }
}

extension FolderContents.Entry {
  /// The members of lines that podgets before these marks keep without knowing them.
  private static let (played, position, kept, editedTitle, editedDate, listed) = (
    "played", "position", "kept", "editedTitle", "editedDate", "listed"
  )

  /// What a user has said about it.
  var marks: EpisodeMarks {
    var seconds: Int64?
    if case .integer(let value)? = parts.others[Self.position]?.value { seconds = value }
    var marks = EpisodeMarks(
      isStarred: isStarred, isPlayed: parts.others[Self.played]?.value == .bool(true),
      position: EpisodeMarks.position(seconds))
    marks.isKept = isKept
    marks.isOnlyListed = isOnlyListed
    marks.correction = correction
    return marks
  }

  /// When it was said last how far somebody is, in seconds since 1970 (UTC); 0 for never.
  var progressTime: Int64 {
    let times = [Self.played, Self.position].compactMap { parts.others[$0]?.time.microseconds }
    return (times.max() ?? 0) / 1_000_000
  }

  /// What a user says in place of the feed: members of their own, so that it can be taken back, and stays
  /// when the episode is downloaded again. Each has its time: two machines may correct one each.
  private var correction: EpisodeCorrection {
    var correction = EpisodeCorrection()
    if case .text(let title)? = parts.others[Self.editedTitle]?.value, !title.isEmpty {
      correction.title = title.limitingCombiningMarks
    }
    if case .text(let date)? = parts.others[Self.editedDate]?.value {
      correction.date = Date(timestamp: date)
    }
    return correction
  }

  /// Whether no rule of `sync` removes it, because a person brought it back; see ``EpisodeMarks``.
  var isKept: Bool {
    get { parts.others[Self.kept]?.value == .bool(true) }
    set {
      guard newValue != isKept else { return }
      parts.others[Self.kept] = .init(.bool(newValue), RecordTime.next(after: parts.latest))
    }
  }

  /// Whether only its feed had it when it was marked as played, and nothing of it came since.
  var isOnlyListed: Bool {
    parts.removal.value != nil && isRemovalOfListed && downloadedAt == nil
  }

  /// Whether its removal was recorded only to mark it as played: the two then have one time, which no
  /// removal on purpose shares.
  var isRemovalOfListed: Bool {
    parts.others[Self.listed] == .init(.bool(true), parts.removal.time)
  }

  /// Marks it as played while only its feed has it.
  ///
  /// - Returns: the line that says so, as of one that was removed.
  mutating func markListed(as planned: EntryName?, at date: Date) -> FolderFact {
    _ = take(.played(true))
    let time = RecordTime.next(after: parts.latest)
    file = file ?? planned
    parts.removal = .init(date.timestamp, time)
    parts.others[Self.listed] = .init(.bool(true), time)
    isKept = false
    return line(.removed, [], at: date)
  }

  /// The line that takes that back: it is as if nothing had been recorded. A file and a removal that
  /// another machine has recorded stay, so these parts become later by a moment only.
  func unlisted(at date: Date) -> FolderFact {
    var entry = self
    entry.file = nil
    entry.parts.file = parts.file.following
    entry.parts.removal = .init(nil, parts.removal.time.following)
    entry.parts.others[Self.listed] = .init(.null, RecordTime.next(after: parts.latest))
    return entry.line(isStarred ? .starred : .unstarred, [], at: date)
  }

  /// Takes what a user says now; each part gets its own time.
  ///
  /// - Returns: whether that changes anything.
  mutating func take(_ mark: EpisodeMark) -> Bool {
    var marks = marks
    marks.take(mark)
    return set(marks)
  }

  /// Sets what differs, with the time of now.
  @discardableResult mutating func set(_ marks: EpisodeMarks) -> Bool {
    let before = self.marks
    guard marks != before else { return false }
    let time = RecordTime.next(after: parts.latest)
    if marks.isStarred != before.isStarred { parts.star = .init(marks.isStarred, time) }
    if marks.isPlayed != before.isPlayed {
      parts.others[Self.played] = .init(.bool(marks.isPlayed), time)
    }
    if marks.isKept != before.isKept { parts.others[Self.kept] = .init(.bool(marks.isKept), time) }
    if marks.position != before.position {
      let seconds = marks.position?.components.seconds
      parts.others[Self.position] = .init(seconds.map { .integer($0) } ?? .null, time)
    }
    let (new, old) = (marks.correction, before.correction)
    if new.title != old.title {
      parts.others[Self.editedTitle] = .init(new.title.map { .text($0) } ?? .null, time)
    }
    if new.date != old.date {
      parts.others[Self.editedDate] = .init(
        new.date.map { .text($0.timestamp) } ?? .null, time)
    }
    return true
  }
}
