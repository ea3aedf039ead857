import PodcastFeeds
import PodcastModel
import Testing

/// Feeds that are not well formed.
@Suite("Damaged feeds") struct FeedRepairTests {
  private func title(_ text: String) throws -> String {
    let document = try FeedCase.document("<rss><channel><title>\(text)</title></channel></rss>")
    #expect(document.error == nil)
    return document.podcast.title
  }

  @Test(
    "references are repaired",
    arguments: [
      ("A & B", "A & B"), ("A &amp; B", "A & B"), ("A &amp;amp; B", "A & B"),
      ("caf&eacute;&nbsp;x", "café\u{A0}x"), ("&gtgt; &foo; &", "&gtgt; &foo; &"),
      ("a&#x1;b&#0;c", "abc"), ("&#146;&#8217;&#x2019;", "’’’"), ("&lt;b&gt;", "<b>"),
      ("&#xD800;&#99999999999;x", "x"), ("<![CDATA[A & B &amp; <c>]]>", "A & B & <c>"),
      ("a ]]&gt; b ]]> c", "a ]]> b ]]> c"), ("1 < 2", "1 < 2"), ("a<!-- b -->c", "ac"),
      ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"), ("a <b>c</i> d", "a c d"),
      ("a<?php echo 1 ?>b", "ab"), ("<größe>x", "x"),
    ])
  func references(text: String, expected: String) throws {
    #expect(try title(text) == expected)
  }

  @Test(
    "junk before and behind the root is ignored",
    arguments: [
      "\n\n  ", "<br />\n<b>Warning</b>: mysql & such in /x on line 3<br>", "\u{FEFF}",
      "<?xml version='1.0'?><?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"utf-8\">",
      "<?xml version='1.0' ><?xml-stylesheet href='a.xsl'>", "<?php echo \"<a> -> <rss>\" ?>",
      "<!DOCTYPE rss [<!ENTITY a \"b\"> <!-- it's -->]>",
      "<!DOCTYPE rss PUBLIC \"-//N//DTD RSS 0.91//EN\" \"http://my.netscape.com/rss.dtd\">",
      "<!-- <rss> --> <?xml-stylesheet href=\"x\"?>",
    ])
  func junk(before: String) throws {
    let feed = before + "<rss><channel><title>T</title></channel></rss>\n<p>&junk <rss>"
    let document = try FeedCase.document(feed)
    #expect(document.podcast.title == "T")
    #expect(document.error == nil)
  }

