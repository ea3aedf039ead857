/// The order of many things by numbers, byte by byte, from the last to the first. It takes 100,000
/// things a few milliseconds, where a sort that compares takes twenty.
enum KeyOrder {
  /// The position of a thing, and the number that it is sorted by.
  struct Item {
    var key: UInt64 = 0
    var place: Int
  }

  /// Fewer items than this are sorted one by one: counting bytes takes longer.
  private static let few = 64

  /// Sorts items by their keys; those with equal keys stay as they came.
  static func sort(_ items: inout Slice<UnsafeMutableBufferPointer<Item>>) {
    if items.count < few { return insert(&items) }
    var (from, to) = (Array(items), Array(items))
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      // How many have each byte, and then where the next one with it goes.
      var next = [Int](repeating: 0, count: 256)
      for item in from { next[Int(item.key >> shift & 0xFF)] += 1 }
      if next[Int(from[0].key >> shift & 0xFF)] == from.count { continue }
      var sum = 0
      for byte in next.indices { (next[byte], sum) = (sum, sum + next[byte]) }
      for item in from {
        let byte = Int(item.key >> shift & 0xFF)
        to[next[byte]] = item
        next[byte] += 1
      }
      swap(&from, &to)
    }
    for (index, item) in zip(items.indices, from) { items[index] = item }
  }

  private static func insert(_ items: inout Slice<UnsafeMutableBufferPointer<Item>>) {
    for index in items.indices.dropFirst() {
      let item = items[index]
      var hole = index
      while hole > items.startIndex, items[hole - 1].key > item.key {
        items[hole] = items[hole - 1]
        hole -= 1
      }
      items[hole] = item
    }
  }

  /// Places in the order of their numbers, none of which is NaN; those with equal ones as they came.
  ///
  /// - Parameters:
  ///   - places: positions in the numbers.
  ///   - numbers: the number of each position.
  static func sorted(_ places: some Collection<Int>, by numbers: [Double]) -> [Int] {
    var items = places.map { place in
      let bits = (numbers[place] == 0 ? 0 : numbers[place]).bitPattern
      return Item(key: bits >> 63 == 1 ? ~bits : bits | 1 << 63, place: place)
    }
    items.withUnsafeMutableBufferPointer { sort(&$0[...]) }
    return items.map(\.place)
  }
}
