import Testing

@testable import PodcastFeeds
@testable import PodcastModel

/// What the titles in feeds say.
@Suite("Titles in feeds") struct FeedTitleTests {
  private func title(_ element: String) throws -> String {
    let feed = FeedCase.rss(FeedCase.item("").replacing("<title>One</title>", with: element))
    return try #require(FeedCase.document(feed).episodes.first).title
  }

  @Test(
    "in RSS one more level of references is replaced",
    arguments: [
      ("<title><![CDATA[Rock &amp; Roll]]></title>", "Rock & Roll"),
      ("<title>Rock &amp;amp; Roll</title>", "Rock & Roll"),
      ("<title>Rock &amp; Roll</title>", "Rock & Roll"),
      ("<title><![CDATA[It&#8217;s &eacute;t&#xe9; &#146;n]]></title>", "It’s été ’n"),
      ("<itunes:title>A &amp;quot;B&amp;quot;</itunes:title>", "A \"B\""),
      ("<media:title>A &amp;hellip;</media:title>", "A …"),
      // Once, and nothing that is no reference.
      ("<title><![CDATA[HTML's &amp;amp; and &amp;lt;]]></title>", "HTML's &amp; and &lt;"),
      ("<title><![CDATA[Q&A; AT&T &copy &bogus; &#x110000;]]></title>", "Q&A; AT&T &copy &bogus;"),
      ("<title><![CDATA[<b>I</b> &lt;3 you]]></title>", "<b>I</b> <3 you"),
    ])
  func rss(element: String, expected: String) throws {
    #expect(try title(element) == expected)
  }

  @Test("the title of a picture is no episode's")
  func cover() throws {
    let cover = "<media:content url=\"c.jpg\" medium=\"image\"><media:title>Cover</media:title>"
    #expect(try title("\(cover)</media:content>") == "Untitled episode")
    #expect(
      try title(
        "<media:group>\(cover)</media:content><media:title>Song</media:title></media:group>")
        == "Song")
  }

  @Test("the podcast's title and the names of people are texts too") func names() throws {
    let document = try FeedCase.document(
      """
      <rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title><![CDATA[Rock &amp; Roll]]></title><itunes:author>A &amp;amp; B</itunes:author>
      </channel></rss>
      """)
    #expect(document.podcast.title == "Rock & Roll" && document.podcast.author == "A & B")
  }

  @Test(
    "in Atom the type says what a title is",
    arguments: [
      (
        "<title type=\"html\">R &amp;amp; &lt;b&gt;B&lt;/b&gt; &lt;br/&gt;&lt;3</title>", "R & B <3"
      ),
      ("<title type=\" HTML\"><![CDATA[R &amp; <i>B</i>]]></title>", "R & B"),
      ("<title type=\"html\">Plain</title>", "Plain"),
      ("<title type=\"text\">R &amp;amp; &lt;b&gt;</title>", "R &amp; <b>"),
      ("<title>R &amp;amp; B</title>", "R &amp; B"),
      ("<title type=\"xhtml\"><div>R &amp; <b>B</b></div></title>", "R & B"),
      ("<title type=\"text/html\" mode=\"escaped\">R &amp;amp; B</title>", "R & B"),
    ], ["xmlns=\"http://www.w3.org/2005/Atom\"", ""])
  func atom(title: (element: String, expected: String), namespace: String) throws {
    let feed = """
      <feed \(namespace)>\(title.element)<entry>\(title.element)
      <link rel="enclosure" href="https://example.com/1.mp3"/></entry></feed>
      """
    let document = try FeedCase.document(feed)
    #expect(document.podcast.title == title.expected)
    #expect(document.episodes.map(\.title) == [title.expected])
  }

  @Test(
    "with and without references it is the same title",
    arguments: [
      ("Rock &amp; Roll", "Rock & Roll"), ("It&#8217;s", "It’s"), ("It&#146;s", "It's"),
      ("caf&eacute; &amp;hellip;", "Café …"), ("A &amp;amp; B", "A & B"),
    ])
  func comparable(escaped: String, plain: String) {
    #expect(ComparableTitle.text(escaped) == ComparableTitle.text(plain))
    #expect(TitleReferences.isEscaped(escaped, of: plain))
    #expect(!TitleReferences.isEscaped(plain, of: escaped))
    #expect(!TitleReferences.isEscaped(escaped, of: "\(plain) 2"))
  }

  @Test(
    "an item without a title has the name of its file, if that says anything",
    arguments: [
      ("https://example.com/a/My%20Walk_2.mp3?x=1", "My Walk_2"),
      ("https://example.com/track/https%3A%2F%2Fcdn.example%2Fday%20one.mp3", "day one"),
      ("https://example.com/2024.05.01.m4a", "2024.05.01"),
      ("https://example.com/Default.mp3", "Untitled episode"),
      ("https://example.com/12.mp3", "Untitled episode"),
      ("https://example.com/", "Untitled episode"),
      ("https://example.com/a%1B%5B2Jb.mp3", "Untitled episode"),
    ])
  func untitled(address: String, expected: String) throws {
    let item = "<item><title> </title><enclosure url=\"\(address)\" type=\"audio/mpeg\"/></item>"
    #expect(try FeedCase.document(FeedCase.rss(item)).episodes.map(\.title) == [expected])
    let json =
      "{\"items\": [{\"attachments\": [{\"url\": \"\(address)\", \"mime_type\": \"audio/mpeg\"}]}]}"
    #expect(try FeedCase.document(json).episodes.map(\.title) == [expected])
  }

  @Test(
    "an item without a title and without a useful file name has the beginning of its description",
    arguments: [
      ("<p>A walk &amp; a talk.<br/>With Ada.</p>", "A walk & a talk."),
      (
        String(repeating: "word ", count: 30),
        String(repeating: "word ", count: 16).dropLast() + "…"
      ),
      (String(repeating: "é", count: 60), String(repeating: "é", count: 40)),
      ("<img src=\"a.png\"/>", "Untitled episode"),
    ])
  func described(description: String, expected: String) throws {
    let enclosure = "<enclosure url=\"https://example.com/1.mp3\" type=\"audio/mpeg\"/>"
    let item = "<item>\(enclosure)<description><![CDATA[\(description)]]></description></item>"
    for details in [false, true] {
      let titles = try FeedCase.document(FeedCase.rss(item), details: details).episodes.map(\.title)
      #expect(titles == [expected])
    }
    let quoted = description.replacing("\"", with: "\\\"")
    let json = """
      {"items": [{"content_html": "\(quoted)",
        "attachments": [{"url": "https://example.com/1.mp3", "mime_type": "audio/mpeg"}]}]}
      """
    #expect(try FeedCase.document(json).episodes.map(\.title) == [expected])
  }
}
