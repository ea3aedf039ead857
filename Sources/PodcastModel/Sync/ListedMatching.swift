/// Finds the episodes of a list in what a feed listed before: the same key is enough, unless all else
/// contradicts it, and so is the same minute with the same title or address.
///
/// Where signs are weak they do not count: an episode that is taken for another one is lost, and one
/// that is not recognized costs a download.
struct ListedMatching {
  /// For each item of the list the place of the remembered one; nil for those that were not listed.
  private(set) var places: [Int?]
  private var isTaken: Set<Int> = []

  /// Matches a list; each remembered episode is found once.
  init(_ items: [ListedItem], in memory: ListedMemory) {
    places = Array(repeating: nil, count: items.count)
    guard !memory.isEmpty else { return }
    for (number, item) in items.enumerated() {
      let found = memory.places(of: item.key).first { place in
        !memory.signs[place].contradict(item.signs)
      }
      places[number] = found
      if let found { isTaken.insert(found) }
    }
    matchSigns(items, in: memory)
  }

  private mutating func matchSigns(_ items: [ListedItem], in memory: ListedMemory) {
    let open = items.indices.filter { places[$0] == nil && items[$0].signs.minute != 0 }
    guard !open.isEmpty else { return }
    let (list, known) = (SharedSigns(items.map(\.signs)), SharedSigns(memory.signs))
    for sign in [\ListedSigns.address, \.title] {
      var waiting: [SignPair: Int] = [:]
      for number in open where places[number] == nil {
        let signs = items[number].signs
        guard signs[keyPath: sign] != 0, !list.isWeak(signs, sign), !known.isWeak(signs, sign)
        else { continue }
        waiting[SignPair(signs, sign)] = number
      }
      guard !waiting.isEmpty else { continue }
      for (place, signs) in memory.signs.enumerated() where !isTaken.contains(place) {
        guard let number = waiting.removeValue(forKey: SignPair(signs, sign)) else { continue }
        places[number] = place
        isTaken.insert(place)
      }
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
