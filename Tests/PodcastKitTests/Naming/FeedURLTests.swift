import Testing

@testable import PodcastModel

@Suite("Addresses of feeds") struct FeedURLTests {
  @Test("web addresses are kept as they are") func text() {
    for text in ["https://a.example/f?x=1", "http://user:pass@a.example", "HTTPS://A.example/ü b"] {
      #expect(FeedURL(text)?.text == text)
    }
  }

  @Test(
    "other texts are not addresses",
    arguments: [
      "", "a.example/feed", "ftp://a.example/f", "file:///etc/passwd", "https://", "https:///f",
      "https://a.example/\u{1B}[2J", "https://a.example/\r\nX: y",
      "https://a.example/" + String(repeating: "a", count: 20_000),
    ])
  func refused(text: String) { #expect(FeedURL(text) == nil) }

  @Test("printing one shows nothing private") func redacted() throws {
    let text = "https://user:pass@a.example/f?token=1"
    let feed = try #require(FeedURL(text))
    #expect("\(feed)" == "https://a.example/f?…")
    #expect(String(reflecting: feed) == "https://a.example/f?…")
    #expect(feed.redacted == "https://a.example/f?…")
    #expect(feed.withoutCredentials == "https://a.example/f?token=1")
  }
}
