import PodcastFeeds
import PodcastModel
import Testing

/// Elements that were never closed, and HTML that was not escaped.
@Suite("Unclosed elements in feeds") struct FeedNestingTests {
  private static let second = FeedCase.item("", url: "https://example.com/2.mp3")
  private static let both = ["https://example.com/1.mp3", "https://example.com/2.mp3"]

  @Test(
    "in a description do not lose the items behind it",
    arguments: ["<br>", "<p>", "<li>", "<x:y>"],
    [1, 100, 199, 201, 5000])
  func description(tag: String, count: Int) throws {
    let text = String(repeating: "\(tag)a", count: count)
    for details in [false, true] {
      let document = try FeedCase.document(
        FeedCase.rss(
          FeedCase.item("<description>\(text)</description><guid>g</guid>") + Self.second),
        details: details)
      #expect(document.episodes.map(\.enclosure.url) == Self.both)
      #expect(document.episodes.first?.guid == "g")
      #expect(document.error == nil)
    }
  }

  @Test(
    "do not lose the items behind them, wherever they are",
    arguments: ["item", "item without end", "channel", "channel's description"])
  func places(place: String) throws {
    let unclosed = String(repeating: "<b>a", count: 300)
    let channel =
      switch place {
      case "item": FeedCase.item(unclosed)
      case "item without end": FeedCase.item(unclosed).replacing("</item>", with: "")
      case "channel": unclosed + FeedCase.item("")
      default: "<description>\(unclosed)</description>" + FeedCase.item("")
      }
    let document = try FeedCase.document(FeedCase.rss(channel + Self.second))
    #expect(document.podcast.title == "Show")
    #expect(document.episodes.map(\.enclosure.url) == Self.both)
    #expect(document.error == nil)
  }

  @Test("items are read when none of many is closed")
  func items() throws {
    let items = (0..<1000).map {
      "<item><title>\($0)</title><enclosure url=\"https://example.com/\($0).mp3\"/>"
    }
    let document = try FeedCase.document(FeedCase.rss(items.joined()))
    #expect(document.episodes.map(\.title) == (0..<1000).map { String($0) })
    #expect(document.error == nil)
  }

  @Test(
    "an image or an author that is never closed loses no episode",
    arguments: [
      "<image><url>https://example.com/i.jpg</url><title>I</title>",
      "<image href='https://example.com/i.jpg'>", "<atom:author><atom:name>A</atom:name>",
    ])
  func unclosedHead(head: String) throws {
    let items = (1...2).map {
      FeedCase.item("<guid>\($0)</guid>", url: "https://example.com/\($0).mp3")
    }
    let document = try FeedCase.document(FeedCase.rss(head + items.joined()))
    #expect(document.episodes.map(\.guid) == ["1", "2"])
  }

  @Test("entries of Atom are read behind many unclosed elements")
  func entries() throws {
    let link = "<link rel=\"enclosure\" href=\"https://example.com/1.mp3\"/>"
    let entry = "<entry>\(link)<content>\(String(repeating: "<p>", count: 300))</entry>"
    let document = try FeedCase.document("<feed>\(entry)\(entry)<entry>\(link)</entry></feed>")
    #expect(document.episodes.count == 3)
  }

  @Test("elements of HTML that are always empty need no end tag in a description")
  func void() throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        FeedCase.item("<description>a<br>b<p>c<IMG src='x'>d<hr/>e<link>f</p></description>")),
      details: true)
    #expect(
      document.details.map(\.description) == ["a<br>b<p>c<IMG>d<hr>e<link>f</p>"])
    #expect(document.details.map(\.text) == ["a\nb\ncd\nef"])
  }

  @Test(
    "elements of feeds that are always empty need no slash",
    arguments: [
      "<enclosure url=\"https://example.com/1.mp3\">", "<itunes:image href='https://e.com/i'>",
      "<atom:link rel='alternate' href='https://e.com/'>",
      "<media:thumbnail url='https://e.com/i'>",
      "<podcast:transcript url='https://e.com/t' type='text/vtt'>",
      "<podcast:chapters url='https://e.com/c'>",
    ])
  func empty(tag: String) throws {
    let name = tag.dropFirst().prefix { $0 != " " }
    for end in ["", "</\(name)>"] {
      let text = String(repeating: tag + end, count: 300)
      let document = try FeedCase.document(
        FeedCase.rss(
          "\(text)<itunes:author>A</itunes:author><item>\(text)<guid>g</guid>"
            + "<pubDate>Tue, 05 Mar 2024 12:00:00 GMT</pubDate>"
            + "<enclosure url=\"https://example.com/1.mp3\"/></item>" + Self.second), details: true)
      #expect(document.podcast.author == "A")
      #expect(document.episodes.map(\.enclosure.url) == Self.both)
      #expect(document.episodes.first?.guid == "g")
      #expect(document.episodes.first?.date != nil)
      #expect(document.error == nil)
    }
  }

  @Test("an image of RSS keeps its title, whatever attributes it has") func imageOfRSS() throws {
    let image =
      "<image href='https://e.com/'><url>https://e.com/i</url><title>Cover</title></image>"
    let document = try FeedCase.document("<rss><channel>\(image)<title>T</title></channel></rss>")
    #expect(document.podcast.title == "T")
    #expect(document.podcast.artworkURL == "https://e.com/i")
  }

  @Test("an image with an address in it keeps its title")
  func image() throws {
    let image = "<itunes:image><url>https://e.com/i</url><title>Cover</title></itunes:image>"
    #expect(
      try FeedCase.document(
        FeedCase.rss(
          "<item>\(image)<title>T</title><enclosure url='https://e.com/1'/></item>")
      )
      .episodes.map(\.title) == ["T"])
  }

  @Test("the link of an item is no element of HTML")
  func link() throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        FeedCase.item(
          "<description>a<br></description><link>https://example.com/one</link><guid>g</guid>")),
      details: true)
    #expect(document.details.map(\.link) == ["https://example.com/one"])
    #expect(document.episodes.map(\.guid) == ["g"])
  }

  @Test("text of an unclosed element is not used for another one")
  func lostText() throws {
    let document = try FeedCase.document(
      "<rss><channel><title>Lost<item><title>One</title>"
        + "<enclosure url=\"https://example.com/1.mp3\"/></item>junk"
        + "<item><enclosure url=\"https://example.com/2.mp3\"/></item>junk</title>"
        + "<title>Show</title></channel></rss>")
    #expect(document.podcast.title == "Show")
    #expect(document.episodes.map(\.title) == ["One", "Untitled episode"])
  }
}
