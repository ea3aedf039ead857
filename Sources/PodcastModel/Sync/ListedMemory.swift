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
    var key: ListedKey
    var day: UInt16
  }

  /// The keys, sorted.
  package private(set) var keys: [ListedKey] = []
  /// For each of the keys the day on which the feed listed it last, in days since 1970.
  package private(set) var days: [UInt16] = []

  /// Remembers nothing.
  package init() {}

  /// Restores a stored memory.
  ///
  /// - Parameters:
  ///   - keys: the keys, sorted and each once.
  ///   - days: for each of them the day on which it was listed last; without them it is `date`.
  package init(keys: [ListedKey], days: [UInt16], otherwise date: Date?) {
    self.keys = keys
    let day = Self.day(date ?? .distantPast)
    self.days = days.count == keys.count ? days : Array(repeating: day, count: keys.count)
  }

  private init(_ entries: [Entry]) {
    let entries = entries.sorted { $0.key < $1.key }
    keys = entries.map(\.key)
    days = entries.map(\.day)
  }

  /// Whether nothing is remembered.
  package var isEmpty: Bool { keys.isEmpty }

  /// How many episodes are remembered.
  package var count: Int { keys.count }

  /// Merges a list into it, and forgets what was last listed more than a year ago.
  ///
  /// - Parameters:
  ///   - list: the keys of the listed episodes.
  ///   - lastChecked: when the feed was asked before. Until then it listed what its last list has.
  package mutating func merge(_ list: [ListedKey], at now: Date, lastChecked: Date?) {
    let today = Self.day(now)
    // A day in the future was written by a clock that was wrong.
    let lastList = min(days.max() ?? 0, today)
    let lastCheck = min(max(lastChecked.map(Self.day) ?? 0, lastList), today)
    let forgotten = Int(today) - Self.rememberedDays
    let isAfterGap = Int(today) - Int(lastCheck) > Self.longestGap
    let earliest = isAfterGap ? forgotten + Self.longestGap : 0
    let listed = Set(list.prefix(Self.mostListed))
    var older: [Entry] = []
    for (key, listedOn) in zip(keys, days) where !listed.contains(key) {
      var day = min(listedOn, today)
      if day == lastList { day = lastCheck }
      day = max(day, UInt16(clamping: earliest))
      if day >= forgotten { older.append(Entry(key: key, day: day)) }
    }
    if older.count > Self.mostOlder {
      older.sort { $0.day > $1.day }
      older.removeLast(older.count - Self.mostOlder)
    }
    self = ListedMemory(older + listed.map { Entry(key: $0, day: today) })
  }

  /// Forgets keys.
  package mutating func remove(_ forgotten: Set<ListedKey>) {
    guard !forgotten.isEmpty else { return }
    self = ListedMemory(
      zip(keys, days).filter { !forgotten.contains($0.0) }.map { Entry(key: $0, day: $1) })
  }

  private static func day(_ date: Date) -> UInt16 {
    UInt16(clamping: CivilDay(date).daysSince1970)
  }
}
