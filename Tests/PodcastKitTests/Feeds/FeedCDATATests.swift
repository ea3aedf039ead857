import PodcastModel
import Testing

@testable import PodcastFeeds

/// Long texts, which arrive in parts.
@Suite("Long texts in feeds") struct FeedCDATATests {
  @Test(
    "a CDATA section has the same text in pieces of any size",
    arguments: ["a", "é", "😀", "]", "]]", "ab]", "]]é"])
  func sections(part: String) throws {
    let text = String(repeating: part, count: 70_000 / part.utf8.count)
    let feed = FeedCase.rss(
      FeedCase.item("<description><![CDATA[\(text)x]]></description><guid>g</guid>"))
    let document = try FeedCase.document(feed, details: true)
    #expect(document.details.map(\.description) == [text + "x"])
    #expect(document.episodes.map(\.guid) == ["g"])
    let bytes = Array(feed.utf8)
    for size in [1, 3, 4093, 16_384] {
      #expect(FeedPieces.read(bytes) { size } == .content(.feed(document)))
    }
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
    #expect(kept > FeedLimits.textBytes - 4 && kept <= FeedLimits.textBytes)
  }

  @Test("a text that is too long is cut at one place, in pieces of any size, between characters")
  func bound() throws {
    for text in [
      "<![CDATA[" + String(repeating: "é😀", count: 100_000) + "]]>",
      String(repeating: "😀", count: 100_000), String(repeating: "&#233;&amp;", count: 200_000),
      String(repeating: " ", count: 300_000) + "late",
    ] {
      let feed = FeedCase.rss(
        "<item><title>\(text)</title><description>\(text)</description>"
          + "<enclosure url='https://example.com/1.mp3'/></item>")
      let bytes = Array(feed.utf8)
      let document = try FeedCase.document(feed, details: true)
      #expect(FeedPieces.read(bytes) { 4091 } == .content(.feed(document)))
      #expect(document.details.first?.description?.contains("\u{FFFD}") != true)
      #expect(document.details.first?.description?.hasSuffix("late") != true)
    }
  }
}
