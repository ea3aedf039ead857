import Glibc

/// The texts of many rows one behind the other: between a letter of a filter and the next frame all of
/// them are searched, and texts that lie everywhere in memory take three times as long.
struct SearchTexts: Sendable, Hashable {
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
