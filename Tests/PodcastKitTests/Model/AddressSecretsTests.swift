import Foundation
import PodcastModel
import Testing

/// What may be published of an address.
@Suite("Secrets in guids") struct AddressSecretsTests {
  @Test(arguments: [
    "https://user:pw@example.org/1", "https://user@example.org/1", "user:pw@example.org/1",
    "https://example.org/1?token=abc", "https://example.org/1?auth=12", "auth=xyz",
    "https://example.org/1?x=9f8a7b6c5d", "https://example.org/?3fa85f64",
    "https://example.org/a?p=1&Access_Token=1", "https://example.org/a;session=1",
    "https://example.org/r?u=https%3A%2F%2Fuser%3Apw%40example.com%2F1",
    "https://example.org/r%253Ftoken%253Dabc", "https://example.org/key=abc/1",
    "see https://user:pw@example.org/1 there",
  ])
  func `a text with a secret`(text: String) { #expect(AddressSecrets.mayBe(in: text)) }

  @Test(arguments: [
    "tag:example.org,2020:1", "urn:uuid:3fa85f64-5717-4562-b3fc-2c963f66afa6", "1234", "",
    "https://example.org/?p=123", "https://example.org/?post_type=podcast&p=123",
    "https://example.org/3fa85f64-5717-4562-b3fc-2c963f66afa6.mp3", "https://example.org/1#token",
    "What is love?", "100%", "a=b", "12345@example.org", "https://example.org:8080/a%20b",
  ])
  func `a text without one`(text: String) { #expect(!AddressSecrets.mayBe(in: text)) }

  @Test(arguments: [
    "token=7", "uid=7", "page=1&hash=7", "X-Amz-Credential=7", "Key-Pair-Id=7", "member_id=7",
    "0123456789abcdef", "x=0123456789abcdef", "a=1&amp;auth=2", "%74oken=7", "%2574oken=7",
    "a=1;sid=7", "a=1%26auth=2", "s3cr3t", "a=1&s3cr3tX", "SecretWord",
    "id=3fa85f64-5717-4562-b3fc-2c963f66afa6", "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "awEpisodeId=3fa85f64-5717-4562-b3fc-2c963f66afa6&auth=1", "episode_id=0123456789abcdef",
  ])
  func `a query with a secret`(query: String) { #expect(AddressSecrets.areLikely(in: query)) }

  @Test(arguments: [
    "", "page=1&format=mp3", "guid=12", "show=my-podcast", "aside=1", "token=", "rss", "RSS",
    "mp3", "2020-01-01", "12:30", "20200101120000", "my-podcast",
    "aid=rss_feed&awCollectionId=3fa85f64-5717-4562-b3fc-2c963f66afa6&awEpisodeId="
      + "3FA85F64-5717-4562-b3fc-2c963f66afa7&feed=Ah4hY0Jc",
    "utm_source=Podcast&in_playlist=3fa85f64-5717-4562-b3fc-2c963f66afa6",
  ])
  func `a query without one`(query: String) { #expect(!AddressSecrets.areLikely(in: query)) }

  @Test(arguments: [
    ("https://a.example/feed/private/3fa85f64-5717-4562-b3fc-2c963f66afa6.rss", true),
    ("https://a.example/Premium/7/eyJhbGciOiJIUzI1NiJ9.e30.x", true),
    ("https://a.example/p;session=1/feed", true), ("https://a.example/%6bey=abc/feed", true),
    ("https://a.example/feed?auth=1", true),
    ("https://a.example/content/eyJ0IjoicCIsImMiOiI0NTciLCJ1IjoiMTIzNDU2In0.rss", true),
    ("https://a.example/feed/podcast/2fZq9c7Yb3kLmN0pQr4sTu", true),
    ("https://a.example/feed/2fZq9c7Yb3kLmN0pQr4sTu.xml", true),
    ("https://a.example/2fZq9c7Yb3kLmN0pQr4sTu/1.mp3", true),
    ("https://a.example/r/https%3A%2F%2Fb.example%2F2fZq9c7Yb3kLmN0pQr4sTu", true),
    ("https://a.example/show/2fZq9c7Yb3kLmN0pQr4sTu", false),
    ("https://a.example/channel/UC2fZq9c7Yb3kLmN0pQr4sTu/videos", false),
    ("https://a.example/98/2C/2fZq9c7Yb3kLmN0pQr4sTu.m4a", false),
    ("https://a.example/98/2C/2fZq9c7Yb3kLmN0pQr4sTu.JPG", false),
    ("https://a.example/2fZq9c7Yb3kLmN0pQr4", false),
    ("https://a.example/ABC1234567890DEF123456", false),
    ("https://a.example/3fa85f6457174562b3fc2c963f66afa6", false),
    ("https://a.example/AllAboutOurEverydayLives2021/2020-01-01-AB12cd34EF56gh78IJ", false),
    ("https://a.example/public/shows/3fa85f64-5717-4562-b3fc-2c963f66afa6", false),
    ("https://a.example/d/3fa85f64-5717-4562-b3fc-2c963f66afa6/audio.mp3?updated=1", false),
    ("https://a.example/private/season-2-of-our-show.xml", false),
    ("https://a.example/private-eye/0123456789abcdef.mp3", false),
    ("https://a.example/0123456789abcdef/private/feed", false), ("https://a.example", false),
  ])
  func `an address with a secret`(address: String, isSecret: Bool) throws {
    #expect(AddressSecrets.areLikely(in: try #require(WebAddress(address))) == isSecret)
  }

  @Test(arguments: [
    ("no address", "no address"),
    (
      "See https://a.example/1 (https://user:pw@a.example/2).",
      "See https://a.example/1 (https://a.example/2)."
    ),
    ("at https://a.example/?token=7 or so", "at https://a.example/?… or so"),
    ("<https://a.example/private/3fa85f64-5717-4562-b3fc-2c963f66afa6>", "<…>"),
  ])
  func `a text keeps its words`(text: String, expected: String) {
    #expect(AddressSecrets.removed(from: text) == expected)
  }

  /// To look for a password in each address within an address takes long.
  @Test func `what is too long for an address is left out before it is searched`() {
    let long = String(repeating: "a", count: 4_000)
    #expect(AddressSecrets.removed(from: "See https://a.example/\(long) there.") == "See … there.")
    let nested = String(repeating: "x:y://", count: 17)
    #expect(AddressSecrets.removed(from: "See \(nested)") == "See …")
    let encoded = String(repeating: "x:y%253A%252F%252F", count: 17)
    #expect(AddressSecrets.removed(from: "See x://\(encoded)") == "See …")
    // Three trackers before an address.
    let usual = "https://a.example/https://b.example/https%3A%2F%2Fc.example%2Fd.mp3"
    #expect(AddressSecrets.removed(from: "See \(usual)") == "See \(usual)")
  }

  @Test func `a language without blanks keeps its words`() {
    let words = String(repeating: "語", count: 2_000)
    #expect(
      AddressSecrets.removed(from: "見る\(words)https://a.example/?token=7\(words)")
        == "見る\(words)…\(words)")
    #expect(
      AddressSecrets.removed(from: "見るhttps://user:pä@a.example/\(words)1") == "見る…\(words)1")
  }

  @Test func `what is planned for tags is bounded when it is read`() throws {
    let most = PlannedTags.mostBytes
    let address = "https://a.example/" + String(repeating: "a", count: WebAddress.maximumBytes)
    var tags = PlannedTags()
    tags.description = String(repeating: "é", count: most)
    tags.chapters = [PlannedTags.Chapter(start: 0, title: String(repeating: "a", count: most + 1))]
    (tags.page, tags.chaptersURL, tags.artwork) = (address, address, "https://a.example/1.jpg")
    var expected = PlannedTags()
    expected.description = String(repeating: "é", count: most / 2)
    expected.artwork = tags.artwork
    func read(_ tags: PlannedTags) throws -> PlannedTags {
      try JSONDecoder().decode(PlannedTags.self, from: try JSONEncoder().encode(tags))
    }
    #expect(try read(tags) == expected)
    expected.chapters = [PlannedTags.Chapter(start: 7, title: "a")]
    (expected.page, expected.chaptersURL) = ("https://a.example/1", "https://a.example/2")
    #expect(try read(expected) == expected)
  }
}
