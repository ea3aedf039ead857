import Testing

@testable import PodcastFeeds
@testable import PodcastModel

/// Feeds and pages that are made to be expensive. Work is counted, since a time depends on the machine.
@Suite("Cost of hostile feeds") struct FeedCostTests {
  /// What is repeated until it has this many bytes.
  private static let bytes = 64 * 1024
  /// The address of a feed, with a query that is much longer than what refers to it.
  private static let url = "https://example.com/show/feed.xml?" + repeated("q", 15_000)
  private static let deep = "https://example.com/" + repeated("a/", 1000)

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  /// A feed of the usual size with a part again and again.
  private static func rss(
    before: String = "", _ part: String, after: String = "", base: String? = nil
  ) -> String {
    let count = bytes / part.utf8.count
    let attribute = base.map { "xml:base=\"\($0)\"" } ?? ""
    return FeedCase.rss(
      before + repeated(part, count) + after, namespaces: FeedCase.namespaces + " " + attribute)
  }

  private static func json(_ part: String) -> String {
    let count = bytes / part.utf8.count
    return "{\"version\":\"https://jsonfeed.org/version/1.1\",\(repeated(part, count))\"items\":[]}"
  }

  private static let ordinary = rss(
    """
    <item><title>An episode</title><guid>12345</guid><pubDate>Mon, 05 Jan 2026 10:00:00 +0000</pubDate>
    <enclosure url="https://cdn.example.com/show/1.mp3" length="1" type="audio/mpeg"/>
    <description>\(repeated("Some words of text. ", 40))</description></item>
    """)

  private static let itunes = "http://www.itunes.com/dtds/podcast-1.0.dtd"
  private static let namespaces = (0..<190).map { depth in
    "<a " + (0..<60).map { "xmlns:p\(depth)-\($0)='\(itunes)'" }.joined(separator: " ") + ">"
  }.joined()

  /// What was expensive once, or looks as if it were.
  static let hostile: [(name: String, text: String)] = [
    ("enclosures of one item", rss(before: "<item>", "<enclosure url='b'/>", after: "</item>")),
    (
      "enclosures of one item in a deep folder",
      rss(before: "<item>", "<enclosure url='b'/>", after: "</item>", base: deep)
    ),
    ("enclosures", rss("<item><enclosure url='b'/></item>")),
    (
      "bases",
      rss(before: "<item>", "<x xml:base='b/'><enclosure url='b'/></x>", base: deep)
    ),
    ("links of the feed", rss("<atom:link rel='self' href=''/>", base: deep)),
    (
      "transcripts",
      rss(
        before: "<item>", "<podcast:transcript url='b'/>",
        after: "<enclosure url='b'/></item>", base: deep)
    ),
    (
      "persons",
      rss(
        before: "<item>", "<podcast:person href='b'>n</podcast:person>",
        after: "<enclosure url='b'/></item>", base: deep)
    ),
    ("trailers", rss("<podcast:trailer url='b'>t</podcast:trailer>", base: deep)),
    ("funding", rss("<podcast:funding url='b'>t</podcast:funding>", base: deep)),
    ("namespaces", rss(before: namespaces, "<z:b/>")),
    (
      "names in namespaces",
      rss(before: namespaces + (0..<8000).map { "<z:b\($0)/>" }.joined(), "<b/>")
    ),
    ("declarations in namespaces", rss(before: namespaces, "<b xmlns:x='a'/>")),
    ("end tags", rss(before: repeated("<a>", 190), "</b>")),
    ("open elements", rss("<a>")),
    ("items in items", rss("<item>")),
    ("descriptions", rss(before: "<item>", "<description>a</description>")),
    ("references", rss(before: "<item><title>", "&nbsp;")),
    ("icons", json("\"icon\":\"b\",")),
    ("links of a page", "<html>" + repeated("<link rel=feed type=text/rss+xml href=b>", 1600)),
    (
      "links of a page with a base",
      "<html><base href='\(deep)'>" + repeated("<link rel=feed type=text/rss+xml href=b>", 1600)
    ),
  ]

  @Test("is at most fifty times that of an ordinary feed of that size", arguments: hostile)
  func cost(name: String, text: String) throws {
    let ordinary = try work(Self.ordinary)
    let bytes = max(text.utf8.count, Self.ordinary.utf8.count)
    #expect(try work(text) <= 50 * ordinary * bytes / Self.ordinary.utf8.count)
  }

  private func work(_ text: String) throws -> Int {
    let reader = FeedReader(url: FeedURL(Self.url), details: true)
    Array(text.utf8).withUnsafeBytes { reader.feed($0) }
    _ = try reader.finish()
    return reader.work
  }

  @Test("reading ends with an error where relative addresses pass their limit")
  func addressBytes() throws {
    var limits = FeedLimits()
    limits.addressBytes = 100_000
    for text in [
      Self.rss("<item><enclosure url='b'/></item>", base: Self.deep),
      "{\"items\":[" + Self.repeated("{\"attachments\":[{\"url\":\"b\"}]},", 5000) + "{}]}",
    ] {
      let url = FeedURL("https://example.com/" + Self.repeated("a/", 500))
      guard
        case .feed(let document) = try FeedReader.read(
          Array(text.utf8), url: url, details: true, limits: limits)
      else { throw PodgetError(.decoding, "no feed") }
      #expect(document.error?.message == "The feed's relative addresses are too long.")
      #expect(document.episodes.count > 10)
      let written = document.episodes.reduce(0) { $0 + $1.enclosure.url.utf8.count }
      #expect(written < limits.addressBytes + 4096)
    }
  }

  @Test("all details of an episode count, not only its description") func detailBytes() throws {
    var limits = FeedLimits()
    limits.detailBytes = 1000
    let item = FeedCase.item(Self.repeated("<podcast:transcript url='https://e.com/1'/>", 10))
    guard
      case .feed(let document) = try FeedReader.read(
        Array(FeedCase.rss(item + item).utf8), details: true, limits: limits)
    else { throw PodgetError(.decoding, "no feed") }
    #expect(document.details.map(\.transcripts.count) == [10, 0])
  }

  @Test("declarations of namespaces are bounded, and those of a closed element do not count")
  func namespaces() throws {
    let closed = Self.repeated(
      "<a " + (0..<60).map { "xmlns:p\($0)=\"u\"" }.joined(separator: " ") + "></a>", 5)
    let author = "<i:author xmlns:i='\(Self.itunes)'>A</i:author>"
    #expect(try FeedCase.document(FeedCase.rss(closed + author)).podcast.author == "A")
    var reader = MarkupReader(Declarations())
    Array(FeedCase.rss(Self.namespaces).utf8).withUnsafeBufferPointer { reader.add($0) }
    #expect(reader.target.names.bindingCount == ElementNames.maximumNamespaces)
  }

  /// Only declares namespaces.
  private struct Declarations: MarkupTarget {
    var names = ElementNames()
    var wantsText: Bool { false }

    mutating func start(_ name: UnsafeBufferPointer<UInt8>, _ attributes: ElementAttributes) {
      names.declare(attributes)
    }
    mutating func end(_ name: UnsafeBufferPointer<UInt8>) {}
    mutating func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
  }
}
