/// The properties by which episodes are compared, as numbers: equal numbers are equal values, nil
/// is a value that no listed episode has.
struct EpisodeSigns {
  let traits: EpisodeTraits
  let guid: Int?
  let id: Int?
  let address: Int?
  let place: Int?
  let title: Int?

  /// The second of publication.
  var second: Int? { traits.second }

  /// The day of publication; episodes without one share a day of their own.
  var day: Int? { traits.day ?? .min }
}

/// Numbers the values of a listing's episodes.
struct SignNumbers {
  private var guids: [String: Int] = [:]
  private var ids: [Int64: Int] = [:]
  private var addresses: [ComparableAddress: Int] = [:]
  private var places: [String: Int] = [:]
  private var titles: [String: Int] = [:]

  /// The numbers of a listed episode.
  mutating func signs(of traits: EpisodeTraits) -> EpisodeSigns {
    if let guid = traits.guid { Self.add(guid, to: &guids) }
    if let id = traits.id { Self.add(id, to: &ids) }
    if let address = traits.address {
      Self.add(address, to: &addresses)
      Self.add(address.place, to: &places)
    }
    if !traits.title.isEmpty { Self.add(traits.title, to: &titles) }
    return knownSigns(of: traits)
  }

  /// The numbers of an episode, for values that the listing has.
  func knownSigns(of traits: EpisodeTraits) -> EpisodeSigns {
    EpisodeSigns(
      traits: traits, guid: traits.guid.flatMap { guids[$0] }, id: traits.id.flatMap { ids[$0] },
      address: traits.address.flatMap { addresses[$0] },
      place: traits.address.flatMap { places[$0.place] }, title: titles[traits.title])
  }

  private static func add<Value: Hashable>(_ value: Value, to numbers: inout [Value: Int]) {
    if numbers[value] == nil { numbers[value] = numbers.count }
  }
}

/// Properties that are compared together.
struct SignValue: Hashable {
  private let first: Int
  private let second: Int
  private let third: Int
  private let fourth: Int

  /// Joins up to four numbers; nil when one of them is missing.
  init?(_ first: Int?, _ second: Int? = 0, _ third: Int? = 0, _ fourth: Int? = 0) {
    guard let first, let second, let third, let fourth else { return nil }
    (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
  }
}
