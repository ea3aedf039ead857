/// The order of many texts, by their bytes in UTF-8.
///
/// A list of 100,000 rows is sorted between a key and the next frame, and comparing texts is what takes
/// long. So the first bytes of each are a number, and only where these are equal texts are compared.
enum TextOrder {
  /// The first 16 bytes of a text, as numbers in the order of the bytes.
  private struct Start: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0

    init(_ text: String) {
      var text = text
      text.withUTF8 { bytes in
        first = Self.number(bytes, 0)
        second = Self.number(bytes, 8)
      }
    }

    /// Eight bytes as a number; those behind the end are zero.
    static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ from: Int) -> UInt64 {
      guard bytes.count < from + 8 else {
        return UInt64(
          bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(
            fromByteOffset: from, as: UInt64.self))
      }
      guard from < bytes.count else { return 0 }
      return bytes[from...].reduce(0) { $0 << 8 | UInt64($1) }
        << (8 * UInt64(from + 8 - bytes.count))
    }
  }

  /// How two texts whose first 16 bytes are equal follow each other: below 0 if the first one comes
  /// before the second, 0 if they are equal.
  private static func compare(_ one: String, _ other: String) -> Int {
    var (one, other) = (one, other)
    return one.withUTF8 { one in
      other.withUTF8 { other in
        for from in stride(from: 16, to: max(one.count, other.count), by: 8) {
          let (left, right) = (Start.number(one, from), Start.number(other, from))
          if left != right { return left < right ? -1 : 1 }
        }
        return one.count - other.count
      }
    }
  }

  /// The positions of texts in their order. Equal ones are in the order of the numbers, if there are
  /// any, and then as they came.
  static func sorted(_ texts: [String], then numbers: [Double] = []) -> [Int] {
    let starts = texts.map(Start.init)
    var places = Array(texts.indices)
    if !numbers.isEmpty { places = KeyOrder.sorted(places, by: numbers) }
    places = KeyOrder.sorted(places, by: starts.map(\.second))
    places = KeyOrder.sorted(places, by: starts.map(\.first))
    var begin = 0
    while begin < places.count {
      let start = starts[places[begin]]
      let end = places[begin...].dropFirst().firstIndex { starts[$0] != start } ?? places.count
      if end - begin > 1 {
        let order = places[begin..<end].enumerated().sorted { one, other in
          let order = compare(texts[one.element], texts[other.element])
          return order == 0 ? one.offset < other.offset : order < 0
        }
        places.replaceSubrange(begin..<end, with: order.map(\.element))
      }
      begin = end
    }
    return places
  }

  /// For each text how many others come before it, without case. Few of them are different.
  static func ranks(_ texts: [String]) -> [Double] {
    var numbers: [String: Int] = [:]
    var different: [String] = []
    let groups = texts.map { text in
      if let number = numbers[text] { return number }
      numbers[text] = different.count
      different.append(text.lowercased())
      return different.count - 1
    }
    var ranks = [Double](repeating: 0, count: different.count)
    var last: (text: String, rank: Double)?
    for place in sorted(different) {
      let rank = last.map { $0.text == different[place] ? $0.rank : $0.rank + 1 } ?? 0
      last = (different[place], rank)
      ranks[place] = rank
    }
    return groups.map { ranks[$0] }
  }
}
