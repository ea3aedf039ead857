import PodcastKit

/// What `list` reads of the library.
extension ListCommand {
  /// Reads what the list needs of the library: a few episodes are found without the others.
  ///
  /// - Parameter hasDetails: whether more is wanted of each than a table shows.
  func read(
    _ library: Library, _ filter: EpisodeFilter, hasDetails: Bool
  ) -> LibraryReading {
    let hasDetails = hasDetails || filter.kind != nil || filter.season != nil
    func reading(_ query: EpisodeQuery) -> LibraryReading {
      let isEnough = { (some: [LocalEpisode]) in
        guard case .newest(let count, _) = query else { return true }
        return chosen(by: filter, from: wanted(some)).count == count
      }
      return hasDetails
        ? library.locatedReading(of: query, recording: false, isEnough: isEnough)
        : library.listing(of: query, isEnough: isEnough)
    }
    let found = reading(query(for: filter))
    // The message that nothing matches says how many episodes there are.
    guard !found.areAll, chosen(by: filter, from: wanted(found.episodes)).isEmpty else {
      return found
    }
    return reading(.all)
  }

  /// The first query to the library.
  private func query(for filter: EpisodeFilter) -> EpisodeQuery {
    // The names of podcasts, and what makes two one, depend on all of them.
    guard sources.isEmpty, groupBy != .podcast else { return .all }
    guard filter.episodes.isEmpty else { return .named(filter.episodes) }
    var condition = EpisodeQuery.Condition()
    let hasNoMark = !starred && !played && !unplayed && !partial && !missing
    if let limit = filter.limit, filter == EpisodeFilter(limit: limit), hasNoMark,
      statuses.allSatisfy({ $0 == .removed })
    {
      return .newest(limit, areRemoved: areRemoved)
    }
    (condition.since, condition.until) = (filter.since, filter.until)
    if starred { condition.isStarred = true }
    if played || unplayed { condition.isPlayed = played }
    if areRemoved {
      condition.statuses = [.removed]
    } else if !statuses.isEmpty {
      // A missing file may be found elsewhere, and then it is complete.
      condition.statuses = Set(statuses).union(statuses.contains(.complete) ? [.missing] : [])
    } else if partial || missing {
      condition.statuses = missing ? [.missing] : []
    }
    return .matching(condition)
  }
}
