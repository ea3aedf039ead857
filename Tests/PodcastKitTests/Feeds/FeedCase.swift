import PodcastFeeds
import PodcastModel
import Testing

/// Small feeds for tests.
enum FeedCase {
  /// The document of a feed; the test fails when there is none.
  static func document(
    _ text: String, url: String? = nil, details: Bool = false
  ) throws -> FeedDocument {
    try document(Array(text.utf8), url: url, details: details)
  }

  /// The same for bytes, with the charset of the HTTP answer.
  static func document(
    _ bytes: [UInt8], url: String? = nil, charset: String? = nil, details: Bool = false
  ) throws -> FeedDocument {
    let content = try FeedReader.read(
      bytes, url: url.flatMap(FeedURL.init), charset: charset, details: details)
    guard case .feed(let document) = content else {
      Issue.record("This is no feed: \(content)")
      throw PodgetError(.decoding, "no feed")
    }
    return document
  }

  /// An RSS feed with something in its channel.
  static func rss(_ channel: String, namespaces: String = FeedCase.namespaces) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" \(namespaces)>"
      + "<channel><title>Show</title>\(channel)</channel></rss>"
  }

  /// An item with an enclosure and something more.
  static func item(_ more: String, url: String = "https://example.com/1.mp3") -> String {
    "<item><title>One</title><enclosure url=\"\(url)\" length=\"7\" type=\"audio/mpeg\"/>\(more)"
      + "</item>"
  }

  /// The only episode of an RSS feed with one item, which has an enclosure and something more.
  static func episode(_ more: String) throws -> Episode {
    let document = try document(rss(item(more)))
    #expect(document.error == nil)
    return try #require(document.episodes.first)
  }

  static let namespaces =
    "xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" "
    + "xmlns:podcast=\"https://podcastindex.org/namespace/1.0\" "
    + "xmlns:atom=\"http://www.w3.org/2005/Atom\" "
    + "xmlns:media=\"http://search.yahoo.com/mrss/\" "
    + "xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" "
    + "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
    + "xmlns:feedburner=\"http://rssnamespace.org/feedburner/ext/1.0\""
}
