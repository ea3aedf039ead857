package import PodcastModel

/// Finds the local episodes for listed ones, whatever the publisher has changed since.
package struct EpisodeLookup: Sendable {
  private let locals: [LocalEpisode]
  private var byKey: [String: Int] = [:]
  /// The episodes of each podcast, and the podcasts by the properties that they may share with
  /// others.
  private var groups: [(podcast: PodcastIdentity, members: [Int])] = []
  private var groupsByAlias: [String: [Int]] = [:]
  /// What a person said of the podcasts.
  private let facts: PodcastFacts
  /// The episodes of podcasts that are parts of one.
  private var groupsByWhole: [EpisodeKey: [Int]] = [:]

  /// Indexes the episodes that the library knows, including planned ones that were not begun.
  ///
  /// - Parameter facts: say which podcasts are one.
  package init(
    _ episodes: [LocalEpisode], unfinished: [UnfinishedDownload] = [],
    facts: PodcastFacts = PodcastFacts()
  ) {
    self.facts = facts
    var locals = episodes
    var places: [PodcastIdentity: Int] = [:]
    var last: (podcast: Podcast, place: Int)?
    let planned = unfinished.lazy.map { LocalEpisode(planned: $0.plan) }
    locals.reserveCapacity(episodes.count + unfinished.count)
    byKey.reserveCapacity(episodes.count + unfinished.count)
    for (place, episode) in episodes.enumerated() { byKey[episode.key] = place }
    for episode in planned where byKey[episode.key] == nil {
      byKey[episode.key] = locals.endIndex
      locals.append(episode)
    }
    let joins = facts.joins
    for (index, local) in locals.enumerated() {
      let podcast = local.podcast
      // The episodes of a podcast are adjacent, as in its folder.
      if let last, last.podcast == podcast {
        groups[last.place].members.append(index)
        continue
      }
      let identity = PodcastIdentity(podcast)
      let place = places[identity] ?? groups.endIndex
      if place == groups.endIndex {
        places[identity] = place
        groups.append((identity, []))
        for alias in identity.aliases { groupsByAlias[alias, default: []].append(place) }
        if joins, let whole = facts.wholeKey(of: podcast) {
          groupsByWhole[whole, default: []].append(place)
        }
      }
      groups[place].members.append(index)
      last = (podcast, place)
    }
    self.locals = locals
  }

  /// The local episode that has the key of a plan.
  package func local(for plan: DownloadPlan) -> LocalEpisode? {
    byKey[plan.key].map { locals[$0] }
  }

  /// Finds the episodes of a listing in the library.
  package func identify(_ listing: PodcastListing) -> IdentifiedListing {
    let identity = PodcastIdentity(listing.podcast)
    let related = Set(identity.aliases.flatMap { groupsByAlias[$0] ?? [] }).sorted()
    var places: [Int] = []
    var known: [EpisodeMatching.Known] = []
    func add(_ group: Int, isKin: Bool = false, isPart: Bool = false) {
      for place in groups[group].members {
        let plan = locals[place].plan
        places.append(place)
        known.append(
          EpisodeMatching.Known(
            key: plan.key, episode: plan.episode, matchesTitleOnly: isKin, isOfPart: isPart))
      }
    }
    var whole: Set<Int> = []
    if facts.joins, let key = facts.wholeKey(of: listing.podcast) {
      whole = Set(groupsByWhole[key] ?? [])
    }
    for group in related {
      guard let relation = identity.relation(to: groups[group].podcast) else { continue }
      whole.remove(group)
      add(group, isKin: relation == .kin)
    }
    let ownCount = places.count
    // Its own episodes come first: each known one is matched once. Those of a part may have the numbers
    // of other episodes as guids, so a guid and a day are not enough.
    for group in whole.sorted() { add(group, isPart: true) }
    let keys = EpisodeKeys(of: listing.episodes, podcast: listing.podcast, known: known)
    var listing = listing
    listing.podcast = facts.corrected(listing.podcast)
    return IdentifiedListing(
      listing: listing, keys: keys, locals: keys.known.mapValues { locals[places[$0]] },
      knownCount: ownCount)
  }
}

/// A listing whose episodes have been looked up in a library.
package struct IdentifiedListing: Sendable {
  /// The listing.
  package let listing: PodcastListing
  /// The keys that the episodes have or will have.
  package let keys: EpisodeKeys
  /// The library's state of the listed episodes.
  package let locals: [Episode: LocalEpisode]
  /// How many episodes of the podcast the library knows, listed or not, without those of podcasts that
  /// are parts of it.
  package let knownCount: Int
}

extension LocalEpisode {
  /// An episode with nothing on the disk except its plan.
  package init(planned plan: DownloadPlan) {
    self.init(plan: plan, file: File(status: .planned, bytes: 0))
  }
}