  @Test(
    "attributes are read however they are written",
    arguments: [
      "<enclosure url='https://e.com/1?a=1&b=2' type='audio/mpeg'/>",
      "<enclosure url = \"https://e.com/1?a=1&amp;b=2\" type = \"audio/mpeg\" />",
      "<enclosure type=\"audio/mpeg\"url=\"https://e.com/1?a=1&b=2\"/>",
      "<enclosure\nURL=https://e.com/1?a=1&b=2 Type=audio/mpeg ></enclosure>",
      "<enclosure url=\"https://e.com/1?a=1&b=2\" url=\"https://e.com/2\" type=\"audio/mpeg\"/>",
      "<enclosure url=\"https://e.com/1?a=1&b=2\" title=\"a > b < c\" type=\"audio/mpeg\"/>",
      "<enclosure url=\"https://e.com/1?a=1&b=2\" é=\"x\" 1=\"y\" type=\"audio/mpeg\">",
    ])
  func attributes(enclosure: String) throws {
    let document = try FeedCase.document(FeedCase.rss("<item>\(enclosure)</item>"))
    #expect(
      document.episodes.map(\.enclosure) == [
        Enclosure(url: "https://e.com/1?a=1&b=2", mimeType: "audio/mpeg")
      ])
  }

  @Test("end tags that are missing, wrong or too many do not lose episodes")
  func nesting() throws {
    let document = try FeedCase.document(
      FeedCase.rss(
        "<itunes:category text=\"A\"><itunes:category text=\"B\">"
          + FeedCase.item("<description>a <p>b <br> c</description></nothing>")
          + FeedCase.item("</p></b>", url: "https://example.com/2.mp3")
          + "<item><title>Three<enclosure url=\"https://example.com/3.mp3\"/></item>"
          + "<item><enclosure url=\"https://example.com/4.mp3\"/><title>Four</title>"
          + "<item><enclosure url=\"https://example.com/5.mp3\"/></Item>"))
    #expect(document.error == nil)
    #expect(
      document.episodes.map(\.enclosure.url)
        == ["1", "2", "4", "5"].map { "https://example.com/\($0).mp3" })
    #expect(document.unplayableCount == 1)
  }

  // Learnt from lesGrandesGueules.withoutChannel.xml.
  @Test("a feed without a channel, or with one of another name, is read")
  func noChannel() throws {
    for name in ["element", "Channel"] {
      let document = try FeedCase.document(
        "<rss><\(name)><title>T</title>\(FeedCase.item(""))</\(name)></rss>")
      #expect(document.podcast.title == "T")
      #expect(document.episodes.count == 1)
    }
    let bare = try FeedCase.document("<rss><title>T</title>\(FeedCase.item(""))</rss>")
    #expect(bare.episodes.count == 1)
  }

  @Test(
    "elements of a feed that declares a wrong vocabulary for all of them are read",
    arguments: ["http://www.itunes.com/dtds/podcast-1.0.dtd", "http://www.w3.org/2005/Atom"])
  func mistakenVocabulary(namespace: String) throws {
    let item = FeedCase.item("<guid>g</guid>")
    let document = try FeedCase.document(
      "<rss xmlns=\"\(namespace)\"><channel><title>T</title>\(item)</channel></rss>")
    #expect(document.podcast.title == "T")
    #expect(document.episodes.map(\.guid) == ["g"])
  }

  @Test("depth, attributes and tags are bounded")
  func bounds() throws {
    let deep = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
    let wide = "<b " + (0..<5000).map { "a\($0)='1' " }.joined() + "/>"
    let long = "<c x='" + String(repeating: "y", count: 200_000) + "'/>"
    let document = try FeedCase.document(
      FeedCase.rss(deep + wide + long + FeedCase.item(deep) + FeedCase.item("")))
    #expect(document.episodes.count == 2)
    #expect(document.error == nil)
  }

  @Test("very many different names are no harm")
  func names() throws {
    let names = (0..<50_000).map { "<n\($0) a\($0)='' xmlns:x='u\($0)'/>" }.joined()
    let document = try FeedCase.document(FeedCase.rss(FeedCase.item("") + names))
    #expect(document.episodes.count == 1)
    #expect(document.error == nil)
  }

  @Test(
    "comments end where HTML ends them",
    arguments: ["<!-->", "<!--->", "<!-- x --!>", "<!---->", "<!-- a > b - -> c -->"])
  func htmlComments(comment: String) throws {
    let document = try FeedCase.document(FeedCase.rss(comment + FeedCase.item("")))
    #expect(document.episodes.count == 1 && document.error == nil)
  }

  @Test("entities of plain text count; those with markup, of files, or of others do not")
  func entities() throws {
    let document = try FeedCase.document(
      "<!DOCTYPE r [<!ENTITY show 'The \u{201E}Show&#x201C;'><!ENTITY show \"Another\">"
        + "<!ENTITY b \"&show;&show;\"><!ENTITY m \"&#60;b>\"><!ENTITY  amp \"no\">"
        + "<!ENTITY c SYSTEM \"file:///etc/passwd\"><!ENTITY % p \"x\">]>"
        + "<rss><channel><title>&show;: &b;&m;&c;&amp;&p;</title></channel></rss>")
    #expect(document.podcast.title == "The \u{201E}Show\u{201C}: &b;&m;&c;&&p;")
  }

  @Test("few bytes of entities do not stand for many") func entityLimits() throws {
    let value = String(repeating: "a", count: 1000)
    func item(_ number: Int, _ title: String) -> String {
      "<item><title>\(number) \(title)</title>"
        + "<enclosure url='https://example.com/\(number).mp3' type='audio/mpeg'/></item>"
    }
    let references = String(repeating: "&a;", count: 100)
    let items = (1...50).map { item($0, references) }.joined()
    let document = try FeedCase.document(
      "<!DOCTYPE r [<!ENTITY a \"\(value)\"><!ENTITY b \"\(value)\(value)\">]>"
        + "<rss><channel>\(item(0, "&b;"))\(items)</channel></rss>")
    let titles = document.episodes.map(\.title)
    #expect(titles.first == "0 &b;")
    #expect(titles.dropFirst().first?.hasPrefix("1 aaaa") == true)
    // The last ones are as they stand in the document.
    #expect(titles.last?.hasPrefix("50 &a;&a;") == true)
  }

  @Test("a feed that is truncated at any byte gives what came before and an error")
  func cut() throws {
    let feed = FeedCase.rss(
      FeedCase.item("<guid>1</guid>") + FeedCase.item("<description><![CDATA[é]]></description>")
        + FeedCase.item("<itunes:duration>5</itunes:duration>"))
    let whole = try FeedCase.document(feed)
    let bytes = Array(feed.utf8)
    for length in 0..<bytes.count { FeedPieces.checkCut(bytes, at: length, whole: whole) }
    let half = try FeedCase.document(Array(bytes.prefix(bytes.count - 20)))
    #expect(half.episodes.count == 2 || half.episodes.count == 3)
    #expect(half.error?.code == .decoding)
  }
}
