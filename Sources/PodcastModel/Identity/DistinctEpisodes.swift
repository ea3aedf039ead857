/// What two items of a listing have in common that are one episode: the key and the address, and the
/// title or the date.
///
/// Hosts that give one guid or address to all episodes do so for the complete listing, so neither is
/// enough by itself.
struct EpisodePlace: Hashable {
  private let key: String
  private let address: ComparableAddress?
  private let title: String?
  private let second: Int?

  /// The places of an episode; another one with one of them is the same. There are none without title
  /// and date.
  static func places(of episode: Episode, key: String) -> [EpisodePlace] {
    let traits = EpisodeTraits(episode)
    var places: [EpisodePlace] = []
    if !traits.title.isEmpty {
      places.append(
        EpisodePlace(key: key, address: traits.address, title: traits.title, second: nil))
    }
    if let second = traits.second {
      places.append(EpisodePlace(key: key, address: traits.address, title: nil, second: second))
    }
    return places
  }
}

/// The episodes of a listing that grows page by page, each once, by the rules of ``EpisodeKeys``.
package struct DistinctEpisodes: Sendable {
  private let podcast: Podcast
  private var episodes: Set<Episode> = []
  private var places: Set<EpisodePlace> = []

  /// Starts with the episodes of the first page.
  package init(_ episodes: [Episode], of podcast: Podcast) {
    self.podcast = podcast
    for episode in episodes { _ = add(episode) }
  }

  /// Adds an episode; false if it repeats one that is there.
  package mutating func add(_ episode: Episode) -> Bool {
    guard episodes.insert(episode).inserted else { return false }
    let key = EpisodeIdentity.key(podcast: podcast, episode: episode)
    let own = EpisodePlace.places(of: episode, key: key)
    guard places.isDisjoint(with: own) else { return false }
    places.formUnion(own)
    return true
  }
}
