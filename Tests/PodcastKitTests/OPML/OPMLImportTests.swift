import PodcastModel
import TestSupport
import Testing

@testable import PodcastFeeds

/// Lists of other programs, in the shapes that occur.
@Suite("Imported lists") struct OPMLImportTests {
  private typealias Entry = OPMLImport.Entry

  private func addresses(_ text: String) throws -> [String] {
    try OPMLCase.read(text).entries.compactMap { $0.url?.text }
  }

  @Test(
    "give their feeds however they are written",
    arguments: [
      "<outline text='A' type='rss' xmlUrl='https://e.com/a'/>",
      "<outline xmlurl='https://e.com/a'/>", "<OUTLINE XMLURL='https://e.com/a'/>",
      "<outline type='rss' url='https://e.com/a'/>", "<outline url='https://e.com/a'/>",
      "<outline type='link' xmlUrl='https://e.com/a'/>",
      "<outline type='pie' xmlUrl=' https://e.com/a\n '/>",
      "<outline xmlUrl='feed:https://e.com/a'/>", "<outline xmlUrl='feed://https://e.com/a'/>",
      "<outline xmlUrl='//e.com/a'/>", "<outline xmlUrl=\"https://e.com/a\"text=\"x & y\"/>",
      "<outline xmlUrl=https://e.com/a >", "<outline text='<b>' xmlUrl='https://e.com/a'>",
      "<outline text='a' isComment='false' xmlUrl='https://e.com/a'/>",
    ])
  func spellings(outline: String) throws {
    for list in [
      OPMLCase.list(outline), "<opml>\(outline)</opml>", "<OPML version='1.0'><body>\(outline)",
      "<opml version='x'><head/>\(outline)</opml>", "warning: x < y\n\(OPMLCase.list(outline))",
      "\u{FEFF}\(OPMLCase.list(outline))", "<!DOCTYPE opml [<!ENTITY a 'b'>]><opml>\(outline)",
    ] {
      #expect(try addresses(list) == ["https://e.com/a"], "\(list)")
    }
  }

