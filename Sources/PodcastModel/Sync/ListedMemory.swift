package import FoundationEssentials

/// What a feed listed within the last year.
///
/// A new list is merged into it and never replaces it: a cache may answer with an older copy, or with
/// a part of the feed, and the episodes that were missing then are no news when they come back.
package struct ListedMemory: Sendable, Hashable {
  /// How many episodes of the last list are remembered: as many as are read.
  package static let mostListed = 200_000
  /// How many others are remembered, those that were listed last: a feed may name its episodes anew
  /// in each answer.
  package static let mostOlder = 10_000
  /// How long an episode is remembered after the feed listed it last, in days.
  static let rememberedDays = 366
  /// After a longer time without a check, in days, nothing is forgotten for as long: perhaps the
  /// clock is wrong.
  static let longestGap = 30

  private struct Entry {
    var item: ListedItem
    var day: UInt16
    var isWaiting = false
  }

  /// The bit of a stored day that says that the episode waits.
  private static let waitingBit: UInt16 = 0x8000

  /// The keys, sorted.
  package private(set) var keys: [ListedKey] = []
  /// For each of the keys the other signs of its episode.
  package private(set) var signs: [ListedSigns] = []
  /// For each of the keys the day on which the feed listed it last, in days since 1970; with the
  /// highest bit if the episode waits until a person accepts it.
  package private(set) var days: [UInt16] = []

  /// Remembers nothing.
  package init() {}

  /// Restores a stored memory.
  ///
  /// - Parameters:
  ///   - keys: the keys.
  ///   - signs: for each of them the other signs; without them they are unknown.
  ///   - days: for each of them the day on which it was listed last; without them it is `date`.
  package init(keys: [ListedKey], signs: [ListedSigns], days: [UInt16], otherwise date: Date?) {
    let day = Self.day(date ?? .distantPast)
    self.keys = keys
    self.signs =
      signs.count == keys.count ? signs : Array(repeating: .unknown, count: keys.count)
    self.days = days.count == keys.count ? days : Array(repeating: day, count: keys.count)
    // A file may say anything.
    if zip(keys, keys.dropFirst()).contains(where: >) { self = ListedMemory(entries) }
  }

  private init(_ entries: [Entry]) {
    let entries = entries.sorted {
      ($0.item.key, $0.item.signs.value) < ($1.item.key, $1.item.signs.value)
    }
    keys = entries.map(\.item.key)
    signs = entries.map(\.item.signs)
    days = entries.map { $0.isWaiting ? $0.day | Self.waitingBit : $0.day }
  }

  private var entries: [Entry] {
    keys.indices.map {
      Entry(
        item: ListedItem(key: keys[$0], signs: signs[$0]), day: day(of: $0),
        isWaiting: isWaiting($0))
    }
  }

  /// Whether nothing is remembered.
  package var isEmpty: Bool { keys.isEmpty }

  /// How many episodes are remembered.
  package var count: Int { keys.count }

  private func day(of place: Int) -> UInt16 { days[place] & ~Self.waitingBit }

  /// Whether the episode at a place waits until a person accepts it.
  package func isWaiting(_ place: Int) -> Bool { days[place] & Self.waitingBit != 0 }

  /// How many episodes wait until a person accepts them.
  package var waitingCount: Int { keys.indices.count(where: isWaiting) }

  /// How many items of a list wait, and how many were listed and do not.
  package func counts(of items: [ListedItem]) -> (waiting: Int, others: Int) {
    let places = places(of: items).compactMap(\.self)
    let waiting = places.count(where: isWaiting)
    return (waiting, places.count - waiting)
  }

  /// Lets listed episodes wait, and others no longer.
  package mutating func setWaiting(_ waiting: Set<ListedItem>, released: Set<ListedItem>) {
    guard !waiting.isEmpty || !released.isEmpty else { return }
    for place in keys.indices {
      let item = ListedItem(key: keys[place], signs: signs[place])
      if waiting.contains(item) {
        days[place] |= Self.waitingBit
      } else if released.contains(item) {
        days[place] &= ~Self.waitingBit
      }
    }
  }

  /// The places of the episodes with a key.
  func places(of key: ListedKey) -> Range<Int> {
    firstPlace { keys[$0] >= key }..<firstPlace { keys[$0] > key }
  }

  /// The place of an episode of which all is as it was; nil if there is none.
  func place(of item: ListedItem) -> Int? {
    let place = firstPlace { (keys[$0], signs[$0].value) >= (item.key, item.signs.value) }
    guard place < keys.count, keys[place] == item.key, signs[place] == item.signs else {
      return nil
    }
    return place
  }

  /// The first place for which something holds that holds for all after it.
  private func firstPlace(where isBehind: (Int) -> Bool) -> Int {
    var places = keys.startIndex..<keys.endIndex
    while !places.isEmpty {
      let middle = places.lowerBound + places.count / 2
      places = isBehind(middle) ? places.lowerBound..<middle : middle + 1..<places.upperBound
    }
    return places.lowerBound
  }

  /// The minute of the newest episode, as signs have it; nil if none has a date. Dates that were in the
  /// future on the day on which the feed listed them last do not count.
  var newestMinute: UInt64? {
    keys.indices.lazy.compactMap { signs[$0].minute(until: day(of: $0)) }.max()
      .map { ListedSigns.minute(at: $0) }
  }

  /// For each item of a list the place of the remembered episode that it is; nil for those that were
  /// not listed.
  package func places(of items: [ListedItem]) -> [Int?] {
    ListedMatching(items, in: self).places
  }

  /// Whether a list is one of the same feed, since it has a key or an episode that was listed, or a
  /// title at an address that had it.
  ///
  /// - Parameter found: the places of the items, if they are known.
  package func shares(_ items: [ListedItem], at found: [Int?]? = nil) -> Bool {
    if items.contains(where: { !places(of: $0.key).isEmpty }) { return true }
    if (found ?? places(of: items)).contains(where: { $0 != nil }) { return true }
    let known = Set(signs.lazy.map(\.titleAndAddress))
    return items.contains { item in
      item.signs.titleAndAddress != 0 && known.contains(item.signs.titleAndAddress)
    }
  }

  /// Merges a list into it, and forgets what was last listed more than a year ago.
  ///
  /// - Parameters:
  ///   - list: the listed episodes. They replace those that they are.
  ///   - found: their places, if they are known.
  ///   - lastChecked: when the feed was asked before. Until then it listed what its last list has.
  package mutating func merge(
    _ list: [ListedItem], places found: [Int?]? = nil, at now: Date, lastChecked: Date?
  ) {
    let today = Self.day(now)
    // A day in the future was written by a clock that was wrong.
    let lastList = min(keys.indices.map(day).max() ?? 0, today)
    let lastCheck = min(max(lastChecked.map(Self.day) ?? 0, lastList), today)
    let forgotten = Int(today) - Self.rememberedDays
    let isAfterGap = Int(today) - Int(lastCheck) > Self.longestGap
    let earliest = isAfterGap ? forgotten + Self.longestGap : 0
    var (listed, replaced): ([ListedItem: Bool], Set<Int>) = ([:], [])
    for (item, place) in zip(list.prefix(Self.mostListed), found ?? places(of: list)) {
      listed[item] = listed[item] == true || place.map(isWaiting) == true
      if let place { replaced.insert(place) }
    }
    var older: [Entry] = []
    for place in keys.indices where !replaced.contains(place) {
      var day = min(day(of: place), today)
      if day == lastList { day = lastCheck }
      day = max(day, UInt16(clamping: earliest))
      let item = ListedItem(key: keys[place], signs: signs[place])
      guard day >= forgotten, listed[item] == nil else { continue }
      older.append(Entry(item: item, day: day, isWaiting: isWaiting(place)))
    }
    if older.count > Self.mostOlder {
      older.sort { $0.day > $1.day }
      older.removeLast(older.count - Self.mostOlder)
    }
    self = ListedMemory(older + listed.map { Entry(item: $0, day: today, isWaiting: $1) })
  }

  /// Forgets items.
  package mutating func remove(_ forgotten: Set<ListedItem>) {
    guard !forgotten.isEmpty else { return }
    self = ListedMemory(entries.filter { !forgotten.contains($0.item) })
  }

  private static func day(_ date: Date) -> UInt16 {
    min(UInt16(clamping: CivilDay(date).daysSince1970), waitingBit - 1)
  }
}
