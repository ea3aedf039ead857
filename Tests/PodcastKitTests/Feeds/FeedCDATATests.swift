import PodcastModel
import Testing

@testable import PodcastFeeds

/// Long texts, which are passed to the parser in parts.
@Suite("Long texts in feeds") struct FeedCDATATests {
  /// Repairs bytes in pieces of one size.
  private func repaired(_ bytes: [UInt8], pieces size: Int) -> [UInt8] {
    var repair = MarkupRepair(keepsDescriptions: true)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBufferPointer {
        repair.add($0, to: &output)
      }
    }
    return output
  }

  /// The length of the longest CDATA section.
  private func longestSection(_ bytes: [UInt8]) -> Int {
    String(decoding: bytes, as: UTF8.self).split(separator: "<![CDATA[").dropFirst()
      .map { $0.utf8.prefix { $0 != UInt8(ascii: ">") }.count }.max() ?? 0
  }

  @Test(
    "a CDATA section is split, and its text is the same",
    arguments: ["a", "é", "😀", "]", "]]", "ab]", "]]é"])
  func sections(part: String) throws {
    let text = String(repeating: part, count: 70_000 / part.utf8.count)
    let feed = FeedCase.rss(
      FeedCase.item("<description><![CDATA[\(text)x]]></description><guid>g</guid>"))
    let document = try FeedCase.document(feed, details: true)
    #expect(document.details.map(\.description) == [text + "x"])
    #expect(document.episodes.map(\.guid) == ["g"])
    let bytes = Array(feed.utf8)
    let whole = repaired(bytes, pieces: bytes.count)
    #expect(longestSection(whole) < 17_000)
    for size in [1, 3, 4093, 16_384] { #expect(repaired(bytes, pieces: size) == whole) }
    #expect(repaired(whole, pieces: whole.count) == whole)
  }

  @Test(
    "a text of many megabytes does not lose what follows",
    arguments: [
      ("<![CDATA[", "lorem ipsum ", "]]>"), ("<![CDATA[", "]", "]]>"), ("", "lorem &amp; ", ""),
      ("", "ipsum\n", ""),
    ])
  func long(start: String, part: String, end: String) throws {
    let text = start + String(repeating: part, count: 12_000_000 / part.utf8.count) + end
    let document = try FeedCase.document(
      FeedCase.rss(
        FeedCase.item("<description>\(text)</description>")
          + FeedCase.item("<title>\(text)</title>", url: "https://example.com/2.mp3")
          + FeedCase.item("", url: "https://example.com/3.mp3")), details: true)
    #expect(document.error == nil)
    #expect(document.episodes.map(\.enclosure.url.utf8.count) == [25, 25, 25])
    let kept = try #require(document.details.first?.description).utf8.count
    #expect(kept > FeedLimits.descriptionBytes - 4 && kept <= FeedLimits.descriptionBytes)
  }

  @Test("what is passed on between two tags is bounded, in pieces of any size")
  func bound() {
    for text in [
      "<![CDATA[" + String(repeating: "é😀", count: 500_000) + "]]>",
      String(repeating: "😀", count: 600_000), String(repeating: "&#233;&amp;", count: 500_000),
    ] {
      let bytes = Array("<rss><title>\(text)</title><b/></rss>".utf8)
      let whole = repaired(bytes, pieces: bytes.count)
      #expect(whole.count < RepairedText.maximumBytes * 102 / 100)
      #expect(whole.suffix(18) == Array("</title><b/></rss>".utf8))
      #expect(repaired(bytes, pieces: 4091) == whole)
      #expect(String(validating: whole, as: UTF8.self) != nil)
    }
  }
}
