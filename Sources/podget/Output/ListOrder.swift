import FoundationEssentials
import PodcastKit

/// The order of local episodes in a list.
///
/// What comes first is what people look for: the newest, the largest, the longest, the first of the
/// alphabet. What is unknown comes last, reversed or not; equals have the newest first.
struct ListOrder: Sendable, Hashable {
  /// By what episodes are ordered; the raw values are those of the option.
  enum Key: String, Sendable, Hashable, CaseIterable {
    case date, title, size, duration, podcast, downloaded
  }

  var key = Key.date
  var isReversed = false

  /// The episodes in this order, which does not depend on how the disk lists its files.
  func sorted(_ episodes: [LocalEpisode]) -> [LocalEpisode] {
    episodes
      .map { Row(episode: $0, rank: rank($0), date: Self.newestFirst($0.plan.episode.date)) }
      .sorted(by: precedes)
      .map(\.episode)
  }
}

extension ListOrder {
  /// Where an episode stands; smaller comes first.
  private enum Rank: Comparable {
    case number(Double)
    case text(String)
    case unknown
  }

  private struct Row {
    var episode: LocalEpisode
    var rank: Rank
    var date: Rank
  }

  private func rank(_ local: LocalEpisode) -> Rank {
    switch key {
    case .date: Self.newestFirst(local.plan.episode.date)
    case .title: .text(local.plan.episode.title.lowercased())
    case .size: .number(-Double(local.bytes))
    case .duration: local.plan.episode.duration.map { .number(-($0 / .seconds(1))) } ?? .unknown
    case .podcast: .text(local.plan.podcast.title.lowercased())
    case .downloaded: Self.newestFirst(local.downloadedAt)
    }
  }

  private static func newestFirst(_ date: Date?) -> Rank {
    date.map { .number(-$0.timeIntervalSince1970) } ?? .unknown
  }

  private func precedes(_ first: Row, _ second: Row) -> Bool {
    if first.rank != second.rank {
      if first.rank == .unknown || second.rank == .unknown { return second.rank == .unknown }
      return isReversed ? second.rank < first.rank : first.rank < second.rank
    }
    if first.date != second.date { return first.date < second.date }
    return first.episode.path < second.episode.path
  }
}
