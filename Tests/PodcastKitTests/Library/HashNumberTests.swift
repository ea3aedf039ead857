import TestSupport
import Testing

@testable import PodcastLibrary

@Suite("Numbers for bytes") struct HashNumberTests {
  private func number(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { HashNumber.ofMany($0) }
  }

  /// Of the pairs, those that are whole halves of a word apart: they meet first.
  @Test("each changed bit, and each pair of them, changes the number") func changes() {
    var random = SeededGenerator(seed: 1)
    let bytes = (0..<27).map { _ in UInt8.random(in: 0...255, using: &random) }
    var seen = [number(bytes)]
    for first in 0..<bytes.count * 8 {
      for second in stride(from: first, to: bytes.count * 8, by: 32) {
        var changed = bytes
        changed[first / 8] ^= 1 << (first % 8)
        if second != first { changed[second / 8] ^= 1 << (second % 8) }
        seen.append(number(changed))
      }
    }
    #expect(Set(seen).count == seen.count)
    #expect(number([0]) != number([0, 0]) && number([]) != number([0]))
  }
}
