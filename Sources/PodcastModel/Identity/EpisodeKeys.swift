internal import FoundationEssentials

/// The keys of the episodes of one listing.
///
/// A known episode keeps its key; every other one gets the key computed from its identity. If
/// several have the same key, the oldest one gets it.
package struct EpisodeKeys: Sendable {
  /// The keys that are not computed from the episode alone.
  private var keys: [Episode: String] = [:]
  /// For each listed episode the position of the known one that it matches.
  package private(set) var known: [Episode: Int] = [:]

  /// Every episode has the key computed from its identity.
  package init() {}

  package init(of episodes: [Episode], podcast: Podcast, known: [EpisodeMatching.Known]) {
    let own = episodes.map { EpisodeIdentity.key(podcast: podcast, episode: $0) }
    let distinct = Self.distinct(episodes, keys: own)
    let heads = distinct.map { episodes[$0.head] }
    let matches = EpisodeMatching(heads, known: known).matches
    var free = FreeKeys(used: known.map(\.key))
    for (index, group) in distinct.enumerated() {
      var key = own[group.head]
      if let match = matches[index] {
        key = known[match].key
      } else if !free.take(key) {
        key = free.take { number in
          EpisodeIdentity.key(podcast: podcast, repeated: heads[index], number: number)
        }
      }
      for member in group.members {
        if key != own[member] { keys[episodes[member]] = key }
        if let match = matches[index] { self.known[episodes[member]] = match }
      }
    }
  }

  /// The key of an episode.
  package func key(podcast: Podcast, episode: Episode) -> String {
    keys[episode] ?? EpisodeIdentity.key(podcast: podcast, episode: episode)
  }

  /// The episodes of a listing, each once, the oldest first.
  ///
  /// ``EpisodePlace`` tells which items are one.
  private static func distinct(
    _ episodes: [Episode], keys: [String]
  ) -> [(head: Int, members: [Int])] {
    // The order of the listing must not matter.
    let indices = episodes.indices.sorted { precedes(episodes[$0], episodes[$1]) }
    var groups: [(head: Int, members: [Int])] = []
    var places: [EpisodePlace: Int] = [:]
    var same: [Episode: Int] = [:]
    var counts: [String: Int] = [:]
    for key in keys { counts[key, default: 0] += 1 }
    for index in indices {
      // Items with different keys are different; comparing more of each takes long.
      if counts[keys[index]] == 1 {
        groups.append((index, [index]))
        continue
      }
      // Items that are equal in all properties are one.
      if let group = same[episodes[index]] {
        groups[group].members.append(index)
        continue
      }
      let own = EpisodePlace.places(of: episodes[index], key: keys[index])
      let known = own.lazy.compactMap { places[$0] }.first
      let group = known ?? groups.endIndex
      if known == nil { groups.append((index, [])) }
      groups[group].members.append(index)
      same[episodes[index]] = group
      for place in own where places[place] == nil { places[place] = group }
    }
    return groups
  }

  private static func precedes(_ one: Episode, _ other: Episode) -> Bool {
    // Most differ in their dates.
    let (date, otherDate) = (one.date ?? .distantPast, other.date ?? .distantPast)
    if date != otherDate { return date < otherDate }
    func signs(_ episode: Episode) -> (Date, String, String, String, Int64, Duration) {
      (
        episode.date ?? .distantPast, episode.enclosure.url, episode.title, episode.guid ?? "",
        episode.id ?? 0, episode.duration ?? .zero
      )
    }
    func details(_ episode: Episode) -> (Int, Int, Int64, String, String, String) {
      (
        episode.season ?? 0, episode.number ?? 0, episode.enclosure.length ?? 0,
        episode.enclosure.fileExtension ?? "", episode.enclosure.mimeType ?? "",
        episode.artworkURL ?? ""
      )
    }
    let (first, second) = (signs(one), signs(other))
    return first == second ? details(one) < details(other) : first < second
  }
}
