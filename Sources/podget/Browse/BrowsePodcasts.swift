import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// An open podcast: what is known of it at once, and what its feed says.
extension BrowseEngine {
  /// Shows what was read of a podcast before, and asks whether there is more.
  func loadPodcast(_ source: String) async {
    let subscription = await followed(source)?.subscription
    var known = read(source, of: subscription)
    if known == nil, let subscription { known = await stored(subscription) }
    if let known { await show(known, of: source, following: subscription, isAsked: true) }
    do throws(PodgetError) {
      if case .apple? = try? Source.parse(source) {
        if known == nil {
          // The directory's list is there long before a large feed.
          let first = try await read(source, details: .none, filter: EpisodeFilter(limit: 0))
          await show(Read(listing: first.listing), of: source, following: subscription)
        }
      }
      guard let read = try await ask(source, since: known?.version, details: .ofFeeds) else {
        return send(.podcastIsCurrent(source))
      }
      await show(read, of: source, following: subscription)
      if let problem = read.problem { send(.error(problem.said)) }
    } catch {
      send(.podcastFailed(source, error.said))
    }
  }

  /// What a podcast's feed, or the directory, says now; nil if that is the version that is known.
  func ask(
    _ source: String, since version: FeedVersion?, details: SourceResolver.Details
  ) async throws(PodgetError) -> Read? {
    let named: SourceResolver.Listing
    if case .apple? = try? Source.parse(source) {
      named = try await read(source, details: details)
    } else {
      let address = try await loggedIn(source)?.feedURL.text ?? source
      if case .feed? = try? Source.parse(address) {
        let feed = try await resolver(details: details).feed(
          address, since: version ?? FeedVersion())
        return feed.map { Read($0.listing, version: $0.version) }
      }
      named = try await resolver(details: details).resolve(address).get()
    }
    return Read(named)
  }

  /// Keeps what was read of a podcast. Notes of many podcasts would take much memory: those of the last
  /// one are kept.
  func keep(_ read: Read, of source: String) {
    for other in podcasts.keys { podcasts[other]?.details = [:] }
    podcasts[source] = read
  }

  /// What was read of a podcast; nil if that was another one, which was followed under this name.
  func read(_ source: String, of subscription: Subscription?) -> Read? {
    podcasts[source].flatMap { $0.feed == subscription?.feedURL.text ? $0 : nil }
  }

  /// What the feed of a subscription listed at the last sync; without that only what the library has
  /// is known of it.
  func stored(_ subscription: Subscription) async -> Read {
    let library = library
    return await disk.perform {
      let feed = subscription.firstURL
      guard let list = (try? ListedStore(library).listing(of: feed)) ?? nil else {
        return Read(listing: PodcastListing(podcast: subscription.podcast, episodes: []))
      }
      var read = Read(
        listing: PodcastListing(podcast: list.podcast, episodes: list.items.map(\.episode)))
      // What is not stored is asked for.
      if list.isWhole, let state = (try? FeedStateLog.states(of: library))?[feed] {
        read.version = FeedVersion(state, at: Date())
      }
      return read
    }
  }

  /// Sends a podcast with the states that its episodes have in the library.
  ///
  /// - Parameters:
  ///   - subscription: the one of the podcast: then all that the library has of it is shown.
  ///   - isAsked: whether its feed is still to be asked.
  private func show(
    _ read: Read, of source: String, following subscription: Subscription?, isAsked: Bool = false
  ) async {
    let listing = read.listing
    if !listing.episodes.isEmpty || !isAsked {
      var read = read
      read.feed = subscription?.feedURL.text
      keep(read, of: source)
    }
    shownDetails = nil
    let library = library
    let (follows, changes) = (follows, changes)
    let (identified, others, isFollowed) = await disk.perform {
      let reading = library.withPlanned(library.locatedReading(of: .podcast(listing.podcast)))
      var list = try? SubscriptionFile(library).read()
      let isFollowed = list?.subscription(of: listing.podcast) != nil
      let identified = EpisodeLookup(reading.episodes, facts: reading.facts).identify(listing)
      guard let subscription else { return (identified, [LocalEpisode](), isFollowed) }
      let listed = Set(identified.locals.values.map(\.key))
      let places = SubscriptionPlaces([subscription])
      let others = reading.episodes.filter { local in
        local.status != .removed && !listed.contains(local.key)
          && places.likelyPlace(of: local.podcast) != nil
      }
      return (identified, others, true)
    }
    // What was read before a mark would take it away again.
    guard follows == self.follows, changes == self.changes else {
      let subscription = await followed(source)?.subscription
      return await show(read, of: source, following: subscription, isAsked: isAsked)
    }
    // An empty list would say that there is nothing.
    guard !isAsked || !listing.episodes.isEmpty || !others.isEmpty else { return }
    var known: Set<String> = []
    var rows = listing.episodes.compactMap { episode -> EpisodeRow? in
      let key = identified.keys.key(podcast: listing.podcast, episode: episode)
      guard known.insert(key).inserted else { return nil }
      listed[key] = (source, episode)
      return EpisodeRow(
        key: key, listed: episode, of: identified.listing.podcast, local: identified.locals[episode]
      )
    }
    rows += others.filter { known.insert($0.key).inserted }.map { EpisodeRow($0) }
    var page = PodcastPage(
      title: TerminalText.safe(identified.listing.podcast.shownTitle),
      author: TerminalText.safe(listing.podcast.author ?? ""), episodes: rows,
      isFollowed: isFollowed, artwork: listing.podcast.artworkURL)
    page.isAsked = isAsked
    send(.podcast(source, page))
  }
}