  @Test("may hold an image in an attribute") func longAttributes() throws {
    let image = "data:image/png;base64," + String(repeating: "A", count: 300_000)
    #expect(
      try addresses(OPMLCase.list("<outline xmlUrl='https://e.com/a' img='\(image)'/>"))
        == ["https://e.com/a"])
  }

  @Test("with bare & keep addresses and titles as they are meant")
  func ampersands() throws {
    let list = try OPMLCase.read(
      OPMLCase.list(
        "<outline text='R&D &amp; &eacute; &x;' xmlUrl='https://e.com/?a=1&b=2&amp;c=3'/>"))
    #expect(list.entries.map(\.title) == ["R&D & é &x;"])
    #expect(list.entries.map(\.address) == ["https://e.com/?a=1&b=2&c=3"])
    #expect(list.problem == nil)
  }

  @Test("in other encodings are read, whatever they declare")
  func encodings() throws {
    let list = OPMLCase.list("<outline text='Čé' xmlUrl='https://e.com/é'/>")
    func title(_ bytes: [UInt8]) throws -> String? {
      try OPMLImport.read(bytes, name: "x").entries.first?.title
    }
    #expect(try title(Array(list.utf8)) == "Čé")
    #expect(try title(Array(list.replacing("UTF-8", with: "iso-8859-1").utf8)) == "Čé")
    #expect(try title(Array(list.replacing("UTF-8", with: "nonsense").utf8)) == "Čé")
    #expect(
      try title([0xFF, 0xFE] + list.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == "Čé")
    let latin = list.replacing("Č", with: "C").replacing("UTF-8", with: "iso-8859-1")
    #expect(try title(latin.unicodeScalars.map { UInt8($0.value) }) == "Cé")
    #expect(
      try title(latin.replacing("iso-8859-1", with: "utf-8").unicodeScalars.map { UInt8($0.value) })
        == "Cé")
  }

  @Test("give folders and categories as paths, each once")
  func categories() throws {
    let list = try OPMLCase.read(
      OPMLCase.list(
        """
        <outline text=" News "><outline title="US/World">
          <outline xmlUrl="https://e.com/1" category="/News/US-World,/Tech, Fun ,,/Tech/,a//b"/>
        </outline>
        <outline><outline xmlUrl="https://e.com/2"/></outline></outline>
        <outline xmlUrl="https://e.com/3" category=""/>
        """))
    #expect(
      list.entries.map(\.categories) == [
        ["News/US-World", "Tech", "Fun", "a/b"], ["News"], [],
      ])
    #expect(list.entries.map(\.line) == [6, 8, 9])
  }

  @Test("report for each outline what was done with it")
  func verdicts() throws {
    let list = try OPMLCase.read(
      OPMLCase.list(
        """
        <outline text="F" xmlUrl="https://e.com/1"/>
        <outline text="none"/>
        <outline text="page" type="link" url="https://e.com/page"/>
        <outline text="empty" type="rss" xmlUrl=" "/>
        <outline text="relative" xmlUrl="feeds/1.rss"/>
        <outline text="script" xmlUrl="|~/fetch.py"/>
        <outline text="other" xmlUrl="ftp://e.com/feed"/>
        <outline text="off" isComment="true"><outline text="C" xmlUrl="https://e.com/2"/></outline>
        <outline text="search" type="vfolder" xmlUrl="vfolder"/>
        """, head: "<title> My\n list </title>"))
    #expect(list.title == "My list")
    let none = OPMLImport.Verdict.ignored(reason: "It has no address of a feed.")
    let invalid = OPMLImport.Verdict.invalid(reason: "Its address is no web address.")
    #expect(
      list.entries.map(\.verdict) == [
        .feed, none, .ignored(reason: "It is a link to a page or to another list."), none, invalid,
        invalid,
        .invalid(reason: "Its address has the scheme \"ftp\", which podget does not fetch."),
        .ignored(reason: "It is commented out."), none,
      ])
    #expect(list.entries.map(\.line) == Array(6...14))
    #expect(list.entries.compactMap(\.url) == ["https://e.com/1"])
  }

  @Test("with a feed's episodes in it give the feed only")
  func nestedEpisodes() throws {
    let list = try OPMLCase.read(
      OPMLCase.list(
        """
        <outline text="feeds"><outline type="rss" text="F" xmlUrl="https://e.com/1" overcastId="5">
          <outline type="podcast-episode" title="E" url="https://e.com/e" enclosureUrl="https://e.com/e.mp3"/>
          <outline text="no type" url="https://e.com/e2"/>
          <outline text="inner" xmlUrl="https://e.com/2"/>
        </outline></outline>
        """))
    #expect(list.entries.map(\.title) == ["F", "inner"])
    #expect(list.entries.map(\.categories) == [["feeds"], ["feeds"]])
  }

  @Test("keep podget's own attributes, whatever their prefix")
  func settings() throws {
    let list = try OPMLCase.read(
      OPMLCase.list(
        "<outline xmlUrl='https://e.com/1' p:latest='3' o:x='1'/>",
        root: "xmlns:p='urn:podget:opml' xmlns:o='urn:other'"))
    let settings = try #require(list.entries.first?.settings)
    #expect(settings.value("latest", namespace: OPMLDocument.namespace) == "3")
    #expect(settings.count == 1)
  }

  @Test("name the first entry of the same feed")
  func duplicates() throws {
    let list = try OPMLCase.read(
      OPMLCase.list(
        ["https://e.com/a", "https://e.com/b", "http://E.com:80/a#x", "none", "feed://e.com/b"]
          .map { "<outline xmlUrl='\($0)'/>" }.joined()))
    #expect(list.duplicates() == [nil, nil, 0, nil, 1])
    #expect(list.entries.count == 5)
  }

  @Test("joined in one file are all read")
  func joined() throws {
    let one = OPMLCase.list("<outline xmlUrl='https://e.com/1'/>")
    let list = try OPMLCase.read(one + "<!-- x -->\n" + one.replacing("/1", with: "/2") + "junk")
    #expect(list.entries.compactMap(\.url?.text) == ["https://e.com/1", "https://e.com/2"])
    #expect(list.entries.map(\.line) == [5, 13])
    #expect(list.problem == nil)
  }

  @Test("truncated lists give what came before, and a problem")
  func cut() throws {
    let list = OPMLCase.list(
      (1...3).map { "<outline xmlUrl='https://e.com/\($0)'/>\n" }.joined())
    for length in 0..<(list.utf8.count - 2) {
      let part = Array(list.utf8.prefix(length))
      guard let read = try? OPMLImport.read(part, name: "my.opml") else {
        #expect(!String(decoding: part, as: UTF8.self).contains("<head>"))
        continue
      }
      #expect(read.problem?.message == "my.opml: The list is cut short or damaged.")
      #expect(read.entries.count <= 3)
    }
  }

  @Test(
    "that are none are refused",
    arguments: [
      ("", "The list is empty."), (" \n", "The list is empty."),
      ("https://e.com/1\nhttps://e.com/2\n", "This is not a list of feeds (OPML)."),
      ("{\"a\": 1}", "This is not a list of feeds (OPML)."),
      ("<a><b/></a>", "This is not a list of feeds (OPML)."),
      (
        "<!DOCTYPE html><html><body><outline xmlUrl='https://e.com/'/></body></html>",
        "This is a web page, not a list of feeds (OPML)."
      ),
      ("<rss><channel><outline/></channel></rss>", "This is a feed, not a list of feeds (OPML)."),
    ])
  func others(text: String, sentence: String) {
    let error = #expect(throws: PodgetError.self) { try OPMLCase.read(text) }
    #expect(error?.code == .decoding)
    #expect(error?.message == "list.opml: \(sentence)")
    #expect((error?.remedy == .subscribe) == sentence.contains("a feed,"))
  }

  @Test("that are hostile are bounded")
  func hostile() throws {
    let good = "<outline xmlUrl='https://e.com/1'/>"
    let deep = String(
      repeating: "<outline text='\(String(repeating: "n", count: 500))'>", count: 1000)
    let list = try OPMLCase.read(OPMLCase.list(good + deep + good))
    #expect(list.entries.first?.url?.text == "https://e.com/1")
    #expect(list.entries.allSatisfy { $0.categories.allSatisfy { $0.utf8.count <= 1024 } })
    let wide = "<outline " + (0..<20_000).map { "a\($0)='' " }.joined() + "/>"
    let long =
      "<outline category='" + String(repeating: "x,y/z,", count: 8000)
      + "' xmlUrl='https://e.com/2'/>"
    #expect(
      try addresses(OPMLCase.list(good + wide + long)) == ["https://e.com/1", "https://e.com/2"])
    let spaces = (0..<2000).map { "<a xmlns:x='u\($0 % 9)'/>" }.joined()
    let whole = try OPMLCase.read(OPMLCase.list(good + spaces + good))
    #expect(whole.entries.count == 2 && whole.problem == nil)
    let many = try OPMLCase.read(
      OPMLCase.list(good + String(repeating: "<outline/>", count: 200_001)))
    #expect(many.entries.first?.url?.text == "https://e.com/1")
    #expect(many.problem?.message.hasSuffix("There are more than 200000 outlines.") == true)
    var bytes = Array(OPMLCase.list(good).utf8)
    bytes.insert(contentsOf: [0, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80], at: bytes.count / 2)
    _ = try OPMLImport.read(bytes, name: "x")
    let roots = try OPMLCase.read(String(repeating: "<opml/>", count: 1000))
    #expect(roots.entries.isEmpty)
  }
}
