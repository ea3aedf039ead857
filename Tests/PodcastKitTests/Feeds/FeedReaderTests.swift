import FoundationEssentials
import PodcastFeeds
import PodcastModel
import Testing

/// RSS, RDF and Atom: what the elements mean.
@Suite("Feed reader") struct FeedReaderTests {
  @Test("RSS gives the podcast and its episodes")
  func rss() throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        """
        <itunes:author>Somebody</itunes:author><itunes:image href="/cover.jpg"/>
        <image><title>Not this</title><url>https://example.com/old.png</url></image>
        <atom:link rel="self" href="https://example.com/feed"/>
        <atom:link rel="next" href="?page=2"/>
        <itunes:new-feed-url> https://example.org/new </itunes:new-feed-url>
        <itunes:block>Yes</itunes:block><itunes:complete>yes</itunes:complete><ttl>60</ttl>
        <podcast:guid>917393e3-1b1e-5cef-ace4-edaa54e1f810</podcast:guid>
        <podcast:medium>Music</podcast:medium><podcast:locked owner="a@b">yes</podcast:locked>
        <podcast:funding url="https://example.com/give">Give</podcast:funding>
        <item><title> One
          &amp; two </title><guid isPermaLink="false"> abc </guid>
          <pubDate>Tue, 05 Mar 2024 12:30:00 +0100</pubDate>
          <enclosure url="https://example.com/1.mp3?a=1&amp;b=2" length="1234" type="audio/mpeg"/>
          <itunes:duration>1:02:03</itunes:duration><itunes:season>2</itunes:season>
          <itunes:episode>7</itunes:episode><itunes:episodeType>Bonus</itunes:episodeType>
          <itunes:image href="https://example.com/one.jpg"/></item>
        <item><title>A text</title><link>https://example.com/text</link></item>
        """), url: "https://example.com/show/feed.xml")
    #expect(document.format == .rss)
    #expect(document.podcast.title == "Show")
    #expect(document.podcast.author == "Somebody")
    #expect(document.podcast.artworkURL == "https://example.com/cover.jpg")
    #expect(document.podcast.feedURL?.text == "https://example.com/show/feed.xml")
    #expect(document.selfURL?.text == "https://example.com/feed")
    #expect(document.nextPage?.text == "https://example.com/show/feed.xml?page=2")
    #expect(document.newFeedURL?.text == "https://example.org/new")
    #expect(document.isBlocked && document.isComplete && document.isLocked)
    #expect(document.ttl == .seconds(3600))
    #expect(document.podcastGUID == "917393e3-1b1e-5cef-ace4-edaa54e1f810")
    #expect(document.medium == "music")
    #expect(document.funding.map(\.url) == ["https://example.com/give"])
    #expect(document.unplayableCount == 1)
    #expect(document.error == nil)
    #expect(
      document.episodes == [
        Episode(
          guid: "abc", title: "One & two", date: Date(timestamp: "2024-03-05T11:30:00Z"),
          duration: .seconds(3723),
          enclosure: Enclosure(
            url: "https://example.com/1.mp3?a=1&b=2", length: 1234, mimeType: "audio/mpeg"),
          season: 2, number: 7, kind: .bonus, artworkURL: "https://example.com/one.jpg")
      ])
  }

  @Test("Atom gives entries with enclosure links")
  func atom() throws {
    let document = try FeedCase.document(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/a/">
        <title type="html">Atom show</title><author><name>Somebody</name></author>
        <logo>logo.png</logo>
        <entry><id>tag:1</id><title>Entry</title><published>2024-03-05T12:00:00.5+01:00</published>
          <updated>2024-04-01T00:00:00Z</updated>
          <link rel="alternate" href="page"/>
          <link rel="enclosure" href="b/1.ogg" length="0" type="audio/ogg"/>
          <source><title>Another feed</title></source></entry>
        <entry><id>tag:2</id><title>No sound</title></entry>
      </feed>
      """)
    #expect(document.format == .atom)
    #expect(document.podcast.title == "Atom show")
    #expect(document.podcast.author == "Somebody")
    #expect(document.podcast.artworkURL == "https://example.com/a/logo.png")
    #expect(document.unplayableCount == 1)
    let episode = try #require(document.episodes.first)
    #expect(episode.title == "Entry")
    #expect(episode.guid == "tag:1")
    #expect(episode.date == Date(timestamp: "2024-03-05T11:00:00.5Z"))
    #expect(
      episode.enclosure == Enclosure(url: "https://example.com/a/b/1.ogg", mimeType: "audio/ogg"))
  }

  @Test("RSS 1.0 has its items next to the channel")
  func rdf() throws {
    let document = try FeedCase.document(
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel rdf:about="https://example.com"><title>RDF show</title></channel>
        <item rdf:about="https://example.com/1"><title>One</title><dc:date>2004-05-06</dc:date>
          <enclosure url="https://example.com/1.mp3" length="5"/></item>
      </rdf:RDF>
      """)
    #expect(document.format == .rdf)
    #expect(document.podcast.title == "RDF show")
    #expect(document.episodes.map(\.guid) == ["https://example.com/1"])
    #expect(document.episodes.first?.date == Date(timestamp: "2004-05-06"))
  }

  // Learnt from podverse-test-feed.xml, which two reference parsers read differently.
  @Test("a live item is no episode, and its title is not the podcast's")
  func liveItem() throws {
    let document = try FeedCase.document(
      "<rss xmlns:podcast=\"https://podcastindex.org/namespace/1.0/\"><channel>"
        + "<podcast:liveItem status=\"live\"><title>Live</title>"
        + "<enclosure url=\"https://example.com/live\" type=\"audio/mpeg\"/></podcast:liveItem>"
        + "<title>Show</title></channel></rss>")
    #expect(document.podcast.title == "Show")
    #expect(document.episodes.isEmpty)
    #expect(document.unplayableCount == 0)
  }

  @Test("a trailer of the channel is listed apart from the episodes")
  func trailer() throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        """
        <podcast:trailer pubdate="Thu, 01 Apr 2021 08:00:00 EST" length="12" type="audio/mp3"
          url="https://example.com/t.mp3">Coming soon</podcast:trailer>
        """))
    #expect(document.episodes.isEmpty)
    #expect(document.trailers.map(\.title) == ["Coming soon"])
    #expect(document.trailers.map(\.kind) == [.trailer])
    #expect(document.trailers.first?.date == Date(timestamp: "2021-04-01T13:00:00Z"))
  }

  // As in the de-grote feeds, whose itunes prefix has no namespace.
  @Test(
    "the vocabulary of Apple is known however it is declared",
    arguments: [
      "", "xmlns:itunes=\"http://www.itunes.com/DTDs/Podcast-1.0.dtd\"",
      "xmlns:itunes=\"https://www.itunes.com/dtds/podcast-1.0.dtd/\"",
    ])
  func namespaces(declaration: String) throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        FeedCase.item("<itunes:duration>90</itunes:duration>"), namespaces: declaration))
    #expect(document.episodes.first?.duration == .seconds(90))
  }

  @Test("another prefix of the same namespace means the same")
  func otherPrefix() throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        FeedCase.item("<x:duration>90</x:duration><itunes:duration>5</itunes:duration>"),
        namespaces: "xmlns:x=\"http://www.itunes.com/dtds/podcast-1.0.dtd\" "
          + "xmlns:itunes=\"urn:other\""))
    #expect(document.episodes.first?.duration == .seconds(90))
  }

  @Test(
    "a list of subscriptions is no feed, and is called what it is",
    arguments: [
      "<opml version=\"2.0\"><head/><body><outline xmlUrl=\"https://e.com/f\"/></body></opml>",
      "<?xml version=\"1.0\"?><!-- x --><OPML><body>",
    ])
  func subscriptions(text: String) {
    let error = #expect(throws: PodgetError.self) { try FeedReader.read(text.utf8) }
    #expect(error?.code == .decoding && error?.remedy == .importSubscriptions)
  }

  @Test("itunes:title never replaces a title, wherever it is")
  func titles() throws {
    #expect(try FeedCase.episode("<itunes:title>Two</itunes:title>").title == "One")
    let document = try FeedCase.document(
      FeedCase.rss(
        "<item><itunes:title>Two</itunes:title><title>One</title>"
          + "<enclosure url=\"https://example.com/1\"/></item>"
          + "<item><itunes:title>Two</itunes:title><enclosure url=\"https://example.com/2\"/></item>"
          + "<item><title> </title><enclosure url=\"https://example.com/3\"/></item>"))
    #expect(document.episodes.map(\.title) == ["One", "Two", "Untitled episode"])
  }

  @Test("one episode takes less than a KiB, whatever its description")
  func memory() throws {
    let text = String(repeating: "<p>many words</p>", count: 10_000)
    let episode = try FeedCase.episode(
      "<guid>12345678-1234-1234-1234-1234567890ab</guid>"
        + "<description><![CDATA[\(text)]]></description>")
    let texts = [
      episode.title, episode.guid ?? "", episode.enclosure.url, episode.enclosure.mimeType ?? "",
      episode.artworkURL ?? "",
    ]
    let bytes = texts.reduce(MemoryLayout<Episode>.stride) { $0 + 32 + $1.utf8.count }
    #expect(bytes < 1024)
  }

  @Test("more items than the limit are an error, and the first ones are there")
  func limit() throws {
    var limits = FeedLimits()
    limits.items = 2
    let feed = FeedCase.rss(String(repeating: FeedCase.item(""), count: 3))
    guard case .feed(let document) = try FeedReader.read(feed.utf8, limits: limits) else { return }
    #expect(document.episodes.count == 2)
    #expect(document.error?.code == .decoding)
  }

  @Test("what follows the last permitted item is not read, in pieces of any size")
  func behindLimit() throws {
    var limits = FeedLimits()
    limits.items = 2
    let items = (0..<6).map { FeedCase.item("", url: "https://example.com/\($0).mp3") }
    let feed = FeedCase.rss(
      items[..<3].joined() + "<item><title>No sound</title></item><itunes:block>yes</itunes:block>"
        + String(repeating: items[3], count: 1000))
    let bytes = Array(feed.utf8)
    for size in [1, 1000, bytes.count] {
      let reader = FeedReader(limits: limits)
      for start in stride(from: 0, to: bytes.count, by: size) {
        bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.feed($0) }
      }
      guard case .feed(let document) = try reader.finish() else {
        Issue.record("This is no feed")
        return
      }
      #expect(document.episodes.count == 2)
      #expect(document.unplayableCount == 0)
      #expect(!document.isBlocked)
      #expect(document.error?.code == .decoding)
    }
  }

  @Test("bytes behind the limit cost nothing", .timeLimit(.minutes(5)))
  func costBehindLimit() throws {
    var limits = FeedLimits()
    limits.items = 1
    let reader = FeedReader(limits: limits)
    let items = Array(String(repeating: FeedCase.item(""), count: 1000).utf8)
    Array("<rss><channel>".utf8).withUnsafeBytes { reader.feed($0) }
    items.withUnsafeBytes { reader.feed($0) }
    // To read a gigabyte takes longer than the test may.
    for _ in 0..<10_000 { items.withUnsafeBytes { reader.feed($0) } }
    guard case .feed(let document) = try reader.finish() else { return }
    #expect(document.error?.message == "The feed lists more than 1 episodes.")
  }

  @Test(
    "a feed larger than the limit is an error", arguments: [FeedCase.rss(""), "{\"items\":[]}"])
  func size(feed: String) throws {
    var limits = FeedLimits()
    limits.bytes = feed.utf8.count - 1
    guard case .feed(let document) = try FeedReader.read(feed.utf8, limits: limits) else { return }
    #expect(document.error?.code == .decoding)
  }

  @Test("what is neither a feed nor a page is an error", arguments: ["", "  ", "hello", "<opml/>"])
  func noFeed(text: String) {
    #expect(throws: PodgetError.self) { try FeedReader.read(text.utf8) }
  }
}
