import FoundationEssentials
import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// One podcast of a library as a user names it, for what a person says of it.
package struct NamedPodcast: Sendable {
  /// How the user named it.
  package let name: String
  /// How records and its subscription describe it, the present description last.
  package let podcasts: [Podcast]
  /// Its subscription, if it is followed.
  package let subscription: Subscription?

  /// The present description.
  package var podcast: Podcast { podcasts.last ?? Podcast(title: name) }

  /// Whether another one is the same podcast.
  package func isSame(as other: NamedPodcast) -> Bool { podcasts == other.podcasts }
}

/// The podcasts of a library, each by itself: what a person made one counts as two.
package struct NamedPodcasts: Sendable {
  private let names: [String]
  private let sources: LibrarySources
  private let table: SourceTable
  private let podcasts: LibraryPodcasts
  /// When each description was last written.
  private let latest: [Podcast: Double]

  /// What a person said of them.
  package var facts: PodcastFacts { sources.facts }

  /// Reads what names mean; it blocks on the disk.
  ///
  /// - Parameters:
  ///   - episodes: all that the library knows.
  ///   - warn: gets a sentence about each thing in the subscriptions' file that has no effect.
  /// - Throws: a ``PodgetError`` when the subscriptions or the facts cannot be read.
  package init(
    _ names: [String], among episodes: [LocalEpisode], in library: Library,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) {
    self.names = names
    let sources = try LibrarySources(names, in: library, warn: warn)
    var latest: [Podcast: Double] = [:]
    for episode in episodes {
      var podcast = episode.podcast
      podcast.correction =
        sources.facts.keys(of: podcast).first.map { sources.facts.correction(of: $0) }
        ?? PodcastCorrection()
      let time = (episode.downloadedAt ?? episode.date)?.timeIntervalSince1970 ?? 0
      latest[podcast] = max(latest[podcast] ?? 0, time)
    }
    let podcasts = LibraryPodcasts(
      latest.keys, subscriptions: sources.subscriptions, facts: sources.facts.withoutMerges)
    (self.sources, self.podcasts, self.latest) = (sources, podcasts, latest)
    table = SourceTable(sources.meanings.map { try? $0.get() }, in: podcasts)
  }

  /// The podcast that the name at a place means; nil if the library has none of it.
  ///
  /// - Throws: a ``PodgetError`` when several have the name, or when it is no name.
  package func podcast(at place: Int) throws(PodgetError) -> NamedPodcast? {
    let keys: Set<LibraryPodcasts.Key> =
      switch try sources.meanings[place].get() {
      case .subscription(let subscription): [.subscription(subscription.name)]
      case .source(.name(let title)): podcasts.keys(titled: title)
      case .source(let source): podcasts.keys(of: source)
      }
    if let error = table.ambiguity(at: place) { throw error }
    let named = keys.filter { !podcasts.podcasts(of: $0).isEmpty }
    guard named.count <= 1 else {
      throw PodgetError(.notFound, "Several podcasts have it; name one by its id.")
    }
    guard let key = named.first else { return nil }
    let known = podcasts.podcasts(of: key).filter(LibraryPodcasts.isIdentified)
    // What a person said of it, or who followed it, knows its present address.
    let present = known.lazy.compactMap { [facts] in facts.keys(of: $0).first }.first
      .flatMap { facts.names(of: $0).last }
    func time(_ podcast: Podcast) -> Double {
      guard let time = latest[podcast] else { return .infinity }
      return podcast.title == present?.title && podcast.feedURL == present?.feedURL
        ? .greatestFiniteMagnitude : time
    }
    let described = known.sorted { time($0) < time($1) }
    guard !described.isEmpty else {
      throw PodgetError(
        .notFound,
        "Its records have neither an id nor an address: nothing but the title identifies it.")
    }
    return NamedPodcast(
      name: names[place], podcasts: described, subscription: podcasts.subscription(of: key))
  }

  /// The name at a place.
  package func name(at place: Int) -> String { names[place] }

  /// How a podcast can be typed, whatever else has its title; nil if it cannot.
  package func typed(_ podcast: NamedPodcast) -> String? {
    podcasts.typedName(of: podcasts.key(of: podcast.podcast))
  }
}

extension PodcastFacts {
  /// The key of what a person says of a podcast, or of the one that it is merged into.
  package func wholeKey(of podcast: NamedPodcast) -> EpisodeKey? {
    podcast.podcasts.reversed().lazy.compactMap { wholeKey(of: $0) }.first
      ?? key(for: podcast.podcasts)
  }
}
