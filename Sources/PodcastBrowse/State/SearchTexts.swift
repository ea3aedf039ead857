import Glibc

/// The texts of many rows one behind the other: between a letter of a filter and the next frame all of
/// them are searched, between a key and a frame in another order they are compared, and texts that lie
/// everywhere in memory take three times as long.
package struct SearchTexts: Sendable, Hashable {
  /// The texts in UTF-8, each with a zero behind it.
  private var bytes: [UInt8] = []
  /// Where each text ends.
  private var ends: [Int] = []

  /// No texts.
  init() {}

  init(_ texts: some Sequence<String>) {
    for text in texts {
      bytes.append(contentsOf: text.utf8)
      ends.append(bytes.count)
      bytes.append(0)
    }
  }

  /// Positions in the order of their texts, by the bytes; those with equal texts as they came.
  ///
  /// Eight bytes are a number, and only where these are equal the next eight are looked at.
  ///
  /// - Parameters:
  ///   - places: the positions.
  ///   - line: which line of each text is the first that counts, from 0. A text with fewer is empty.
  func sorted(_ places: [Int], fromLine line: Int = 0) -> [Int] {
    var items = places.map { KeyOrder.Item(place: $0) }
    let starts = bytes.withUnsafeBufferPointer { bytes in
      ends.indices.map { place in
        var start = place == 0 ? 0 : ends[place - 1] + 1
        for _ in 0..<line {
          let end = bytes[start..<ends[place]].firstIndex(of: UInt8(ascii: "\n"))
          start = end.map { $0 + 1 } ?? ends[place]
        }
        return start
      }
    }
    bytes.withUnsafeBytes { bytes in
      items.withUnsafeMutableBufferPointer { items in
        // Items whose texts are equal up to a depth, in bytes.
        var equal = [(range: items.indices, depth: 0)]
        while let (range, depth) = equal.popLast() {
          for index in range {
            let place = items[index].place
            items[index].key = Self.number(bytes, starts[place] + depth, ends[place])
          }
          KeyOrder.sort(&items[range])
          var begin = range.lowerBound
          for index in range {
            let key = items[index].key
            if index + 1 < range.upperBound, items[index + 1].key == key { continue }
            // A text has no zeros: with one in the last place it has ended.
            if begin < index, key & 0xFF != 0 { equal.append((begin..<index + 1, depth + 8)) }
            begin = index + 1
          }
        }
      }
    }
    return items.map(\.place)
  }

  /// Eight bytes of a text as a number in the order of the bytes; those behind its end are zero.
  private static func number(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int
  ) -> UInt64 {
    guard start < end else { return 0 }
    guard end - start < 8 else {
      return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    return bytes[start..<end].reduce(0) { $0 << 8 | UInt64($1) } << (8 * UInt64(8 - end + start))
  }

  /// For each text whether it has all words.
  func having(_ words: [[UInt8]]) -> [Bool] {
    var result = [Bool](repeating: true, count: ends.count)
    for word in words { keep(word, &result) }
    return result
  }

  /// Where a word is first; the end if it is nowhere.
  private static func first(
    _ word: [UInt8], in bytes: UnsafeRawBufferPointer, from place: Int
  ) -> Int {
    guard let base = bytes.baseAddress else { return bytes.count }
    var place = place
    while bytes.count - place >= word.count,
      let found = memchr(base + place, Int32(word[0]), bytes.count - place - word.count + 1)
    {
      place = UnsafeRawPointer(found) - base
      if memcmp(found, word, word.count) == 0 { return place }
      place += 1
    }
    return bytes.count
  }

  private func keep(_ word: [UInt8], _ result: inout [Bool]) {
    guard !word.isEmpty else { return }
    // No text has what would reach into the next one.
    guard !word.contains(0) else {
      result = result.map { _ in false }
      return
    }
    bytes.withUnsafeBytes { bytes in
      var (place, row) = (0, 0)
      while row < ends.count {
        let hit = Self.first(word, in: bytes, from: place)
        // Those before it do not have the word.
        while row < ends.count, ends[row] <= hit {
          result[row] = false
          row += 1
        }
        guard row < ends.count else { return }
        place = ends[row] + 1
        row += 1
      }
    }
  }
}
