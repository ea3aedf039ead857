/// Finds the episodes of a list in what a feed listed before: the same key is enough, unless all else
/// contradicts it, and so is the same minute with the same title or address. Where a host changes
/// guids and dates together, ``MovedDates`` decides.
///
/// Where signs are weak they do not count: an episode that is taken for another one is lost, and one
/// that is not recognized costs a download.
struct ListedMatching {
  /// So many episodes at most may each have a guid that stays while the episode is replaced: not more
  /// than the first sync of a podcast takes.
  private static let mostReplaced = 5

  /// For each item of the list the place of the remembered one; nil for those that were not listed.
  private(set) var places: [Int?]
  private var isTaken: [Bool]

  /// Matches a list; each remembered episode is found once.
  init(_ items: [ListedItem], in memory: ListedMemory) {
    places = Array(repeating: nil, count: items.count)
    isTaken = Array(repeating: false, count: memory.count)
    guard !memory.isEmpty else { return }
    matchKeys(items, in: memory)
    guard isTaken.contains(false), items.indices.contains(where: { isOpen($0, items) }) else {
      return
    }
    let (list, known) = (items.map(\.signs), memory.signs)
    let (listShares, knownShares) = (SharedSigns(list), SharedSigns(known))
    matchMinutes(list, known, \.address, listShares, knownShares)
    matchMoved(list, memory) { $0.titleAndAddress }
    matchMinutes(list, known, \.title, listShares, knownShares)
    // Of two changed signs one is enough, if that happened to several.
    for sign in [\ListedSigns.address, \.title] {
      matchMoved(list, memory, fewest: MovedDates.fewest, farthest: MovedDates.farthest) {
        $0[keyPath: sign]
      }
    }
  }

  private func isOpen(_ number: Int, _ items: [ListedItem]) -> Bool {
    places[number] == nil && items[number].signs.minute != 0
  }

  private mutating func match(_ number: Int, with place: Int) {
    places[number] = place
    isTaken[place] = true
  }

  private mutating func matchKeys(_ items: [ListedItem], in memory: ListedMemory) {
    // Items that are equal in all that is compared are one.
    var found: [ListedItem: Int?] = [:]
    for (number, item) in items.enumerated() {
      let place: Int?
      if let known = found[item] {
        place = known
      } else {
        place =
          memory.place(of: item)
          ?? memory.places(of: item.key).first { !memory.signs[$0].contradict(item.signs) }
        found[item] = .some(place)
      }
      if let place { match(number, with: place) }
    }
    guard items.count <= Self.mostReplaced, let newest = memory.newestMinute else { return }
    let areReplaced = zip(items, places).allSatisfy { item, place in
      place.map { item.signs.replaces(memory.signs[$0], newest: newest) } ?? false
    }
    guard areReplaced else { return }
    for place in places { if let place { isTaken[place] = false } }
    places = Array(repeating: nil, count: items.count)
  }

  /// Matches what has the same minute and one sign more.
  private mutating func matchMinutes(
    _ list: [ListedSigns], _ known: [ListedSigns], _ sign: KeyPath<ListedSigns, UInt64>,
    _ listShares: SharedSigns, _ knownShares: SharedSigns
  ) {
    var waiting: [SignPair: Int] = [:]
    for (number, signs) in list.enumerated() where places[number] == nil && signs.minute != 0 {
      guard signs[keyPath: sign] != 0, !listShares.isWeak(signs, sign),
        !knownShares.isWeak(signs, sign)
      else { continue }
      waiting[SignPair(signs, sign)] = number
    }
    guard !waiting.isEmpty else { return }
    for (place, signs) in known.enumerated() where !isTaken[place] {
      guard let number = waiting.removeValue(forKey: SignPair(signs, sign)) else { continue }
      match(number, with: place)
    }
  }

  /// Matches what has one sign of its own and another date.
  private mutating func matchMoved(
    _ list: [ListedSigns], _ memory: ListedMemory, fewest: Int = 1, farthest: Int? = nil,
    _ sign: (ListedSigns) -> UInt64
  ) {
    guard let newest = memory.newestMinute else { return }
    var moved = MovedDates(newest: newest, farthest: farthest)
    var counts: [UInt64: (listed: Int, known: Int, number: Int)] = [:]
    for (number, signs) in list.enumerated() {
      counts[sign(signs), default: (0, 0, number)].listed += 1
    }
    counts[0] = nil
    for signs in memory.signs { counts[sign(signs)]?.known += 1 }
    for (place, signs) in memory.signs.enumerated() where !isTaken[place] {
      guard let count = counts[sign(signs)], count.listed == 1, count.known == 1,
        places[count.number] == nil
      else { continue }
      moved.add(count.number, list[count.number], place, signs)
    }
    for pair in moved.pairs(fewest: fewest) { match(pair.number, with: pair.place) }
    matchShifted(list, memory.signs, by: moved.usualShifts, sign)
  }

