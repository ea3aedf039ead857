import ArgumentParser
import BrowseScreen
import FoundationEssentials
import PodcastBrowse
import PodcastKit

/// What is new of the podcasts that are followed: the same list as that of `podget new`.
extension BrowseEngine {
  /// Reads it, and again with each reading of the library.
  func loadNew() async {
    isNewWanted = true
    await loadLibrary()
  }

  /// What is new, for the screen.
  private struct News {
    var list: RowList<EpisodeRow>
    var counts: [String: Int] = [:]
    /// Where the episodes that the library does not know come from, by their keys.
    var places: [String: (source: String, episode: Episode)] = [:]
    var lacksLists: Bool

    /// - Parameter artworks: the addresses of the artworks of podcasts, by those of their feeds: the
    ///   library has none of its episodes.
    init(
      _ new: UnplayedEpisodes, of subscriptions: [Subscription], _ artworks: [String: String]
    ) {
      for element in new.elements {
        let source = subscriptions[element.place].name
        counts[source, default: 0] += 1
        if element.local == nil { places[element.key] = (source, element.episode) }
      }
      list = RowList(
        new.elements.map { element in
          var podcast = element.podcast
          podcast.artworkURL =
            podcast.artworkURL
            ?? artworks[subscriptions[element.place].firstURL].flatMap { $0.isEmpty ? nil : $0 }
          return EpisodeRow(
            key: element.key, listed: element.episode, of: podcast, local: element.local)
        })
      lacksLists = new.lacksLists
    }
  }

  /// Sends what is new in a reading of the whole library.
  func showNew(in reading: LibraryReading) async {
    let (library, known) = (library, artworks)
    let result = await disk.perform {
      Result { () throws(PodgetError) in
        let subscriptions = try SubscriptionFile(library).read().subscriptions
        let options = try CommandContext.followingOptions()
        let new = UnplayedEpisodes(
          of: subscriptions, Set(subscriptions.indices), in: reading, of: library,
          options: options, at: Date())
        let artworks = Self.artworks(of: new, subscriptions, in: library, besides: known)
        return (News(new, of: subscriptions, artworks), artworks)
      }
    }
    do throws(PodgetError) {
      let (news, artworks) = try result.get()
      self.artworks = artworks
      // A list that was read since then is newer.
      listed.merge(news.places) { known, _ in known }
      send(.new(news.list, counts: news.counts))
      if news.lacksLists {
        send(
          .message(
            "What the feeds list could not be read; only episodes of the library are listed."))
      }
    } catch {
      send(.newFailed(error.said))
    }
  }

  /// The addresses of the artworks of podcasts, as their feeds listed them: of those with the newest
  /// episodes. Each reading of what is new finds some more.
  private static func artworks(
    of new: UnplayedEpisodes, _ subscriptions: [Subscription], in library: Library,
    besides known: [String: String]
  ) -> [String: String] {
    let store = ListedStore(library)
    var artworks = known
    for element in new.elements where element.local != nil {
      let address = subscriptions[element.place].firstURL
      guard artworks[address] == nil, element.podcast.artworkURL == nil,
        element.episode.artworkURL == nil
      else { continue }
      guard artworks.count < known.count + mostArtworks else { break }
      let list = (try? store.listing(of: address)) ?? nil
      // None is remembered too.
      artworks[address] = list?.podcast.artworkURL ?? ""
    }
    return artworks
  }

  /// How many lists are read for that at once.
  private static var mostArtworks: Int { 30 }

  /// The list of a podcast from which episodes are asked for: the one that was shown, otherwise what
  /// its feed listed at the last sync.
  func listing(
    of source: String, with episodes: [Episode]
  ) async throws(PodgetError) -> PodcastListing? {
    var listing = read(source, of: await followed(source)?.subscription)?.listing
    if listing == nil, let subscription = try await loggedIn(source) {
      listing = await stored(subscription).listing
    }
    guard var listing else { return nil }
    // The feed may list something else by now.
    let known = Set(listing.episodes)
    listing.episodes += episodes.filter { !known.contains($0) }
    return listing
  }
}

extension CommandContext {
  /// What the settings say of the podcasts that are followed, for the process of the full screen.
  fileprivate static func followingOptions() throws(PodgetError) -> SyncOptions {
    var options = SyncOptions()
    do {
      options.rules = try FollowingRules(processSettings(), options.overrides)
    } catch {
      throw PodgetError(.decoding, (error as? ValidationError)?.message ?? "\(error)")
    }
    return options
  }
}
