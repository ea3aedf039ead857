import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastModel
@testable import PodcastTransfer

/// Feeds in pages (RFC 5005) as one list.
@Suite("Pages of a feed") struct FeedPagesTests {
  /// An item: its title, its guid, its file, and its day in January 2026.
  private typealias Item = (title: String, guid: String?, file: String, day: Int)

  private static func page(_ items: [Item], next: String? = nil) -> ScriptedTransport.Answer {
    let link = next.map { "<atom:link rel=\"next\" href=\"\($0)\"/>" } ?? ""
    let items = items.map { item in
      let guid = item.guid.map { "<guid>\($0)</guid>" } ?? ""
      return "<item><title>\(item.title)</title>\(guid)<pubDate>\(item.day) Jan 2026</pubDate>"
        + "<enclosure url=\"https://cdn.example/\(item.file)\" type=\"audio/mpeg\"/></item>"
    }
    return ScriptedTransport.Answer(
      body: Array(FeedCase.rss(link + items.joined()).utf8))
  }

  /// The titles of all pages together.
  private func titles(_ pages: [[Item]]) async throws -> [String] {
    func address(_ number: Int) -> String { "https://feed.example/\(number)" }
    let script = pages.enumerated().map { number, items in
      let next = number + 1 < pages.count ? address(number + 1) : nil
      return (address(number), [Self.page(items, next: next)])
    }
    let catalog = FeedCatalog(
      transport: ScriptedTransport(Dictionary(uniqueKeysWithValues: script)),
      retries: RetryPolicy(retries: 0))
    let url = try #require(FeedURL(address(0)))
    let feed = try await catalog.feed(at: url, details: true) { _ in false }
    #expect(feed.document.error == nil)
    #expect(feed.document.details.count == feed.document.episodes.count)
    return feed.document.episodes.map(\.title)
  }

  @Test("other episodes with the guid of an earlier page are listed")
  func repeatedGUIDs() async throws {
    let found = try await titles([
      [("Three", "same", "3.mp3", 3), ("Two", "same", "2.mp3", 2)],
      [("One", "same", "1.mp3", 1)], [("Zero", "same", "feed.mp3", 1)],
    ])
    #expect(found == ["Three", "Two", "One", "Zero"])
  }

  @Test("other episodes at the address of an earlier page are listed")
  func repeatedAddresses() async throws {
    let found = try await titles([
      [("Three", nil, "news.mp3", 3)], [("Two", nil, "news.mp3", 2)],
      [("Two", "b", "news.mp3", 2)],
    ])
    #expect(found == ["Three", "Two", "Two"])
  }

  @Test(
    "an episode that stands on two pages is listed once, with a corrected title or date too",
    arguments: [
      ("Two", "g2", "2.mp3?x=1", 2), ("Two, corrected", "g2", "2.mp3?x=1", 2),
      ("Two", "g2", "2.mp3?x=1", 9),
    ] as [(String, String?, String, Int)])
  func repetition(title: String, guid: String?, file: String, day: Int) async throws {
    let found = try await titles([
      [("Three", "g3", "3.mp3", 3), ("Two", "g2", "2.mp3?x=1", 2)],
      [(title, guid, file, day), ("One", "g1", "1.mp3", 1)],
    ])
    #expect(found == ["Three", "Two", "One"])
  }

  /// Reads a feed whose first page links to another one.
  private func feed(
    _ address: String, next: String, answering last: String
  ) async throws -> FeedDocument {
    let catalog = FeedCatalog(
      transport: ScriptedTransport([
        address: [Self.page([("Two", "2", "2.mp3", 2)], next: next)],
        last: [Self.page([("One", "1", "1.mp3", 1)], next: next)],
      ]), retries: RetryPolicy(retries: 0))
    let url = try #require(FeedURL(address))
    return try await catalog.feed(at: url) { _ in false }.document
  }

  @Test(
    "a page at plain http is asked for over https, if the feed came from that host so",
    arguments: [
      ("https://feed.example/a", "http://feed.example/2?p=%20x", "https://feed.example/2?p=%20x"),
      ("https://feed.example/a", "HTTP://Feed.Example:80/2", "https://feed.example/2"),
      ("https://feed.example:444/a", "http://feed.example:444/2", "https://feed.example:444/2"),
      ("http://feed.example/a", "http://feed.example/2", "http://feed.example/2"),
    ])
  func encrypted(address: String, next: String, last: String) async throws {
    let document = try await feed(address, next: next, answering: last)
    #expect(document.error == nil)
    #expect(document.episodes.map(\.title) == ["Two", "One"])
  }

  @Test(
    "a page at plain http elsewhere is refused, with the reason",
    arguments: ["http://other.example/2", "http://feed.example:8080/2"])
  func refused(next: String) async throws {
    let document = try await feed("https://feed.example/a", next: next, answering: next)
    #expect(document.episodes.map(\.title) == ["Two"])
    let host = next.contains("other") ? "other.example" : "feed.example"
    #expect(
      document.error?.message
        == "Page 2 of the feed could not be read: "
        + "feed.example links from https to plain http at \(host).")
    #expect(document.error?.remedy == .allowInsecureRedirects)
  }

  @Test("every feed that is asked at once has a thread to be parsed by") func threads() {
    #expect(FeedCatalog.threads >= FeedPlaces.atOnce)
  }
}
