import PodcastKit

/// How episodes are grouped; the raw values are those of the option.
///
/// Days, and periods of days, are those of publication, in UTC; weeks are those of ISO 8601.
enum ListGrouping: String, Sendable, Hashable, CaseIterable {
  case podcast, day, week, month, year
}

/// Local episodes that belong together, under a heading.
struct ListGroup: Sendable {
  /// The podcast's title, or a day such as `2024-02-16`, a week `2024-W07`, a month `2024-02`, a
  /// year `2024`; empty for no heading.
  var title = ""
  /// The episodes in their original order.
  var episodes: [LocalEpisode]
  /// Whether these are the unfinished episodes, whatever the other groups are.
  var isUnfinished = false

  /// Groups sorted episodes: podcasts by title, times with the newest first.
  ///
  /// - Parameters:
  ///   - podcasts: identifies the podcasts of the episodes.
  ///   - isReversed: reverses the order of the groups; undated episodes stay the last group.
  static func groups(
    of episodes: [LocalEpisode], by kind: ListGrouping, podcasts: LibraryPodcasts,
    isReversed: Bool
  ) -> [ListGroup] {
    var groups: [GroupKey: ListGroup] = [:]
    for episode in episodes {
      let key = GroupKey(episode, kind, podcasts)
      groups[key, default: ListGroup(title: key.title(episode), episodes: [])].episodes
        .append(episode)
    }
    return groups.sorted { first, second in
      if first.key == .undated || second.key == .undated { return second.key == .undated }
      let precedes = first.key.precedes(second.key, first.value.title, second.value.title)
      return isReversed ? !precedes : precedes
    }.map(\.value)
  }

  /// The unfinished episodes, which are the last group of a list.
  static func unfinished(_ episodes: [LocalEpisode]) -> ListGroup {
    ListGroup(title: "Unfinished", episodes: episodes, isUnfinished: true)
  }
}

private enum GroupKey: Hashable {
  case podcast(String)
  case time(String)
  case undated

  init(_ local: LocalEpisode, _ kind: ListGrouping, _ podcasts: LibraryPodcasts) {
    if kind == .podcast {
      self = .podcast(podcasts.key(of: local.podcast).text)
      return
    }
    guard let day = local.date.map({ CivilDay($0) }) else {
      self = .undated
      return
    }
    switch kind {
    case .week: self = .time(ISOWeek(day).description)
    case .month: self = .time(String(day.description.dropLast(3)))
    case .year: self = .time(String(day.description.dropLast(6)))
    case .podcast, .day: self = .time(day.description)
    }
  }

  func title(_ local: LocalEpisode) -> String {
    switch self {
    case .podcast: local.podcast.shownTitle
    case .time(let text): text
    case .undated: "Undated"
    }
  }

  /// Times are written with the same number of digits, so their texts sort correctly.
  func precedes(_ other: GroupKey, _ title: String, _ otherTitle: String) -> Bool {
    switch (self, other) {
    case (.time(let first), .time(let second)): first > second
    case (.podcast(let first), .podcast(let second)):
      (title.lowercased(), first) < (otherTitle.lowercased(), second)
    default: false
    }
  }
}
