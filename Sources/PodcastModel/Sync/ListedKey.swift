internal import FoundationEssentials

/// What remains of an episode that a feed listed: enough to recognize it in the next answer.
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
    if let guid = episode.guidText {
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
  /// The key of an episode that shares its guid or its address with others of its feed.
  init(repeated episode: Episode) {
    self.init(
      ["repeated", episode.guidText ?? ""] + (Self.addressParts(episode) ?? [])
        + Self.titleParts(episode))
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
  /// The guid, if it says anything.
  var guidText: String? {
    guid.map { $0.trimmingWhitespace() }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The date, unless it is outside all calendars.
  var plausibleDate: Date? {
    date.flatMap { Date.calendarRange.contains($0.timeIntervalSince1970) ? $0 : nil }
  }
}
