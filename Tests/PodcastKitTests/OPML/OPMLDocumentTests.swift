import Foundation
import Testing

@testable import PodcastFeeds

/// The list that podget keeps: what it writes, and what survives.
@Suite("Lists of subscriptions") struct OPMLDocumentTests {
  @Test("a new list is written an outline a line")
  func new() throws {
    var document = OPMLDocument(
      title: "podget & co", dateCreated: Date(timeIntervalSince1970: 1_709_640_000))
    var folder = OPMLOutline(["text": "News", "title": "News"])
    var feed = OPMLOutline(["text": "A \"B\"", "type": "rss", "xmlUrl": "https://e.com/?a=1&b=2"])
    feed.set("3", "latest", namespace: OPMLDocument.namespace)
    folder.nodes = [.comment(" mine "), .outline(feed)]
    document.nodes = [.outline(folder), .outline(OPMLOutline(["title": "only a title"]))]
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml xmlns:podget="urn:podget:opml" version="2.0">
        <head>
          <title>podget &amp; co</title>
          <dateCreated>Tue, 05 Mar 2024 12:00:00 GMT</dateCreated>
        </head>
        <body>
          <outline text="News" title="News">
            <!-- mine -->
            <outline text="A &quot;B&quot;" type="rss" xmlUrl="https://e.com/?a=1&amp;b=2" podget:latest="3"/>
          </outline>
          <outline title="only a title" text="only a title"/>
        </body>
      </opml>

      """
    #expect(OPMLCase.text(document) == expected)
    let again = try OPMLDocument(reading: document.bytes())
    #expect(again.bytes() == document.bytes())
    #expect(again.head.title == "podget & co")
    #expect(again.head.dateCreated == document.head.dateCreated)
    let read = try #require(again.outlines.first?.outlines.first)
    #expect(read.value("latest", namespace: OPMLDocument.namespace) == "3")
    #expect(read["xmlUrl"] == "https://e.com/?a=1&b=2")
  }

  @Test("what podget does not know survives")
  func unknown() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <?xml-stylesheet type="text/xsl" href="opml.xsl"?>
      <!-- edited by hand -->
      <opml xmlns:o="urn:other" xmlns="http://opml.org/spec2" version="2.0" o:a="1" xml:lang="en">
        <!-- in the root -->
        <head profile="x">
          <title>T</title>
          <ownerName>N</ownerName>
          <o:state><o:deep k="v">  two  <b/>
          </o:deep></o:state>
        </head>
        <body id="b">
          <!-- a -->
          <outline text="x" o:score="5" overcastId="77" isComment="true">
            <outline text="nested" FreshRSS="y"/>
            <o:note>kept &lt;here&gt;</o:note>
            loose text
          </outline>
        </body>
        <o:end/>
      </opml>
      <!-- behind -->

      """
    let document = try OPMLCase.document(text)
    #expect(OPMLCase.text(document) == text)
    #expect(document.outlines.first?.value("score", namespace: "urn:other") == "5")
  }

  @Test("changes leave the rest as it is")
  func changes() throws {
    var document = try OPMLCase.document(
      OPMLCase.list("    <outline text=\"a\" x=\"1\" xmlUrl=\"u\"/>", head: "<docs>d</docs>"))
    guard var outline = document.outlines.first else {
      Issue.record("no outline")
      return
    }
    outline["xmlUrl"] = "v"
    outline["x"] = nil
    outline["new"] = "n"
    document.nodes[0] = .outline(outline)
    document.head.title = "T"
    document.head.dateModified = Date(timeIntervalSince1970: 0)
    let text = OPMLCase.text(document)
    #expect(text.contains("<outline text=\"a\" xmlUrl=\"v\" new=\"n\"/>"))
    let head = "<title>T</title>\n    <docs>d</docs>\n    "
    #expect(text.contains(head + "<dateModified>Thu, 01 Jan 1970 00:00:00 GMT</dateModified>"))
    document.head.title = nil
    #expect(!OPMLCase.text(document).contains("title"))
  }

