import FoundationEssentials
import PodcastKit

/// The order of local episodes in a list.
///
/// The newest, the largest, the longest, or the first of the alphabet come first. Unknown values
/// come last, reversed or not; equal ones have the newest first.
struct ListOrder: Sendable, Hashable {
  /// The sort key; the raw values are those of the option.
  enum Key: String, Sendable, Hashable, CaseIterable {
    case date, title, size, duration, podcast, downloaded
  }

  var key = Key.date
  var isReversed = false

  /// The episodes in this order, which does not depend on the order of files on the disk.
  func sorted(_ episodes: [LocalEpisode]) -> [LocalEpisode] {
    // Positions are sorted, not episodes: those are large, and would move a dozen times.
    var rows = zip(episodes.indices, ranks(of: episodes)).map { index, rank in
      Row(
        place: index, rank: isReversed && rank != Self.unknown ? -rank : rank,
        date: Self.newestFirst(episodes[index].date))
    }
    rows.sort { first, second in
      if first.rank != second.rank { return first.rank < second.rank }
      if first.date != second.date { return first.date < second.date }
      return episodes[first.place].path < episodes[second.place].path
    }
    return rows.map { episodes[$0.place] }
  }
}

extension ListOrder {
  /// Numbers only: frequent comparisons must be fast.
  private struct Row {
    var place: Int
    var rank: Double
    var date: Double
  }

  /// The rank after all others, in either direction.
  private static let unknown = Double.infinity

  /// The rank of each episode; smaller comes first.
  private func ranks(of episodes: [LocalEpisode]) -> [Double] {
    switch key {
    case .date: episodes.map { Self.newestFirst($0.date) }
    case .title: Self.places(of: episodes.map { $0.title.lowercased() })
    case .size: episodes.map { -Double($0.bytes) }
    case .duration:
      episodes.map { $0.duration.map { -($0 / .seconds(1)) } ?? Self.unknown }
    case .podcast: Self.places(of: episodes.map { $0.podcast.shownTitle.lowercased() })
    case .downloaded: episodes.map { Self.newestFirst($0.downloadedAt) }
    }
  }

  private static func newestFirst(_ date: Date?) -> Double {
    date.map { -$0.timeIntervalSince1970 } ?? unknown
  }

  /// The position of each text in the alphabetical order of all; equal texts share one.
  private static func places(of texts: [String]) -> [Double] {
    var places = [Double](repeating: 0, count: texts.count)
    var previous: Int?
    for index in texts.indices.sorted(by: { texts[$0] < texts[$1] }) {
      if let previous {
        places[index] = places[previous] + (texts[previous] == texts[index] ? 0 : 1)
      }
      previous = index
    }
    return places
  }
}
