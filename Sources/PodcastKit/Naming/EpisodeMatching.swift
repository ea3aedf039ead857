/// Finds out which of the episodes that are known already a listing names, whatever its publisher
/// changed about them since.
///
/// The rungs of the ladder are gone through one after the other for the whole listing, so that an
/// episode that is certain is never given to one that is only likely; each known episode is given
/// away once. ``EpisodeIdentity`` describes the ladder, which is frozen.
struct EpisodeMatching {
  /// An episode that is known already.
  struct Known {
    var key: String
    var episode: Episode
    /// Whether only the title says that it is of the listed podcast.
    var isKin = false
  }

  /// A value that more episodes share than this tells nothing about any of them.
  private static let mostSharing = 32

  /// For each listed episode the position of the known one that it is.
  private(set) var matches: [Int?]
  private var isTaken: [Bool]
  private let listed: [EpisodeTraits]
  private let known: [EpisodeTraits]
  private let isKin: [Bool]

  /// Matches a listing, in which no episode stands twice.
  ///
  /// - Parameters:
  ///   - listed: the listed episodes.
  ///   - keys: the keys that they have by themselves.
  ///   - known: the known episodes of the same podcast.
  init(_ listed: [Episode], keys: [String], known: [Known]) {
    matches = Array(repeating: nil, count: listed.count)
    isTaken = Array(repeating: false, count: known.count)
    self.listed = known.isEmpty ? [] : listed.map(EpisodeTraits.init)
    self.known = known.map { EpisodeTraits($0.episode) }
    isKin = known.map(\.isKin)
    if !known.isEmpty { climb(keys, known.map(\.key)) }
  }

  private mutating func climb(_ keys: [String], _ knownKeys: [String]) {
    for isSure in [true, false] {
      claim(keys, knownKeys, onlyUnique: !isSure) {
        !isSure || $0.hasTitle(of: $1) || $0.hasPlace(of: $1)
      }
    }
    claimByGuid()
    claim(reachable(\.id, in: listed, known), reachable(\.id, in: known, listed)) { _, _ in true }
    for withQuery in [true, false] {
      let address: (EpisodeTraits) -> String? = { traits in
        traits.address.map { withQuery ? "\($0.place)?\($0.query)" : $0.place }
      }
      claim(
        reachable(address, in: listed, known), reachable(address, in: known, listed),
        onlyUnique: !withQuery
      ) { Self.agree($0, $1, haveOneQuery: withQuery) }
    }
    let titleAndDay: (EpisodeTraits) -> String? = { traits in
      traits.title.isEmpty ? nil : "\(traits.day.map { "\($0)" } ?? "") \(traits.title)"
    }
    claim(
      reachable(titleAndDay, in: listed, known), reachable(titleAndDay, in: known, listed),
      onlyUnique: true
    ) { listed, known in
      let mayBeTwo = listed.guid != nil && known.guid != nil && !listed.hasPlace(of: known)
      return listed.day != nil && !mayBeTwo || listed.isSupported(by: known)
    }
  }

  /// A guid that the listing repeats needs a second sign.
  private mutating func claimByGuid() {
    let (guids, knownGuids) = (listed.map(\.guid), known.map(\.guid))
    claim(guids, knownGuids) { $0.hasTitle(of: $1) || $0.hasPlace(of: $1) || $0.hasDay(of: $1) }
    claim(guids, knownGuids, onlyUnique: true) { _, _ in true }
  }

  /// Whether an equal address means one episode. Some hosts serve every episode from one address,
  /// and name it in the query or not at all.
  private static func agree(
    _ listed: EpisodeTraits, _ known: EpisodeTraits, haveOneQuery: Bool
  ) -> Bool {
    if listed.hasTitle(of: known) { return true }
    guard haveOneQuery else { return false }
    return listed.hasDay(of: known) || listed.guid == nil || known.guid == nil
  }
}

extension EpisodeMatching {
  /// The values of one rung, without those of episodes that have a guid on both sides: such an
  /// episode is reached by its guid or not at all.
  private func reachable<Value>(
    _ value: (EpisodeTraits) -> Value?, in episodes: [EpisodeTraits], _ others: [EpisodeTraits]
  ) -> [Value?] {
    let guids = Set(others.compactMap(\.guid))
    return episodes.map { traits in
      traits.guid.map { guids.contains($0) } ?? false ? nil : value(traits)
    }
  }

  /// Gives the known episodes of equal values to the listed ones where the traits agree.
  ///
  /// - Parameter onlyUnique: whether a value tells nothing when more than one episode that is still
  ///   to be matched has it, on either side.
  private mutating func claim<Value: Hashable>(
    _ values: [Value?], _ knownValues: [Value?], onlyUnique: Bool = false,
    where agree: (EpisodeTraits, EpisodeTraits) -> Bool
  ) {
    var places: [Value: [Int]] = [:]
    for (place, value) in knownValues.enumerated() where !isTaken[place] {
      if let value { places[value, default: []].append(place) }
    }
    guard !places.isEmpty else { return }
    var counts: [Value: Int] = [:]
    for (index, value) in values.enumerated() where matches[index] == nil {
      if let value { counts[value, default: 0] += 1 }
    }
    for (index, value) in values.enumerated() where matches[index] == nil {
      guard let value, let candidates = places[value], let count = counts[value],
        max(candidates.count, count) <= (onlyUnique ? 1 : Self.mostSharing)
      else { continue }
      let place = candidates.first { place in
        !isTaken[place] && agree(listed[index], known[place])
          && (!isKin[place] || isOfOnePodcast(index, place))
      }
      guard let place else { continue }
      matches[index] = place
      isTaken[place] = true
    }
  }

  /// Whether two signs speak for one episode, which podcasts that share no more than a title need.
  private func isOfOnePodcast(_ index: Int, _ place: Int) -> Bool {
    let (one, other) = (listed[index], known[place])
    let signs = [
      one.guid != nil && one.guid == other.guid, one.hasPlace(of: other), one.hasTitle(of: other),
      one.isSupported(by: other), one.hasDay(of: other),
    ]
    return signs.count(where: { $0 }) >= 2
  }
}
