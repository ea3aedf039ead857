import PodcastFeeds
import PodcastModel
import Testing

@testable import PodcastFeeds

/// Descriptions and other details are read only on request.
@Suite("Details of episodes in feeds") struct FeedDetailsTests {
  private static let item = FeedCase.item(
    """
    <link>/one</link><description>Short &amp;amp; plain</description>
    <content:encoded><![CDATA[<p>First <b>words</b>&nbsp;&amp; more</p><p>Second<br/>third</p>]]>
    </content:encoded><itunes:explicit>Clean</itunes:explicit>
    <podcast:chapters url="chapters.json" type="application/json+chapters"/>
    <podcast:transcript url="https://example.com/1.vtt" type="text/vtt" language="en"/>
    <podcast:person role="Guest" href="https://example.com/ann">Ann</podcast:person>
    <podcast:person>Bob</podcast:person>
    """)

  @Test("are kept on request")
  func details() throws {
    let document = try FeedCase.document(
      FeedCase.rss(Self.item), url: "https://example.com/show/", details: true)
    let details = try #require(document.details.first)
    #expect(document.details.count == 1)
    #expect(
      details.description
        == "<p>First <b>words</b>&nbsp;&amp; more</p><p>Second<br/>third</p>")
    #expect(details.text == "First words & more\nSecond\nthird")
    #expect(details.link == "https://example.com/one")
    #expect(details.chaptersURL == "https://example.com/show/chapters.json")
    #expect(details.transcripts.map(\.url) == ["https://example.com/1.vtt"])
    #expect(details.transcripts.map(\.language) == ["en"])
    #expect(details.persons.map(\.name) == ["Ann", "Bob"])
    #expect(details.persons.map(\.role) == ["guest", "host"])
    #expect(details.isExplicit == false)
  }

  @Test(
    "descriptions are left out, or cut, on request",
    arguments: [
      FeedCase.rss(
        FeedCase.item("<link>https://e.example/1</link><description>Notes of it</description>")),
      #"{"version":"https://jsonfeed.org/version/1.1","title":"A","items":[{"id":"1","#
        + #""url":"https://e.example/1","content_html":"Notes of it","attachments":"#
        + #"[{"url":"https://e.example/1.mp3","mime_type":"audio/mpeg"}]}]}"#,
    ])
  func withoutDescriptions(feed: String) throws {
    for (bytes, description) in [(0, nil), (5, "Notes"), (FeedLimits.textBytes, "Notes of it")] {
      var limits = FeedLimits()
      limits.descriptionBytes = bytes
      let content = try FeedReader.read(feed.utf8, details: true, limits: limits)
      guard case .feed(let document) = content else {
        Issue.record("no feed")
        return
      }
      #expect(document.details.map(\.description) == [description])
      #expect(document.details.map(\.link) == ["https://e.example/1"])
    }
  }

  @Test(
    "a guid that is an address is the link where there is none",
    arguments: [
      ("<guid isPermaLink=\"true\">https://e.example/1</guid>", "https://e.example/1"),
      ("<guid> https://e.example/1 </guid>", "https://e.example/1"),
      ("<guid isPermaLink=\"False\">https://e.example/1</guid>", nil),
      ("<guid isPermaLink=\"true\">id-7</guid>", nil),
      ("<guid>https://e.example/1</guid><link>https://e.example/2</link>", "https://e.example/2"),
    ] as [(String, String?)])
  func permalink(item: String, link: String?) throws {
    let document = try FeedCase.document(
      FeedCase.rss(FeedCase.item(item)), url: "https://example.com/", details: true)
    #expect(document.details.map(\.link) == [link])
  }

  @Test("chapters in the feed itself are read, by their beginnings") func chapters() throws {
    let chapters = """
      <psc:chapters version="1.2" xmlns:psc="http://podlove.org/simple-chapters/">
      <psc:chapter start="01:02:03.5" title="Two &amp;amp; more" href="/two" image="x"/>
      <psc:chapter start="0" title=" "/><psc:chapter title="lost"/><psc:chapter start="x" title="y"/>
      </psc:chapters>
      """
    let document = try FeedCase.document(
      FeedCase.rss(FeedCase.item(chapters)), url: "https://example.com/", details: true)
    #expect(
      document.details.map(\.chapters) == [
        [
          Chapter(start: .zero, title: "Untitled chapter"),
          Chapter(
            start: .milliseconds(3_723_500), title: "Two & more", url: "https://example.com/two"),
        ]
      ])
    #expect(document.episodes.map(\.title) == ["One"])
  }

  @Test("are not kept otherwise, and the episodes are the same")
  func noDetails() throws {
    let feed = FeedCase.rss(Self.item)
    let without = try FeedCase.document(feed)
    #expect(without.details.isEmpty)
    #expect(try FeedCase.document(feed, details: true).episodes == without.episodes)
  }

  @Test("markup that is not escaped is part of a description")
  func markup() throws {
    let document = try FeedCase.document(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><title>A <b>b</b></title>
        <link rel="enclosure" href="https://example.com/1.mp3"/>
        <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One</p><p>Two</p></div>
        </content></entry></feed>
      """, details: true)
    #expect(document.episodes.map(\.title) == ["A b"])
    #expect(document.details.map(\.description) == ["<div><p>One</p><p>Two</p></div>"])
    #expect(document.details.map(\.text) == ["One\nTwo"])
  }

  @Test(
    "text of a description has no markup",
    arguments: [
      ("plain\ntwo lines", "plain\ntwo lines"), ("a<br>b<BR/>c", "a\nb\nc"),
      ("<ul><li>one</li>\n<li>two</li></ul>", "one\ntwo"), ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
      ("<style>p{}</style>x<script>alert(1)</script>y", "xy"), ("<!-- no -->x", "x"),
      ("<!-- a > b <p>c</p> -->x", "x"), ("<!-->x<!--->y", "xy"), ("x<!-- a", "x"),
      ("<script>a = '</b>' > '<p>'</script>x", "x"), ("<STYLE>a > b{}</Style >x", "x"),
      ("x<script>a</scripts></script", "x"), ("<script src='a'></script>x", "x"),
    ])
  func text(html: String, expected: String) {
    #expect(DescriptionText.text(html) == expected)
  }
}
