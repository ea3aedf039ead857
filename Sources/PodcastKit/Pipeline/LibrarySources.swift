package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// The sources of a command that looks into a library.
package struct LibrarySources: Sendable {
  /// What a source is, before the library's records are looked at.
  package enum Meaning: Sendable, Hashable {
    /// The podcast that is followed under a name.
    case subscription(Subscription)
    /// Anything else.
    case source(Source)
  }

  /// The meanings in the order of the sources, and why a source has none.
  package let meanings: [Result<Meaning, PodgetError>]
  /// What the library follows.
  package let subscriptions: [Subscription]
  /// What a person said of podcasts.
  package private(set) var facts = PodcastFacts()
  /// The positions of the sources that are followed.
  private let followed: Set<Int>

  /// Gives sources their meanings, without a library.
  package init(_ names: [String], subscriptions list: SubscriptionList = SubscriptionList()) {
    var list = list
    meanings = names.map { name in
      Result { () throws(PodgetError) in
        let source = try Source.parse(name)
        if case .name = source, let found = list.named(name) { return .subscription(found) }
        return .source(source)
      }
    }
    followed = Set(names.indices.filter { list.subscription(named: names[$0]) != nil })
    subscriptions = list.subscriptions
  }

  /// Gives sources their meanings in a library; it blocks on the disk.
  ///
  /// - Parameter warn: gets a sentence about each thing in the subscriptions' file that has no effect.
  /// - Throws: a ``PodgetError`` when a name has to be looked up and the file cannot be read.
  package init(
    _ names: [String], in library: Library?, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) {
    let hasNames = names.contains {
      if case .name? = try? Source.parse($0) { true } else { false }
    }
    guard let library else {
      self.init(names)
      return
    }
    let file = SubscriptionFile(library) { if hasNames { warn($0) } }
    do throws(PodgetError) {
      self.init(names, subscriptions: try file.readTrusted().list)
    } catch {
      // Without the file, fewer records are known to be of one podcast.
      if hasNames { throw error }
      self.init(names)
    }
    facts = try library.podcastFacts()
  }

  /// Finds out what they mean among podcasts as records describe them.
  package func table(of podcasts: some Sequence<Podcast>) -> SourceTable {
    SourceTable(
      meanings.map { try? $0.get() },
      in: LibraryPodcasts(podcasts, subscriptions: subscriptions, facts: facts))
  }

  /// The positions of the sources that are followed, or of which the library has an episode; it
  /// blocks on the disk.
  package func known(in library: Library) -> Set<Int> {
    let episodes = library.episodes()
    let table = table(of: episodes.lazy.map(\.podcast))
    return episodes.reduce(into: followed) { $0.formUnion(table.places(of: $1)) }
  }
}

extension PodgetError {
  /// The error for a source that the library knows nothing of.
  package static let noEpisode = PodgetError(
    .notFound, "The library has no episode of this podcast.", remedy: .listEpisodes)
}
