/// Finds the episodes of a list in what a feed listed before: the same key is enough, unless all else
/// contradicts it, and so is the same minute with the same title or address.
///
/// Where signs are weak they do not count: an episode that is taken for another one is lost, and one
/// that is not recognized costs a download.
struct ListedMatching {
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
    matchMinutes(list, known, \.title, listShares, knownShares)
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
}

/// A sign and the minute.
private struct SignPair: Hashable {
  var sign: UInt64
  var minute: UInt64

  init(_ signs: ListedSigns, _ sign: KeyPath<ListedSigns, UInt64>) {
    self.sign = signs[keyPath: sign]
    minute = signs.minute
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
