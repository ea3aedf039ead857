internal import FoundationEssentials

/// The keys of the episodes of one listing.
///
/// An episode that is known keeps the key under which it is known; every other one gets the key that
/// its identity makes. A guid that stands twice in a listing, with another title and another
/// address, means two episodes: the older one has the guid's key.
public struct EpisodeKeys: Sendable {
  private var keys: [Episode: String] = [:]
  /// For each listed episode the position of the known one that it is.
  private(set) var known: [Episode: Int] = [:]

  /// Every episode has the key that its identity makes.
  public init() {}

  init(of episodes: [Episode], podcast: Podcast, known: [EpisodeMatching.Known]) {
    let own = episodes.map { EpisodeIdentity.key(podcast: podcast, episode: $0) }
    let distinct = Self.distinct(episodes, keys: own)
    let heads = distinct.map { episodes[$0.head] }
    let matches = EpisodeMatching(
      heads, keys: distinct.map { own[$0.head] }, known: known
    ).matches
    var used = Set(known.map(\.key))
    for (index, group) in distinct.enumerated() {
      var key = own[group.head]
      if let match = matches[index] {
        key = known[match].key
      } else if !used.insert(key).inserted {
        key = EpisodeIdentity.key(podcast: podcast, repeated: heads[index])
        used.insert(key)
      }
      for member in group.members {
        keys[episodes[member]] = key
        self.known[episodes[member]] = matches[index]
      }
    }
  }

  /// The key of an episode.
  public func key(podcast: Podcast, episode: Episode) -> String {
    keys[episode] ?? EpisodeIdentity.key(podcast: podcast, episode: episode)
  }

  /// The episodes of a listing, each once, those of one key from the oldest on.
  private static func distinct(
    _ episodes: [Episode], keys: [String]
  ) -> [(head: Int, members: [Int])] {
    var groups: [String: [(head: Int, members: [Int])]] = [:]
    var order: [String] = []
    // The order of the listing must not matter.
    let indices = episodes.indices.sorted { first, second in
      let (one, other) = (episodes[first], episodes[second])
      return (one.date ?? .distantPast, one.enclosure.url, one.title)
        < (other.date ?? .distantPast, other.enclosure.url, other.title)
    }
    for index in indices {
      let key = keys[index]
      guard let group = groups[key] else {
        groups[key] = [(index, [index])]
        order.append(key)
        continue
      }
      let traits = EpisodeTraits(episodes[index])
      let place = group.firstIndex { other in
        let head = EpisodeTraits(episodes[other.head])
        return head.hasTitle(of: traits) || head.hasPlace(of: traits)
      }
      if let place {
        groups[key]?[place].members.append(index)
      } else {
        groups[key]?.append((index, [index]))
      }
    }
    return order.flatMap { groups[$0] ?? [] }
  }
}