  @Test("podget's namespace gets another prefix where its own is taken, at the root or within")
  func prefixes() throws {
    let cases = [
      ("version=\"2.0\" xmlns:podget=\"urn:other\"", "text=\"a\""),
      ("version=\"2.0\"", "text=\"a\" xmlns:podget=\"urn:other\" podget:latest=\"no\""),
    ]
    for (root, attributes) in cases {
      var document = try OPMLCase.document(OPMLCase.list("<outline \(attributes)/>", root: root))
      var outline = try #require(document.outlines.first)
      outline.set("7", "latest", namespace: OPMLDocument.namespace)
      document.nodes = [.outline(outline)]
      let text = OPMLCase.text(document)
      #expect(text.contains("xmlns:podget2=\"urn:podget:opml\""), "\(text)")
      #expect(text.contains("podget2:latest=\"7\""), "\(text)")
      let again = try OPMLCase.document(text)
      #expect(again.outlines.first?.value("latest", namespace: OPMLDocument.namespace) == "7")
      #expect(OPMLCase.text(again) == text)
    }
    // An existing prefix is used.
    var own = try OPMLCase.document(
      OPMLCase.list("<outline text=\"a\" p:b=\"1\"/>", root: "xmlns:p=\"urn:podget:opml\""))
    var outline = try #require(own.outlines.first)
    outline.set("7", "latest", namespace: OPMLDocument.namespace)
    own.nodes = [.outline(outline)]
    #expect(OPMLCase.text(own).contains("p:b=\"1\" p:latest=\"7\""))
  }

  @Test("any text survives as a value, but for characters that XML forbids")
  func values() throws {
    let values = [
      "tab\tline\nreturn\r\nend", "<&>\"'", " spaces  kept ", "]]>", "&amp;", "e\u{301}\u{338}",
      "<\u{338}", "\u{1F3A7}", "\u{7F}\u{85}", "",
    ]
    for value in values {
      var document = OPMLDocument(title: value, dateCreated: nil)
      document.nodes = [.outline(OPMLOutline(["text": value, "other": value]))]
      let again = try OPMLDocument(reading: document.bytes())
      #expect(again.outlines.first?["other"].map { Array($0.utf8) } == Array(value.utf8))
      #expect(again.bytes() == document.bytes())
    }
    var forbidden = OPMLDocument(title: "a\u{0}b\u{1B}c\u{FFFE}d", dateCreated: nil)
    forbidden.nodes = [.outline(OPMLOutline(["text": "a\u{8}b", "bad name": "x", "a:b": "x"]))]
    let again = try OPMLDocument(reading: forbidden.bytes())
    #expect(again.head.title == "abcd")
    #expect(again.outlines == [OPMLOutline(["text": "ab"])])
  }

  @Test("text beside the head survives as one text") func besideHead() throws {
    let document = try OPMLCase.document("<opml>a<head/>b<body/>c</opml>")
    #expect(try OPMLDocument(reading: document.bytes()) == document)
  }

  @Test("comments and instructions cannot break out")
  func comments() throws {
    var document = OPMLDocument(title: "T", dateCreated: nil)
    document.nodes = [
      .comment("a--b--->"), .comment("-"), .instruction(target: "x", data: "?>?>"),
      .instruction(target: "xml", data: "no"), .text("<a/>"),
    ]
    let again = try OPMLDocument(reading: document.bytes())
    #expect(again.nodes.count == 4)
    #expect(again.bytes() == document.bytes())
  }

  @Test("older versions, a byte order mark and another declared encoding are read")
  func variants() throws {
    let list = OPMLCase.list("<outline text=\"é\"/>", root: "version=\"1.1\"")
    let expected = try OPMLCase.document(OPMLCase.list("<outline text=\"é\"/>"))
    #expect(try OPMLCase.document(list) == expected)
    #expect(try OPMLCase.document("\u{FEFF}" + list) == expected)
    #expect(try OPMLCase.document(list.replacing("UTF-8", with: "ISO-8859-1")) == expected)
    #expect(try OPMLCase.document(list.replacing("\n", with: "\r\n")) == expected)
    #expect(try OPMLCase.document("<opml><body><outline text='é'/></body></opml>") == expected)
  }

  @Test("outlines know where they begin, and equality does not")
  func places() throws {
    let body = "<outline text=\"é\"/><outline\n  text=\"b\">\r\n\t<outline text=\"c\"/></outline>"
    let document = try OPMLCase.document(OPMLCase.list(body))
    let places: [[Int]] = document.outlines.map { [$0.line, $0.column] }
    #expect(places == [[5, 1], [5, 20]])
    let inner = try #require(document.outlines.last?.outlines.first)
    #expect(inner.line == 7 && inner.column == 2)
    #expect(inner == OPMLOutline(["text": "c"]))
  }
}
