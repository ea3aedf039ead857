package import FoundationEssentials

/// Which episodes of a feed that was read a sync takes.
///
/// At the first sync, and when the subscription's settings have changed, these are the newest ones
/// that pass its filter, up to its limit. At every sync it is each new one that passes it. What is
/// there already, or was removed, is skipped later.
package struct NewEpisodes: Sendable, Hashable {
  /// What an item of the feed is.
  package enum Kind: Sendable, Hashable {
    /// The feed listed it within the last year, whatever its date or its guid says now.
    case listedBefore
    /// It is none of those, but looks like a known episode.
    case lookAlike
    /// It is dated long before the newest one ever listed: an archive that came back.
    case olderAdded
    /// It is none of these.
    case new
  }

  /// An episode that was not listed may be dated this much before the newest one listed, in seconds,
  /// and is new: episodes are dated when they are recorded, and uploaded later.
  package static let backdating: Double = 14 * 86_400

  /// The places of the episodes to take, in the feed, the newest first.
  package let wanted: [Int]
  /// The new ones that are not taken: a run whose options leave them out must not list them. At the
  /// first sync there is no list that they could be missing from.
  package let passedOver: Set<ListedItem>
  /// How many of the wanted ones the feed did not list before, and are not known.
  package let newCount: Int
  /// How many that pass the filter are known under another key.
  package let lookAlikeCount: Int
  /// How many that pass the filter are not taken because they are old.
  package let olderAddedCount: Int

  /// Decides about all episodes of a feed.
  ///
  /// - Parameters:
  ///   - episodes: the feed's episodes, in its order.
  ///   - items: the same, as they are remembered.
  ///   - looksKnown: for each of them, whether the identity rules match it with a known one.
  ///   - state: what was remembered before this answer.
  ///   - filter: the subscription's filter; without a limit it takes the complete archive.
  ///   - hasNewSettings: whether other episodes may be wanted than at the last sync.
  package init(
    in episodes: [Episode], _ items: [ListedItem], looksKnown: [Bool], state: FeedState,
    filter: EpisodeFilter, hasNewSettings: Bool, now: Date
  ) {
    let places = Self.newestFirst(
      filter.matching(episodes.indices) { episodes[$0] }, episodes, now: now)
    let kinds = Self.kinds(of: episodes, items, looksKnown: looksKnown, state: state, now: now)
    // Without a list to compare with, the first sync or a lost state, everything would be new. A feed
    // that was read and had no episodes yet is another matter.
    let isFirst = state.lastRead == nil && state.listed.isEmpty
    let newest = isFirst || hasNewSettings ? max(0, filter.limit ?? places.count) : 0
    var wanted: [Int] = []
    var counts: [Kind: Int] = [:]
    for (rank, place) in places.enumerated() {
      let isNewest = rank < newest
      let kind = kinds[place]
      let isArchive = kind == .olderAdded && (isNewest || filter.limit == nil)
      if isNewest || isArchive || !isFirst && kind == .new { wanted.append(place) }
      switch kind {
      case .olderAdded where isArchive: counts[.new, default: 0] += 1
      case .new where isFirst && !isNewest: break
      default: counts[kind, default: 0] += 1
      }
    }
    self.wanted = wanted
    let taken = Set(wanted)
    passedOver =
      isFirst
      ? []
      : Set(episodes.indices.filter { kinds[$0] == .new && !taken.contains($0) }.map { items[$0] })
    newCount = counts[.new, default: 0]
    lookAlikeCount = counts[.lookAlike, default: 0]
    olderAddedCount = counts[.olderAdded, default: 0]
  }

  /// What each item of a feed is, in the feed's order.
  package static func kinds(
    of episodes: [Episode], _ items: [ListedItem], looksKnown: [Bool], state: FeedState, now: Date
  ) -> [Kind] {
    let isListed = state.listed.places(of: items).map { $0 != nil }
    let oldest = state.newest.map { min($0, now).addingTimeInterval(-backdating) }
    return episodes.indices.map { place in
      if place < isListed.count, isListed[place] { return .listedBefore }
      if place < looksKnown.count, looksKnown[place] { return .lookAlike }
      if !state.listed.isEmpty, let oldest, let date = episodes[place].plausibleDate, date < oldest
      {
        return .olderAdded
      }
      return .new
    }
  }

  /// A date in the future counts as now; episodes without a date come last, and equal dates keep the
  /// feed's order.
  private static func newestFirst(
    _ places: [Int], _ episodes: [Episode], now: Date
  ) -> [Int] {
    let dated = places.map { place in
      (place: place, date: episodes[place].plausibleDate.map { min($0, now) } ?? .distantPast)
    }
    return dated.sorted { $0.date == $1.date ? $0.place < $1.place : $0.date > $1.date }
      .map(\.place)
  }
}