  /// Matches what has a sign in common, also with others, if its date has moved as those of several
  /// have.
  private mutating func matchShifted(
    _ list: [ListedSigns], _ known: [ListedSigns], by shifts: [Int],
    _ sign: (ListedSigns) -> UInt64
  ) {
    guard !shifts.isEmpty else { return }
    var waiting: [SignPair: Int] = [:]
    for (place, signs) in known.enumerated() where !isTaken[place] && signs.minute != 0 {
      if sign(signs) != 0 { waiting[SignPair(sign: sign(signs), minute: signs.minute)] = place }
    }
    guard !waiting.isEmpty else { return }
    for (number, signs) in list.enumerated() where places[number] == nil && signs.minute != 0 {
      for shift in shifts {
        let minute = ListedSigns.minute(at: Int(signs.minute) - 1 - shift)
        guard
          let place = waiting.removeValue(forKey: SignPair(sign: sign(signs), minute: minute))
        else { continue }
        match(number, with: place)
        break
      }
    }
  }
}

/// Pairs of listed and remembered episodes that have a sign of their own in common, and not the date.
///
/// An episode dated before the newest one that was listed is no news: the host has changed its date. A
/// later one is news, for example the next bulletin at one address, unless its date has moved as those
/// of others have.
private struct MovedDates {
  /// So many pairs are a change of the host, if they have one sign only.
  static let fewest = 3
  /// Then dates differ by this at most, in minutes: by time zones.
  static let farthest = 18 * 60

  let newest: UInt64
  let farthest: Int?
  private var known: [(number: Int, place: Int, shift: Int)] = []
  private var later: [(number: Int, place: Int, shift: Int)] = []

  init(newest: UInt64, farthest: Int?) {
    self.newest = newest
    self.farthest = farthest
  }

  /// Adds a pair, if both have a date, and the dates are near enough.
  mutating func add(_ number: Int, _ listed: ListedSigns, _ place: Int, _ signs: ListedSigns) {
    guard listed.minute != 0, signs.minute != 0 else { return }
    let shift = listed.shift(from: signs)
    if let farthest, shift.magnitude > farthest { return }
    if listed.isLater(than: newest) {
      later.append((number, place, shift))
    } else {
      known.append((number, place, shift))
    }
  }

  /// By how many minutes several dates have moved, at most four numbers: time zones have two, and
  /// seconds are rounded.
  var usualShifts: [Int] {
    var counts: [Int: Int] = [:]
    for pair in known { counts[pair.shift, default: 0] += 1 }
    return counts.filter { $0.value >= Self.fewest }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4).map(\.key)
  }

  /// The pairs that are one episode each; none if there are fewer than this.
  func pairs(fewest: Int) -> [(number: Int, place: Int)] {
    guard known.count >= fewest else { return [] }
    // A minute is rounded.
    let shifts = Set(known.flatMap { [$0.shift - 1, $0.shift, $0.shift + 1] })
    return (known + later.filter { shifts.contains($0.shift) }).map { ($0.number, $0.place) }
  }
}

/// A sign and the minute.
private struct SignPair: Hashable {
  var sign: UInt64
  var minute: UInt64

  init(sign: UInt64, minute: UInt64) {
    self.sign = sign
    self.minute = minute
  }

  init(_ signs: ListedSigns, _ sign: KeyPath<ListedSigns, UInt64>) {
    self.init(sign: signs[keyPath: sign], minute: signs.minute)
  }
}

/// The signs that several episodes have.
private struct SharedSigns {
  private var titles: [UInt64: Int] = [:]
  private var addresses: [UInt64: Int] = [:]
  private var minutes: [UInt64: Int] = [:]

  init(_ all: [ListedSigns]) {
    for signs in all {
      titles[signs.title, default: 0] += 1
      addresses[signs.address, default: 0] += 1
      minutes[signs.minute, default: 0] += 1
    }
  }

  /// Whether a sign and the minute prove nothing together: the minute is no more than a day, or one
  /// of several episodes, and so is the sign.
  func isWeak(_ signs: ListedSigns, _ sign: KeyPath<ListedSigns, UInt64>) -> Bool {
    guard signs.isMidnight || minutes[signs.minute, default: 0] > 1 else { return false }
    let count =
      sign == \ListedSigns.title
      ? titles[signs.title, default: 0] : addresses[signs.address, default: 0]
    return count > 1
  }
}
