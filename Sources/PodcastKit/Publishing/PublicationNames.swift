import PodcastFeeds
import PodcastModel

/// The names that podcasts have in a published folder: each keeps the one under which it was published
/// first, whatever becomes of its title.
struct PublicationNames {
  /// The names in the order of the podcasts.
  private(set) var names: [PublishedName] = []
  /// All names that were ever given, with what identifies their podcasts.
  private(set) var identities: [PublishedName: Set<String>]

  /// Names podcasts.
  ///
  /// - Parameters:
  ///   - podcasts: the name that each would have alone, and what identifies it, the surest first: the same
  ///     order gives the same names.
  ///   - earlier: the names that were given before.
  init(
    _ podcasts: [(wanted: PublishedName, identities: [String])],
    earlier: [PublishedName: Set<String>]
  ) {
    identities = earlier
    var known: [String: PublishedName] = [:]
    for (name, hashes) in earlier.sorted(by: { $0.key.text < $1.key.text }) {
      for hash in hashes where known[hash] == nil { known[hash] = name }
    }
    var taken: Set<PublishedName> = []
    var found: [PublishedName?] = []
    for podcast in podcasts {
      let names = podcast.identities.compactMap { known[PublicationRecord.hash($0)] }
      let name = names.first { !taken.contains($0) }
      if let name { taken.insert(name) }
      found.append(name)
    }
    taken.formUnion(earlier.keys)
    for place in podcasts.indices where found[place] == nil {
      var name = podcasts[place].wanted
      var number = 2
      while !taken.insert(name).inserted {
        name = podcasts[place].wanted.numbered(number)
        number += 1
      }
      found[place] = name
    }
    names = zip(podcasts, found).map { $1 ?? $0.wanted }
    for (name, podcast) in zip(names, podcasts) {
      // What identifies a podcast under another name may be that podcast again: two that were made one.
      for hash in podcast.identities.map(PublicationRecord.hash) where known[hash] == nil {
        known[hash] = name
        identities[name, default: []].insert(hash)
      }
    }
  }
}
