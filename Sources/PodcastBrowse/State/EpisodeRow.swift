package import FoundationEssentials
import PodcastModel

/// An episode in a list. Its texts are safe for a terminal.
package struct EpisodeRow: BrowseRow {
  /// The key that the episode has, or will have, in the library.
  package let key: String
  /// The podcast's title.
  package let podcast: String
  /// The title.
  package let title: String
  /// When it was published (UTC).
  package let date: Date?
  /// How long it is.
  package let duration: Duration?
  /// The size in bytes, as far as it is known.
  package var size: Int64?
  /// Whether it is a favorite.
  package var isStarred: Bool
  /// Whether it was played.
  package var isPlayed: Bool
  /// Where playing continues; nil is the start.
  package var position: Duration?
  /// Its state.
  package var state: EpisodeState
  /// Until when the trash keeps its file (UTC); nil if it is not there.
  package var keptUntil: Date?
  /// The paths of its files in the trash.
  package var files: [String] = []
  /// The address of its artwork, or of its podcast's, if known.
  package let artwork: String?
  /// What a filter searches.
  package let searchText: String

  /// Creates a row; the texts are made safe.
  package init(
    key: String, podcast: String, title: String, date: Date? = nil, duration: Duration? = nil,
    size: Int64? = nil, isStarred: Bool = false, isPlayed: Bool = false,
    position: Duration? = nil, state: EpisodeState = .remote, artwork: String? = nil,
    keptUntil: Date? = nil
  ) {
    self.key = key
    self.podcast = TerminalText.safe(podcast)
    self.title = TerminalText.safe(title)
    self.date = date
    self.duration = duration
    self.size = size
    self.isStarred = isStarred
    (self.isPlayed, self.position) = (isPlayed, position)
    self.state = state
    self.artwork = artwork
    self.keptUntil = keptUntil
    searchText = "\(self.title)\n\(self.podcast)".lowercased()
  }
}

extension EpisodeRow {
  /// A group and its place among the others; smaller comes first.
  private struct GroupKey: Hashable {
    var rank: Int
    var name: String
  }

  package static func lines(
    _ rows: [EpisodeRow], _ places: [Int], _ arrangement: RowArrangement
  ) -> [RowLine] {
    guard arrangement.group != .none else { return places.map { .row($0) } }
    var groups: [GroupKey: [Int]] = [:]
    for place in places {
      groups[group(of: rows[place], arrangement.group), default: []].append(place)
    }
    let isOldestFirst = arrangement.sort == .oldest || !arrangement.group.isOfTime
    let order = groups.keys.sorted { first, second in
      if first.rank != second.rank {
        // Episodes without a date are the last group in either direction.
        if first.rank == .min || second.rank == .min { return second.rank == .min }
        return isOldestFirst ? first.rank < second.rank : first.rank > second.rank
      }
      return (first.name.lowercased(), first.name) < (second.name.lowercased(), second.name)
    }
    return order.flatMap { key -> [RowLine] in
      let places = groups[key] ?? []
      let name = arrangement.group.isOfTime ? key.name : "\(key.name) (\(places.count))"
      return [.heading(name)] + places.map { RowLine.row($0) }
    }
  }

  package func isOf(_ kind: String) -> Bool {
    switch kind {
    case "favorite": isStarred
    case "played": isPlayed
    case "unplayed": !isPlayed
    case "begun": position != nil
    case "complete": state == .complete
    case "failed": state.isFailed
    case "unfinished": state.isUnfinished
    default: false
    }
  }

  package static func isMoved(
    _ before: EpisodeRow, _ after: EpisodeRow, _ arrangement: RowArrangement
  ) -> Bool {
    if arrangement.sort == .size, before.size != after.size { return true }
    switch arrangement.group {
    case .state, .favorite, .played:
      return group(of: before, arrangement.group) != group(of: after, arrangement.group)
    case .none, .podcast, .day, .week, .month, .year: return false
    }
  }

  /// What it is sorted by, where that is a time: in the trash, what is kept longest comes first.
  private var time: Date? { keptUntil ?? date }

  private static func group(of row: EpisodeRow, _ group: RowArrangement.Group) -> GroupKey {
    switch group {
    case .podcast: return GroupKey(rank: 0, name: row.podcast)
    case .state:
      return GroupKey(rank: row.state.rank, name: EpisodeState.groups[row.state.rank])
    case .favorite:
      return GroupKey(rank: row.isStarred ? 0 : 1, name: row.isStarred ? "Favorites" : "Others")
    case .played:
      if row.position != nil { return GroupKey(rank: 0, name: "Begun") }
      return GroupKey(
        rank: row.isPlayed ? 2 : 1, name: row.isPlayed ? "Played" : "Not played")
    case .none, .day, .week, .month, .year: break
    }
    guard let date = row.time else { return GroupKey(rank: .min, name: "Undated") }
    let day = CivilDay(date)
    let text = day.description
    switch group {
    case .year: return GroupKey(rank: day.year, name: String(text.prefix(4)))
    case .month: return GroupKey(rank: day.year * 12 + day.month, name: String(text.prefix(7)))
    case .week:
      let week = ISOWeek(day)
      return GroupKey(rank: week.year * 54 + week.week, name: week.description)
    case .day, .none, .podcast, .state, .favorite, .played:
      return GroupKey(rank: day.daysSince1970, name: text)
    }
  }

  package static func usualOrder(_ rows: [EpisodeRow]) -> [Int] {
    KeyOrder.sorted(
      rows.indices, by: rows.map { $0.time.map { -$0.timeIntervalSince1970 } ?? .infinity })
  }

  /// Unknown values come last.
  package static func order(
    _ rows: [EpisodeRow], by sort: RowArrangement.Sort, usual: [Int], texts: SearchTexts
  ) -> [Int] {
    let numbers: [Double]
    switch sort {
    case .newest: return usual
    case .title: return texts.sorted(usual)
    // The podcast is the second line of what is searched.
    case .podcast: return texts.sorted(usual, fromLine: 1)
    case .oldest: numbers = rows.map { $0.time?.timeIntervalSince1970 ?? .infinity }
    case .duration: numbers = rows.map { $0.duration.map { -($0 / .seconds(1)) } ?? .infinity }
    case .size: numbers = rows.map { $0.size.map { -Double($0) } ?? .infinity }
    }
    return KeyOrder.sorted(usual, by: numbers)
  }
}
