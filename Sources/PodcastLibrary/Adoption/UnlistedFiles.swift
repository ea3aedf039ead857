import PodcastModel

/// Files of episodes that their podcasts do not list any more.
extension LibraryAdoption {
  /// Adds the episodes that files say they are, and that their podcasts do not list any more: they get
  /// keys and names as if they were listed.
  func addUnlisted(to matched: inout Matched, _ matcher: EpisodeMatcher) {
    var added: [Podcast: [Episode]] = [:]
    var found: [(place: Int, podcast: Podcast, episode: Episode)] = []
    var titles: [Podcast: [String: [LocalEpisode]]] = [:]
    // What has a title only, with the size.
    var untold: [Podcast: [String: Int64]] = [:]
    for (place, entry) in matched.files.enumerated() {
      guard let file = entry.file, entry.match == nil, case .noMatch? = entry.adoption.obstacle,
        case (let podcast, let episode)? = matcher.unlisted(file, takesNames: options.takesNames)
      else { continue }
      let title = EpisodeMatcher.comparable(episode.title)
      let own = titles[podcast] ?? titled(podcast)
      titles[podcast] = own
      let known = own[title]?.filter { Self.may($0.plan.episode, be: episode) } ?? []
      if known.contains(where: { $0.status == .complete }) {
        // Without a guid and a day, nothing but its title and its length says that it is known.
        if episode.guid == nil, episode.date == nil {
          if let same = known.first(where: { $0.status == .complete && $0.bytes == file.bytes }) {
            matched.files[place].adoption.obstacle = nil
            matched.files[place].adoption.status = .known
            matched.files[place].adoption.path = same.path
            matched.files[place].adoption.plan = same.plan
          } else {
            matched.files[place].adoption.obstacle = Self.sameTitle
          }
          continue
        }
      } else if let local = known.first {
        // Removed on purpose, or gone: it is no new one.
        if local.status == .removed, !local.isOnlyPlayed, !options.isForced {
          matched.files[place].adoption.obstacle = .removed
          continue
        }
        matched.files[place].adoption.obstacle = nil
        matched.files[place].match = EpisodeMatcher.Match(
          key: local.key, podcast: local.podcast, episode: local.plan.episode,
          rank: Self.unlistedRank, isListed: false)
        matched.lost[local.key] = local.plan
        continue
      } else if episode.guid == nil, episode.date == nil {
        if let bytes = untold[podcast]?[title], bytes != file.bytes {
          matched.files[place].adoption.obstacle = Self.sameTitle
          continue
        }
        untold[podcast, default: [:]][title] = file.bytes
      }
      found.append((place, podcast, episode))
      if added[podcast]?.contains(episode) != true { added[podcast, default: []].append(episode) }
    }
    guard !found.isEmpty else { return }
    for (place, identified) in matched.listings.enumerated() {
      var listing = identified.listing
      guard let episodes = added.removeValue(forKey: listing.podcast) else { continue }
      listing.episodes += episodes
      matched.listings[place] = index.identify(listing)
    }
    for (place, podcast, episode) in found {
      let identified = matched.listings.first { $0.listing.podcast == podcast }
      guard let key = identified?.keys.key(podcast: podcast, episode: episode) else { continue }
      matched.files[place].adoption.obstacle = nil
      matched.files[place].match = EpisodeMatcher.Match(
        key: key, podcast: podcast, episode: episode, rank: Self.unlistedRank,
        isListed: false)
    }
  }

  private static let sameTitle = AdoptedFile.Obstacle.noMatch(
    "Another one has the same title, and the file does not say more.")

  /// The episodes of a podcast in the library, by their titles. Its title alone may be that of another.
  private func titled(_ podcast: Podcast) -> [String: [LocalEpisode]] {
    let identity = PodcastIdentity(podcast)
    var isSame: [Podcast: Bool] = [:]
    let own = locals.filter { local in
      let known =
        isSame[local.podcast]
        ?? (identity.relation(to: PodcastIdentity(local.podcast)) == .same)
      isSame[local.podcast] = known
      return known
    }
    return Dictionary(grouping: own) { EpisodeMatcher.comparable($0.plan.episode.title) }
  }

  /// Whether nothing but the titles says that two of one title are different episodes.
  private static func may(_ one: Episode, be other: Episode) -> Bool {
    if let guid = one.guid, let other = other.guid, guid != other { return false }
    if let date = one.date, let other = other.date, CivilDay(date) != CivilDay(other) {
      return false
    }
    return true
  }

  /// Every match with a listed episode is better.
  private static let unlistedRank = 100
}
