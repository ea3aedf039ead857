internal import FoundationEssentials

/// What remains of an episode that a feed listed: enough to recognise it in the next answer.
///
/// It is the first 8 bytes of a SHA-256 of the first of these that the episode has: its guid, its
/// enclosure's ``ComparableAddress``, its title and day. The hash is the same in every run; state
/// files store it. If a later version compares addresses differently, episodes without a guid get
/// other keys, and the identity of known episodes protects them.
package struct ListedKey: Sendable, Hashable, Comparable {
  /// The hash.
  package let value: UInt64

  /// Restores a stored key.
  package init(value: UInt64) {
    self.value = value
  }

  /// The key of an episode that shares its guid and its address with no other one of its feed.
  package init(_ episode: Episode) {
    if let guid = Self.guid(episode) {
      self.init(["guid", guid])
    } else {
      self.init(Self.addressParts(episode) ?? Self.titleParts(episode))
    }
  }

  private init(_ parts: [String]) {
    value = StableHash.of(parts)
  }

  /// In the order of the hashes, which has no meaning.
  package static func < (first: ListedKey, second: ListedKey) -> Bool {
    first.value < second.value
  }
}

extension ListedKey {
  /// The keys of all episodes of one feed, in the feed's order.
  ///
  /// Some hosts give one guid or one address to every episode. Episodes with a common key get keys
  /// from the guid, the address, the title and the day together, otherwise only the first of them
  /// would ever be new.
  package static func keys(of episodes: [Episode]) -> [ListedKey] {
    let keys = episodes.map { ListedKey($0) }
    var counts: [ListedKey: Int] = [:]
    for key in keys { counts[key, default: 0] += 1 }
    return zip(episodes, keys).map { episode, key in
      guard let count = counts[key], count > 1 else { return key }
      return ListedKey(
        ["repeated", guid(episode) ?? ""] + (addressParts(episode) ?? []) + titleParts(episode))
    }
  }

  private static func guid(_ episode: Episode) -> String? {
    episode.guid.map { $0.trimmingWhitespace() }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func addressParts(_ episode: Episode) -> [String]? {
    ComparableAddress(episode.enclosure.url).map { ["address", $0.place, $0.query] }
  }

  private static func titleParts(_ episode: Episode) -> [String] {
    let day = episode.plausibleDate.map { String(CivilDay($0).daysSince1970) }
    return ["title", ComparableTitle.text(episode.title), day ?? ""]
  }
}

extension Episode {
  /// The date, unless it is outside all calendars.
  var plausibleDate: Date? {
    date.flatMap { Date.calendarRange.contains($0.timeIntervalSince1970) ? $0 : nil }
  }
}
