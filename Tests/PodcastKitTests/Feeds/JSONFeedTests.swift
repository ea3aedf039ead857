import FoundationEssentials
import PodcastFeeds
import PodcastModel
import Testing

/// JSON Feed 1.0 and 1.1.
@Suite("JSON Feed") struct JSONFeedTests {
  private static let feed = """
    {"version": "https://jsonfeed.org/version/1.1", "title": "JSON \\u0073how",
     "authors": [{"name": "Somebody"}], "icon": "/icon.png", "next_url": "?page=2",
     "feed_url": "https://example.com/feed.json", "expired": true, "items": [
      {"id": 17, "title": "One \\ud83d\\ude00", "date_published": "2024-03-05T12:00:00+01:00",
       "content_html": "<p>Words</p>", "url": "https://example.com/1",
       "attachments": [
        {"url": "1.mp4", "mime_type": "video/mp4"},
        {"url": "1.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 12e3,
         "duration_in_seconds": 90.5}]},
      {"id": "b", "content_text": "only text"}, null
     ], "user_comment": ["x", {"y": [1, 2.5e3, true, null]}]}
    """

  @Test("gives the podcast and its episodes")
  func read() throws {
    let document = try FeedCase.document(
      Self.feed, url: "https://example.com/a/feed.json", details: true)
    #expect(document.format == .json)
    #expect(document.podcast.title == "JSON show")
    #expect(document.podcast.author == "Somebody")
    #expect(document.podcast.artworkURL == "https://example.com/icon.png")
    #expect(document.nextPage?.text == "https://example.com/a/feed.json?page=2")
    #expect(document.selfURL?.text == "https://example.com/feed.json")
    #expect(document.isComplete)
    #expect(document.error == nil)
    #expect(document.unplayableCount == 1)
    #expect(
      document.episodes == [
        Episode(
          guid: "17", title: "One 😀", date: Date(timestamp: "2024-03-05T11:00:00Z"),
          duration: .seconds(90),
          enclosure: Enclosure(
            url: "https://example.com/a/1.mp3", length: 12_000, mimeType: "audio/mpeg"))
      ])
    #expect(document.details.map(\.text) == ["Words"])
  }

  @Test("an attachment is the episode and not its cover, and images alone are none")
  func covers() throws {
    let cover = "{\"url\": \"https://example.com/c.jpg\", \"mime_type\": \"image/jpeg\"}"
    let song = "{\"url\": \"https://example.com/ep.mp3\", \"mime_type\": \"audio/mpeg\"}"
    let covers = Array(repeating: cover, count: 100).joined(separator: ", ")
    let items = [cover, "\(covers), \(song)"].map { "{\"attachments\": [\($0)]}" }
    let document = try FeedCase.document("{\"items\": [\(items.joined(separator: ", "))]}")
    #expect(document.episodes.map(\.enclosure.url) == ["https://example.com/ep.mp3"])
    #expect(document.unplayableCount == 1)
  }

  @Test("truncated at any byte gives what came before and an error")
  func cut() throws {
    let feed = Self.feed.replacing("1.mp", with: "https://example.com/1.mp")
    let whole = try FeedCase.document(feed)
    let bytes = Array(feed.utf8)
    for length in 0..<bytes.count { FeedPieces.checkCut(bytes, at: length, whole: whole) }
  }

  @Test(
    "other JSON is no feed",
    arguments: [
      "{}", "{\"a\": [1]}", "{", "[]", "{\"items\": 1}", "{\"a\":{\"a\":{\"a\":",
      "{\"version\": \"https://jsonfeed.org/version/1.1\", \"items\": {\"a\": 1}}",
      "{\"version\": \"https://jsonfeed.org/version/1.1\", \"items\": null}",
      "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"X\"}",
    ])
  func other(text: String) {
    let error = #expect(throws: PodgetError.self) { try FeedReader.read(text.utf8) }
    #expect(error?.code == .decoding)
  }

  @Test("nesting is bounded")
  func depth() {
    let deep = "{\"items\": [" + String(repeating: "[", count: 100_000)
    guard case .feed(let document)? = try? FeedReader.read(deep.utf8) else {
      Issue.record("no feed")
      return
    }
    #expect(document.isBroken)
  }

  @Test("members that say nothing here are skipped, whatever is in them")
  func unknown() throws {
    let deep = String(repeating: "[{\"a\\\"]\": ", count: 31)
    let end = String(repeating: "}, 1.5e3, null, \"\\\\\"]", count: 31)
    let document = try FeedCase.document(
      """
      {"version": "https://jsonfeed.org/version/1", "x": \(deep)true\(end), "title": [1, {}],
       "authors": [1, {"x": []}, {"name": "Ann", "y": {}}, {"name": "Bob"}], "items": [
        [1, 2], "x", {"id": {"a": "}"}, "z": \(deep)false\(end), "title": "One",
          "attachments": [7, {"url": "https://example.com/1.mp3", "z": [[]]}]}]}
      """)
    #expect(document.error == nil)
    #expect(document.podcast.author == "Ann")
    #expect(document.podcast.title == "Untitled podcast")
    #expect(document.episodes.map(\.title) == ["One"])
    #expect(document.episodes.map(\.guid) == [nil])
  }

  @Test(
    "skipped members that are no JSON end the feed",
    arguments: ["[}", "{\"a\": 1]", "tru", "\"a", ",", "]", String(repeating: "[", count: 65)])
  func damaged(value: String) throws {
    let items = "[{\"attachments\": [{\"url\": \"https://example.com/1.mp3\"}]}]"
    let document = try FeedCase.document("{\"items\": \(items), \"x\": \(value), \"y\": 1}")
    #expect(document.episodes.count == 1)
    #expect(document.error?.code == .decoding)
  }

  @Test("more items than the limit are an error, and what follows them is read")
  func limit() throws {
    var limits = FeedLimits()
    limits.items = 2
    let item = "{\"attachments\": [{\"url\": \"https://example.com/1.mp3\"}]},"
    let feed = "{\"items\": [\(String(repeating: item, count: 9))1], \"title\": \"Show\"}"
    guard case .feed(let document) = try FeedReader.read(feed.utf8, limits: limits) else {
      Issue.record("This is no feed")
      return
    }
    #expect(document.episodes.count == 2)
    #expect(document.podcast.title == "Show")
    #expect(document.error?.message == "The feed lists more than 2 episodes.")
  }
}
