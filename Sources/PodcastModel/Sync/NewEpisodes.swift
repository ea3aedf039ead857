package import FoundationEssentials

/// Which episodes of a feed that was read a sync takes.
///
/// At the first sync, and when the subscription's settings have changed, these are the newest ones
/// that pass its filter, up to its limit. At every sync it is each new one that passes it. What is
/// there already, or was removed, is skipped later. Very many new ones at once wait until a person
/// accepts them: they are more often a mistake of the host than news.
package struct NewEpisodes: Sendable, Hashable {
  /// What an item of the feed is.
  package enum Kind: Sendable, Hashable {
    /// The feed listed it within the last year, whatever its date or its guid says now.
    case listedBefore
    /// The feed listed it within the last year, and it waits.
    case waiting
    /// It is none of those, but looks like a known episode.
    case lookAlike
    /// It is dated long before the newest one ever listed: an archive that came back.
    case olderAdded
    /// It is none of these.
    case new
  }

  /// How many new episodes come at once, if the user did not choose a number.
  package static let usualMost = 50

  /// An episode that was not listed may be dated this much before the newest one listed, in seconds,
  /// and is new: episodes are dated when they are recorded, and uploaded later.
  package static let backdating: Double = 14 * 86_400

  /// The places of the episodes to take, in the feed, the newest first.
  package let wanted: [Int]
  /// The new ones that are not taken: a run whose options leave them out must not list them. At the
  /// first sync there is no list that they could be missing from.
  package let passedOver: Set<ListedItem>
  /// Those that wait.
  package let waiting: Set<ListedItem>
  /// How many of them are new.
  package let newlyWaitingCount: Int
  /// How many of those that wait the list has, whatever the filter says.
  package let listedWaitingCount: Int
  /// Those that waited and do so no longer.
  package let released: Set<ListedItem>
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
  ///   - found: for each of them the place of the remembered one that it is, if that is known.
  ///   - looksKnown: for each of them, whether the identity rules match it with a known one.
  ///   - state: what was remembered before this answer.
  ///   - filter: the subscription's filter; without a limit it takes the complete archive.
  ///   - hasNewSettings: whether other episodes may be wanted than at the last sync.
  ///   - takesArchive: whether the subscription's own settings have no limit, whatever the filter has.
  ///   - most: how many new ones come at once; nil if a person has accepted them all.
  ///   - mostAccepted: how many of those that wait a person has accepted, the newest ones; nil if not a
  ///     number of them. Then the newest N are not asked for.
  package init(
    in episodes: [Episode], _ items: [ListedItem], at found: [Int?]? = nil, looksKnown: [Bool],
    state: FeedState, filter: EpisodeFilter, hasNewSettings: Bool, takesArchive: Bool = false,
    most: Int? = NewEpisodes.usualMost, mostAccepted: Int? = nil, now: Date
  ) {
    let places = Self.newestFirst(
      filter.matching(episodes.indices) { episodes[$0] }, episodes, now: now)
    let found = found ?? state.listed.places(of: items)
    let kinds = Self.kinds(
      of: episodes, items, at: found, looksKnown: looksKnown, state: state, now: now)
    // Without a list to compare with, the first sync or a lost state, everything would be new. A feed
    // that was read and had no episodes yet is another matter.
    let isFirst = state.lastRead == nil && state.listed.isEmpty
    let takesNewest = isFirst || hasNewSettings && mostAccepted == nil
    let newest = takesNewest ? max(0, filter.limit ?? places.count) : 0
    func isNew(_ place: Int) -> Bool {
      kinds[place] == .new || kinds[place] == .olderAdded && filter.limit == nil
    }
    // The newest were asked for.
    let news = isFirst ? [] : places.dropFirst(newest).filter(isNew)
    let isTooMany = most.map { news.count > $0 } ?? false
    var wanted = Set(places.prefix(newest))
    if !isTooMany { wanted.formUnion(news) }
    let waitable = Set(places.filter { kinds[$0] == .waiting } + (isTooMany ? news : []))
    if most == nil || mostAccepted != nil {
      wanted.formUnion(places.filter(waitable.contains).prefix(max(0, mostAccepted ?? .max)))
    }
    self.wanted = places.filter(wanted.contains)

    newCount =
      self.wanted.count { kinds[$0] == .new || kinds[$0] == .olderAdded || kinds[$0] == .waiting }
    lookAlikeCount = places.count { kinds[$0] == .lookAlike }
    let waits = waitable.subtracting(wanted)
    func isLeft(_ place: Int) -> Bool { !wanted.contains(place) && !waits.contains(place) }
    olderAddedCount =
      takesArchive ? 0 : places.count { kinds[$0] == .olderAdded && isLeft($0) }
    passedOver =
      isFirst
      ? []
      : Set(
        episodes.indices.lazy
          .filter { kinds[$0] == .new || takesArchive && kinds[$0] == .olderAdded }
          .filter(isLeft).map { items[$0] })
    waiting = Set(waits.map { items[$0] })
    newlyWaitingCount = isTooMany ? news.count { waits.contains($0) } : 0
    listedWaitingCount =
      waiting.union(
        episodes.indices.lazy
          .filter { kinds[$0] == .waiting && !wanted.contains($0) }.map { items[$0] }
      ).count
    released = Set(
      zip(episodes.indices, found).lazy.filter { place, listed in
        listed.map(state.listed.isWaiting) == true
          && (kinds[place] != .waiting || wanted.contains(place))
      }.map { items[$0.0] })
  }

  /// What each item of a feed is, in the feed's order.
  package static func kinds(
    of episodes: [Episode], _ items: [ListedItem], at found: [Int?]? = nil, looksKnown: [Bool],
    state: FeedState, now: Date
  ) -> [Kind] {
    let known = found ?? state.listed.places(of: items)
    let oldest = state.newest.map { min($0, now).addingTimeInterval(-backdating) }
    return episodes.indices.map { place in
      let looksKnown = place < looksKnown.count && looksKnown[place]
      if place < known.count, let listed = known[place] {
        return state.listed.isWaiting(listed) && !looksKnown ? .waiting : .listedBefore
      }
      if looksKnown { return .lookAlike }
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
