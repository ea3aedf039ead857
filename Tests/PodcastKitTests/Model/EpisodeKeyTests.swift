import Foundation
import Testing

@testable import PodcastModel

@Suite("Keys of episodes") struct EpisodeKeyTests {
  @Test(
    "a key has the text that it was made from",
    arguments: [
      "0123456789abcdef0123456789abcdef", "fedcba98765432100000000000000000",
      "ffffffffffffffffffffffffffffffff", "00000000000000000000000000000001",
    ])
  func text(_ text: String) throws {
    let key = try #require(EpisodeKey(text))
    #expect(key.text == text && key.description == text)
    #expect(EpisodeKey(checked: text) == key)
  }

  @Test("keys that differ in one digit are different, in each half")
  func different() {
    let zeros = String(repeating: "0", count: 32)
    let keys = zeros.indices.compactMap { place in
      EpisodeKey(zeros.replacingCharacters(in: place...place, with: "1"))
    }
    #expect(Set(keys).count == 32 && !keys.contains { $0.text == zeros })
  }

  @Test(
    "other texts are refused",
    arguments: [
      "", "0", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdef0",
      "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcdeg",
      "0123456789abcdef/123456789abcdef", "0123456789abcde\u{FF10}0123456789abcd",
    ])
  func refused(_ text: String) { #expect(EpisodeKey(text) == nil) }
}
