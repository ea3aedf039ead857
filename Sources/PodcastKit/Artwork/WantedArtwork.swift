public import PodcastLibrary
public import PodcastModel

/// The podcasts whose artworks are wanted: those whose address is known, and sources to ask for it.
public struct WantedArtwork: Sendable {
  /// Podcasts, each with the address of its artwork.
  public private(set) var known: [Podcast] = []
  /// Names of subscriptions, ids and feeds.
  public private(set) var sources: [String] = []

  /// What the user named.
  public init(sources: [String]) { self.sources = sources }

  /// All podcasts that are followed, then all others that the library has. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - library: the library; nil has none.
  ///   - warn: gets a sentence about each thing in the file that has no effect.
  /// - Throws: a ``PodgetError`` when the file with the subscriptions cannot be read.
  public init(
    allIn library: Library?, warn: @escaping @Sendable (String) -> Void
  ) throws(PodgetError) {
    guard let library else { return }
    let subscriptions = try SubscriptionFile(library, warn: warn).read().subscriptions
    var local = LocalPodcasts(library.reading().episodes, subscriptions: subscriptions)
    for subscription in subscriptions {
      // The records have the address already; the feed need not be read for it.
      let podcast = local.take(.subscription(subscription.name))
      if var podcast, podcast.artworkURL != nil {
        podcast.title = subscription.title
        known.append(podcast)
      } else {
        sources.append(subscription.name)
      }
    }
    for podcast in local.rest {
      if podcast.artworkURL != nil {
        known.append(podcast)
      } else if let source = podcast.feedURL?.text ?? podcast.id.map({ String($0) }) {
        sources.append(source)
      }
    }
  }
}

/// The podcasts of a library, each once.
private struct LocalPodcasts {
  private var podcasts: [LibraryPodcasts.Key: Podcast] = [:]
  private var order: [LibraryPodcasts.Key] = []

  init(_ episodes: [LocalEpisode], subscriptions: [Subscription]) {
    let all = LibraryPodcasts(episodes.lazy.map(\.podcast), subscriptions: subscriptions)
    var seen: Set<Podcast> = []
    for podcast in episodes.lazy.map(\.podcast) where seen.insert(podcast).inserted {
      let key = all.key(of: podcast)
      guard var first = podcasts[key] else {
        podcasts[key] = podcast
        order.append(key)
        continue
      }
      first.artworkURL = first.artworkURL ?? podcast.artworkURL
      podcasts[key] = first
    }
  }

  /// Those that were not taken.
  var rest: [Podcast] { order.compactMap { podcasts[$0] } }

  /// Takes a podcast; nil if there is none.
  mutating func take(_ key: LibraryPodcasts.Key) -> Podcast? { podcasts.removeValue(forKey: key) }
}
