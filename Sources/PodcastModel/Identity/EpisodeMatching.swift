/// Finds out which known episodes a listing contains, whatever its publisher has changed.
///
/// The rules are applied one after the other to the complete listing, so that an episode with a
/// certain match is never given to one with only a likely match; each known episode is matched
/// once. ``EpisodeIdentity`` describes the rules.
///
/// Every rule is a join over equal values, and only pairs with a unique value are checked further.
/// So the cost grows with the number of episodes, whatever they have in common.
package struct EpisodeMatching {
  /// A known episode.
  package struct Known {
    package var key: String
    package var episode: Episode
    /// Whether only the title shows that it belongs to the listed podcast.
    package var matchesTitleOnly = false

    /// Whether it is of another podcast that a person has made one with the listed one.
    package var isOfPart = false

    package init(
      key: String, episode: Episode, matchesTitleOnly: Bool = false, isOfPart: Bool = false
    ) {
      self.key = key
      self.episode = episode
      self.matchesTitleOnly = matchesTitleOnly || isOfPart
      self.isOfPart = isOfPart
    }
  }

  /// For each listed episode the position of the known one that it matches.
  package private(set) var matches: [Int?]
  /// The episodes that are not matched yet, the known ones of the very podcast first.
  private var openListed: Set<Int>
  private var openKnown: [Int]
  private let listed: [EpisodeSigns]
  private let known: [EpisodeSigns]
  private let matchesTitleOnly: [Bool]
  private let isOfPart: [Bool]

  /// Matches a listing, in which no episode is repeated.
  ///
  /// - Parameters:
  ///   - listed: the listed episodes.
  ///   - known: the known episodes of the same podcast.
  package init(_ listed: [Episode], known: [Known]) {
    matches = Array(repeating: nil, count: listed.count)
    matchesTitleOnly = known.map(\.matchesTitleOnly)
    isOfPart = known.map(\.isOfPart)
    guard !known.isEmpty, !listed.isEmpty else {
      openListed = []
      openKnown = []
      self.listed = []
      self.known = []
      return
    }
    var numbers = SignNumbers()
    let found = listed.map { numbers.signs(of: EpisodeTraits($0)) }
    self.listed = found
    self.known = known.map { numbers.knownSigns(of: EpisodeTraits($0.episode)) }
    openListed = Set(listed.indices)
    openKnown =
      known.indices.filter { !known[$0].matchesTitleOnly }
      + known.indices.filter { known[$0].matchesTitleOnly }
    matchAll()
  }

  private mutating func matchAll() {
    matchByName(name: \.guid)
    // From here on an episode whose guid exists on the other side is excluded: the guid would have
    // found it.
    let guids = Set(known.compactMap(\.guid))
    openListed = openListed.filter { listed[$0].guid.map { !guids.contains($0) } ?? true }
    openKnown = openKnown.filter { known[$0].guid == nil }
    matchByName(name: \.id)
    for side in [Side.listed, .known] {
      join(without: side) { SignValue($0.address, $0.title) }
      join(without: side) { SignValue($0.address, $0.second) }
    }
    joinUnique({ SignValue($0.address) }, where: { $0.isOneAtOneAddress($1) })
    joinUnique({ SignValue($0.place) }, where: { $0.hasTitle(of: $1) && $0.isNear($1) })
    joinUnique({ SignValue($0.title, $0.day) }, where: { $0.isOneOfOneDay($1) })
  }

  /// The rules for a name that publishers or Apple give: the guid or the track id.
  private mutating func matchByName(name: (EpisodeSigns) -> Int?) {
    join { SignValue(name($0), $0.address, $0.title, $0.second) }
    join { SignValue(name($0), $0.address, $0.title) }
    join { SignValue(name($0), $0.address, $0.second) }
    join { SignValue(name($0), $0.title, $0.second) }
    // Some publishers renumber their episodes for each request.
    join { SignValue($0.address, $0.title, $0.second) }
    joinUnique({ SignValue(name($0)) }, where: { $0.isOneUnderOneName($1) })
    joinUnique({ SignValue(name($0), $0.address) }, where: { _, _ in true })
    joinUnique({ SignValue(name($0), $0.title) }, where: { $0.isOneUnderOneName($1) })
  }
}

extension EpisodeMatching {
  private enum Side {
    case listed, known
  }

  /// Matches known episodes with listed ones of the same value, which combines at least two
  /// properties.
  ///
  /// - Parameter side: the side whose episodes take part only if they have no guid.
  private mutating func join(without side: Side? = nil, _ value: (EpisodeSigns) -> SignValue?) {
    guard !openListed.isEmpty, !openKnown.isEmpty else { return }
    var waiting: [SignValue: [Int]] = [:]
    for place in openListed.sorted(by: >) where side != .listed || !listed[place].traits.hasGUID {
      if let value = value(listed[place]) { waiting[value, default: []].append(place) }
    }
    guard !waiting.isEmpty else { return }
    let candidates = openKnown
    openKnown = candidates.filter { place in
      guard side != .known || !known[place].traits.hasGUID, let value = value(known[place]),
        let match = waiting[value]?.popLast()
      else { return true }
      matches[match] = place
      openListed.remove(match)
      return false
    }
  }

  /// Does the same for a value that only one listed and one known episode have, if the two agree in
  /// more properties. Matched episodes count too: a value that they share proves nothing.
  private mutating func joinUnique(
    _ value: (EpisodeSigns) -> SignValue?, where agree: (EpisodeTraits, EpisodeTraits) -> Bool
  ) {
    guard !openListed.isEmpty, !openKnown.isEmpty else { return }
    var counts: [SignValue: (listed: Int, known: Int, place: Int)] = [:]
    for (place, signs) in listed.enumerated() {
      if let value = value(signs) { counts[value, default: (0, 0, place)].listed += 1 }
    }
    for signs in known {
      if let value = value(signs) { counts[value]?.known += 1 }
    }
    let candidates = openKnown
    openKnown = candidates.filter { place in
      guard let value = value(known[place]), let found = counts[value],
        found.listed == 1, found.known == 1, openListed.contains(found.place)
      else { return true }
      let (one, other) = (listed[found.place].traits, known[place].traits)
      guard agree(one, other),
        !matchesTitleOnly[place] || one.isOfOnePodcast(other, isPart: isOfPart[place])
      else {
        return true
      }
      matches[found.place] = place
      openListed.remove(found.place)
      return false
    }
  }
}
