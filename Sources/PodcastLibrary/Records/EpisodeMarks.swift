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

  /// Creates marks; without any an episode is new.
  package init(isStarred: Bool = false, isPlayed: Bool = false, position: Duration? = nil) {
    (self.isStarred, self.isPlayed, self.position) = (isStarred, isPlayed, position)
  }

  /// Takes what a user says.
  mutating func take(_ mark: EpisodeMark) {
    switch mark {
    case .starred(let isStarred): self.isStarred = isStarred
    case .played(let isPlayed): (self.isPlayed, position) = (isPlayed, nil)
    case .position(let position): self.position = Self.position(position?.components.seconds)
    case .edited: break
    }
  }

  /// The longest position in seconds: a month.
  private static let longest: Int64 = 31 * 86_400

  /// A position that a record or a user says; nil for the start and for what cannot be one.
  static func position(_ seconds: Int64?) -> Duration? {
    guard let seconds, (1...longest).contains(seconds) else { return nil }
    return .seconds(seconds)
  }
}

extension FolderContents.Entry {
  /// The members of lines that podgets before these marks keep without knowing them.
  private static let (played, position, edited) = ("played", "position", "edited")

  /// What a user has said about it.
  var marks: EpisodeMarks {
    var seconds: Int64?
    if case .integer(let value)? = parts.others[Self.position]?.value { seconds = value }
    return EpisodeMarks(
      isStarred: isStarred, isPlayed: parts.others[Self.played]?.value == .bool(true),
      position: EpisodeMarks.position(seconds))
  }

  /// Takes what a user says now; each part gets its own time.
  ///
  /// - Returns: whether that changes anything.
  mutating func take(_ mark: EpisodeMark) -> Bool {
    if case .edited(let correction) = mark { return take(correction) }
    var marks = marks
    marks.take(mark)
    return set(marks)
  }

  /// What a user says in place of the feed: a member of its own, so that it can be taken back, and stays
  /// when the episode is downloaded again.
  private var correction: EpisodeCorrection {
    guard case .members(let members)? = parts.others[Self.edited]?.value else {
      return EpisodeCorrection()
    }
    var correction = EpisodeCorrection()
    if case .text(let title)? = members["title"] { correction.title = title }
    if case .text(let date)? = members["date"] { correction.date = Date(timestamp: date) }
    return correction
  }

  private mutating func take(_ new: EpisodeCorrection?) -> Bool {
    var value = RecordValue.null
    if let new {
      let known = correction
      var members: [String: RecordValue] = [:]
      members["title"] = (new.title ?? known.title).map { .text($0) }
      members["date"] = (new.date ?? known.date).map { .text($0.timestamp) }
      value = .members(members)
    }
    guard value != parts.others[Self.edited]?.value ?? .null else { return false }
    parts.others[Self.edited] = .init(value, RecordTime.next(after: parts.latest))
    return true
  }

  /// The episode as its feed describes it, with what a user has corrected.
  var corrected: Episode {
    var episode = episode.episode
    let correction = correction
    if let title = correction.title { episode.title = title.limitingCombiningMarks }
    episode.date = correction.date ?? episode.date
    return episode
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
    if marks.position != before.position {
      let seconds = marks.position?.components.seconds
      parts.others[Self.position] = .init(seconds.map { .integer($0) } ?? .null, time)
    }
    return true
  }
}
