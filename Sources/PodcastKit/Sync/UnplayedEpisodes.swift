package import FoundationEssentials
package import PodcastLibrary
package import PodcastModel

/// What is new of followed podcasts: episodes that were not played and not removed, downloaded or not.
///
/// Those of the library count, and those that feeds have listed since their podcasts were followed. No
/// server is asked.
package struct UnplayedEpisodes: Sendable {
  /// An episode.
  package struct Element: Sendable, Hashable {
    /// The key that it has, or will have, in the library.
    package var key: String
    /// Its podcast, as a person corrected it.
    package var podcast: Podcast
    /// The episode.
    package var episode: Episode
    /// The library's own; nil if the library does not know it.
    package var local: LocalEpisode?
    /// The position of its subscription.
    package var place: Int
  }

  /// The episodes, newest first; those without a date come last.
  package private(set) var elements: [Element] = []
  /// Whether no feed of the podcasts has been read.
  package private(set) var areUnread = true
  /// Whether what the feeds list could not be read: only the library's episodes are there.
  package private(set) var lacksLists = false

  /// Finds them. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - subscriptions: all subscriptions of the library.
  ///   - chosen: the positions of those that are wanted.
  ///   - reading: the whole library, with planned episodes.
  ///   - library: where the lists of feeds are.
  ///   - options: what is wanted of podcasts.
  ///   - now: the time of day.
  package init(
    of subscriptions: [Subscription], _ chosen: Set<Int>, in reading: LibraryReading,
    of library: Library, options: SyncOptions, at now: Date
  ) {
    let known = Dictionary(reading.episodes.map { ($0.key, $0) }) { first, _ in first }
    addLocal(of: subscriptions, chosen, in: reading)
    do {
      let store = ListedStore(library)
      let news = try store.news()
      var lookup: EpisodeLookup?
      var (seen, files): (Set<String>, Set<String>) = ([], [])
      for place in chosen.sorted() {
        let subscription = subscriptions[place]
        guard let keys = news[subscription.firstURL] else { continue }
        areUnread = false
        // What the library knows by its key need not be looked for.
        guard keys.contains(where: { known[$0] == nil }),
          let listing = try store.listing(of: subscription.firstURL),
          let filter = try? options.feed(of: subscription, at: now).filter
        else { continue }
        let index = lookup ?? EpisodeLookup(reading.episodes, facts: reading.facts)
        lookup = index
        let identified = index.identify(
          PodcastListing(podcast: listing.podcast, episodes: listing.items.map(\.episode)))
        let unknown = listing.items.filter { item in
          item.isNew && known[item.key] == nil && identified.locals[item.episode] == nil
            && seen.insert(item.key).inserted
            // One podcast may be followed at two addresses.
            && files.insert("\(item.episode.enclosure.url) \(item.episode.title)").inserted
        }
        let podcast = reading.facts.corrected(listing.podcast)
        for item in filter.matching(unknown, episode: \.episode) {
          elements.append(
            Element(
              key: item.key, podcast: podcast, episode: item.episode, local: nil, place: place))
        }
      }
    } catch {
      lacksLists = true
    }
    sort()
  }
}

extension UnplayedEpisodes {
  /// Adds the library's episodes. The file of a missing one was deleted without podget: it is no longer
  /// new.
  private mutating func addLocal(
    of subscriptions: [Subscription], _ chosen: Set<Int>, in reading: LibraryReading
  ) {
    let (places, facts) = (SubscriptionPlaces(subscriptions), reading.facts)
    var wholes: [EpisodeKey: Int] = [:]
    if facts.joins {
      for (place, subscription) in subscriptions.enumerated() {
        if let key = facts.wholeKey(of: subscription.podcast) { wholes[key] = wholes[key] ?? place }
      }
    }
    // The episodes of a podcast are adjacent, as in its folder.
    var last: (podcast: Podcast, place: Int?)?
    for local in reading.episodes {
      guard !local.isPlayed, local.status != .removed, local.status != .missing else { continue }
      let podcast = local.podcast
      var place = last?.place
      if podcast != last?.podcast {
        place =
          places.likelyPlace(of: podcast)
          ?? (wholes.isEmpty ? nil : facts.wholeKey(of: podcast).flatMap { wholes[$0] })
        last = (podcast, place)
      }
      guard let place, chosen.contains(place) else { continue }
      elements.append(
        Element(
          key: local.key, podcast: podcast, episode: local.episode, local: local, place: place))
    }
  }

  private mutating func sort() {
    let dated = elements.enumerated().map { number, element in
      (number: number, date: element.episode.date ?? .distantPast, element: element)
    }
    elements = dated.sorted { first, second in
      first.date == second.date ? first.number < second.number : first.date > second.date
    }.map(\.element)
  }
}
