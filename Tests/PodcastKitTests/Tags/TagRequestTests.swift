import Foundation
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

/// What podget-tag is asked for.
@Suite("Tag request") struct TagRequestTests {
  private func request(
    _ title: String = "One", guid: String? = nil, feed: String? = nil, isPrivate: Bool = false
  ) -> TagRequest {
    TagRequest(
      Episode(
        guid: guid, title: title, date: Date(timeIntervalSince1970: 1_700_000_000.5),
        enclosure: Enclosure(url: "https://example.org/1.mp3"), season: 2, number: 0),
      of: Podcast(title: "Cast", feedURL: feed.flatMap { FeedURL($0) }), isPrivate: isPrivate)
  }

  @Test func `texts are cleaned and cut at complete characters`() {
    #expect(request(" a\u{0}b\u{7}\n\u{202E}c ").title == "a b   c")
    #expect(request(String(repeating: "ü", count: 800)).title.utf8.count == 1_000)
    #expect(request(String(repeating: "€", count: 800)).title.utf8.count == 999)
    var long = request()
    long.describe("\n\u{0}one\r\ntwo\t3\u{1B}[31m\n" + String(repeating: "x", count: 100_000))
    #expect(long.description.hasPrefix("one\ntwo\t3[31m\n"))
    #expect(long.description.utf8.count == 64 << 10)
    #expect(request().date == "2023-11-14T22:13:20Z")
    #expect(request().season == 2 && request().number == nil)
  }

  @Test func `nothing in a file opens a private feed`() {
    #expect(request(feed: "https://example.org/feed").feed == "https://example.org/feed")
    #expect(request(guid: "https://example.org/1").guid == "https://example.org/1")
    for secret in [
      "https://ann:secret@example.org/feed", "https://example.org/feed?token=abcdefgh12345678",
      "https://example.org/premium/abcdefgh12345678abcdefgh/rss",
      "https://example.org/feed/1/private/0c9f1f2e-3b1a-4f6d-9c55-0a8b7c6d5e4f.rss",
      "https://example.org/feed/aB3dE6gH9jK2mN5pQ8sTu.rss",
    ] {
      #expect(request(feed: secret).feed == "")
      #expect(request(guid: secret).guid == "")
      var linked = request()
      linked.link(secret)
      #expect(linked.page == "")
      linked.describe("Listen (\(secret)), or at https://example.org/1 <b>")
      #expect(
        !linked.description.contains("abcdefgh1234") && !linked.description.contains("0c9f1f"))
      #expect(!linked.description.contains("ann:secret") && !linked.description.contains("aB3dE6"))
      #expect(linked.description.hasPrefix("Listen ("))
      #expect(linked.description.hasSuffix(", or at https://example.org/1 <b>"))
    }
    // With a login no address says what it opens.
    var login = request(
      guid: "https://example.org/1", feed: "https://example.org/feed", isPrivate: true)
    login.link("https://example.org/1")
    #expect(login.feed == "" && login.guid == "" && login.page == "")
    #expect(request(guid: "guid-1", isPrivate: true).guid == "guid-1")
  }

  @Test func `a subscription with a login or a token is private`() {
    var login = Subscription(
      name: "a", title: "A", feedURL: FeedURL("https://example.org/a"), id: 1)
    login.settings[.passwordCommand] = "pass show a"
    let subscribed = SubscribedSettings()
    subscribed.use(
      [
        login,
        Subscription(name: "b", title: "B", feedURL: FeedURL("https://example.org/b"), id: 2),
        Subscription(
          name: "c", title: "C", feedURL: FeedURL("https://example.org/c?token=abcdefgh12345678"),
          id: 3),
      ], counting: [])
    let found = (1...3).map { subscribed.own(of: Podcast(id: $0, title: "x")).isPrivate }
    #expect(found == [true, false, true])
  }

  @Test func `without the list of subscriptions every podcast may be private`() throws {
    let folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    func isPrivate() -> Bool {
      SubscribedSettings(of: library).own(of: Podcast(title: "A")).isPrivate
    }
    #expect(!isPrivate())
    try folder.write("library/.podget/subscriptions.opml", "<opml><body></opm>")
    #expect(isPrivate())
    try folder.write("library/.podget/subscriptions.opml", "<opml><body/></opml>")
    #expect(!isPrivate())
  }

  @Test func `an MP3 file gets no more chapters than its table can have`() {
    for (count, format, isThere) in [
      (255, TaggedFormat.mp3, true), (256, .mp3, false), (256, .opus, true), (3, .mp4, false),
    ] {
      var chaptered = request()
      chaptered.divide((0..<count).map { (.seconds($0), "Chapter") }, end: nil)
      let bytes = chaptered.bytes(for: format, writes: true)
      #expect((bytes.firstRange(of: Data("Chapter".utf8)) != nil) == isThere)
      #expect((chaptered.omission(for: format) != nil) == (count == 256 && format == .mp3))
    }
  }

  @Test func `chapters end where the next one begins`() {
    var chaptered = request()
    chaptered.divide(
      [(.seconds(60), "Two"), (.zero, "One"), (.seconds(-1), "No"), (.seconds(90), "\u{0}")],
      end: .seconds(100))
    #expect(
      chaptered.chapters == [
        .init(start: 0, end: 60_000, title: "One"),
        .init(start: 60_000, end: 100_000, title: "Two"),
      ])
    let many = (0..<5_000).map { (start: Duration.seconds($0), title: "\($0)") }
    chaptered.divide(many, end: nil)
    #expect(chaptered.chapters.count == TagRequest.mostChapters)
    #expect(chaptered.chapters.last?.end == chaptered.chapters.last?.start)
  }

  @Test func `a picture is JPEG or PNG`() {
    var illustrated = request()
    illustrated.illustrate(Data("RIFF....WEBP".utf8))
    #expect(illustrated.picture == nil)
    illustrated.illustrate(Data([0xFF, 0xD8, 0xFF, 0xE0]))
    #expect(illustrated.picture?.mediaType == "image/jpeg")
    illustrated.illustrate(Data(repeating: 0xFF, count: TagRequest.largestPicture + 1))
    #expect(illustrated.picture?.bytes.count == 4)
  }
}
