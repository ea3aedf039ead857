internal import FoundationEssentials

/// What is remembered of an episode beside its key, in 8 bytes: hashes of its title and its address,
/// and the minute of its date. Each may be unknown.
///
/// They are too short to name an episode, but two of them are enough to compare two episodes of one
/// feed. State files store them.
package struct ListedSigns: Sendable, Hashable {
  /// What the key was made from.
  enum Kind: UInt64 {
    /// From the address, or else from title and day.
    case other
    /// From the guid.
    case guid
    /// From all that other episodes share only in part.
    case repeated
  }

  /// From the top: 2 bits for the kind, 20 for the title, 18 for the address, 24 for the minute.
  package let value: UInt64

  /// The signs of which nothing is known, as earlier versions stored them.
  package static let unknown = ListedSigns(value: 0)

  /// Restores stored signs.
  package init(value: UInt64) { self.value = value }

  init(_ episode: Episode, _ kind: Kind) {
    let title = ComparableTitle.text(episode.title)
    let address = ComparableAddress(episode.enclosure.url)
    value =
      kind.rawValue << 62
      | Self.hash(title.isEmpty ? [] : [title], bits: 20) << 42
      | Self.hash(address.map { [$0.place, $0.query] } ?? [], bits: 18) << 24
      | Self.minute(episode.plausibleDate)
  }

  private var kind: Kind { Kind(rawValue: value >> 62) ?? .other }
  /// A hash of the title; 0 for none.
  var title: UInt64 { value >> 42 & 0xF_FFFF }
  /// A hash of the address; 0 for none.
  var address: UInt64 { value >> 24 & 0x3_FFFF }
  /// Title and address together; 0 if one of them is unknown.
  var titleAndAddress: UInt64 { title == 0 || address == 0 ? 0 : title << 20 | address }
  /// The number of the minute, which starts again after 31 years; 0 without a date.
  var minute: UInt64 { value & 0xFF_FFFF }
  /// Whether the date has no time of day, as far as one can see.
  var isMidnight: Bool { (minute + Self.cycle - 1) % 1440 == 0 }

  /// Whether episodes with one key are two different ones, because everything else differs: hosts
  /// give one guid to each episode, or put each at one address.
  func contradict(_ other: ListedSigns) -> Bool {
    func differ(_ sign: KeyPath<ListedSigns, UInt64>) -> Bool {
      self[keyPath: sign] != 0 && other[keyPath: sign] != 0
        && self[keyPath: sign] != other[keyPath: sign]
    }
    return switch kind {
    case .guid: differ(\.title) && differ(\.address) && differ(\.minute)
    case .other: differ(\.title) && differ(\.minute)
    case .repeated: differ(\.minute)
    }
  }

  /// Whether this is the next episode under the name of another one, which was replaced: it is dated
  /// after everything that was listed, and is at another address.
  ///
  /// - Parameter newest: the minute of the newest one that was listed.
  func replaces(_ other: ListedSigns, newest: UInt64) -> Bool {
    kind == .guid && minute != 0 && other.minute != 0 && isLater(than: newest)
      && address != 0 && other.address != 0 && address != other.address
  }

  /// Whether the date is up to a year later than a minute; all others are earlier ones.
  func isLater(than other: UInt64) -> Bool {
    let distance = (minute + Self.cycle - other % Self.cycle) % Self.cycle
    return 0 < distance && distance <= 366 * 1440
  }

  /// How many minutes later than another one it is dated; negative if it is earlier.
  func shift(from other: ListedSigns) -> Int {
    let distance = Int((minute + Self.cycle - other.minute % Self.cycle) % Self.cycle)
    return distance > Int(Self.cycle) / 2 ? distance - Int(Self.cycle) : distance
  }

  /// The minute of the date, in minutes since 1970, if that is not after a day; otherwise it counts as
  /// one of 31 years before. Nil without a date.
  func minute(until day: UInt16) -> Int? {
    guard minute != 0 else { return nil }
    let (end, cycle) = ((Int(day) + 1) * 1440 - 1, Int(Self.cycle))
    let age = ((end - Int(minute) + 1) % cycle + cycle) % cycle
    return end - age
  }

  /// The ``minute`` of a time in minutes since 1970.
  static func minute(at minutes: Int) -> UInt64 {
    let cycle = Int(cycle)
    return UInt64((minutes % cycle + cycle) % cycle + 1)
  }

  /// 11,650 days, in minutes.
  private static let cycle: UInt64 = 11_650 * 1440

  private static func minute(_ date: Date?) -> UInt64 {
    guard let date else { return 0 }
    return minute(at: Int((date.timeIntervalSince1970 / 60).rounded(.down)))
  }

  /// FNV-1a over the texts, folded; 0 without texts, and only then.
  private static func hash(_ texts: [String], bits: UInt64) -> UInt64 {
    guard !texts.isEmpty else { return 0 }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in texts {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    hash ^= hash >> 32
    hash = hash &* 0x9E37_79B9_7F4A_7C15
    return max(1, hash >> (64 - bits))
  }
}
