/// The order of many things by numbers, without comparing two of them: byte by byte, from the last to the
/// first. It takes 100,000 things a few milliseconds, where a sort that compares takes twenty.
enum KeyOrder {
  private struct Item {
    var key: UInt64
    var place: Int
  }

  /// Places in the order of their keys; those with equal keys as they came.
  ///
  /// - Parameters:
  ///   - places: positions in the keys.
  ///   - keys: the key of each position.
  static func sorted(_ places: [Int], by keys: [UInt64]) -> [Int] {
    var items = places.map { Item(key: keys[$0], place: $0) }
    guard let first = items.first else { return [] }
    var others = items
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      // How many have each byte, and then where the next one with it goes.
      var next = [Int](repeating: 0, count: 256)
      for item in items { next[Int(item.key >> shift & 0xFF)] += 1 }
      if next[Int(first.key >> shift & 0xFF)] == items.count { continue }
      var sum = 0
      for byte in next.indices { (next[byte], sum) = (sum, sum + next[byte]) }
      for item in items {
        let byte = Int(item.key >> shift & 0xFF)
        others[next[byte]] = item
        next[byte] += 1
      }
      swap(&items, &others)
    }
    return items.map(\.place)
  }

  /// The same for numbers; none of them is NaN.
  static func sorted(_ places: [Int], by numbers: [Double]) -> [Int] {
    sorted(
      places,
      by: numbers.map { number in
        let bits = (number == 0 ? 0 : number).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | 1 << 63
      })
  }
}
