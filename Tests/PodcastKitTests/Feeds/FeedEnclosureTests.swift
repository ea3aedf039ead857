import Foundation
import PodcastFeeds
import PodcastModel
import Testing

/// Which of an item's files is downloaded, and what is known of it.
@Suite("Enclosures in feeds") struct FeedEnclosureTests {
  private func enclosure(_ item: String) throws -> Enclosure? {
    let document = try FeedCase.document(FeedCase.rss("<item>\(item)</item>"))
    #expect(document.episodes.count + document.unplayableCount == 1)
    return document.episodes.first?.enclosure
  }

  private func file(_ name: String, _ type: String) -> String {
    "<enclosure url=\"https://example.com/\(name)\" type=\"\(type)\"/>"
  }

  @Test("audio comes before video before others, and the first one before the next")
  func order() throws {
    let files = [
      file("a.pdf", "application/pdf"), file("b.mp4", "video/mp4"), file("c.m4a", "audio/x-m4a"),
      file("d.mp3", "audio/mpeg"),
    ]
    #expect(try enclosure(files.joined())?.url == "https://example.com/c.m4a")
    #expect(try enclosure(files.prefix(2).joined())?.url == "https://example.com/b.mp4")
    #expect(try enclosure(files[0])?.url == "https://example.com/a.pdf")
    #expect(
      try enclosure(files[0] + file("e.mp3", ""))?.url == "https://example.com/e.mp3",
      "without a type the extension counts")
  }

  @Test("media:content counts where there is no enclosure, its default first")
  func mediaContent() throws {
    let group = """
      <media:group><media:title>No</media:title>
      <media:content url="https://example.com/p.jpg" type="image/jpeg"/>
      <media:content url="https://example.com/low.mp3" type="audio/mpeg" fileSize="10"/>
      <media:content url="https://example.com/high.mp3" type="audio/mpeg" isDefault="true"
        fileSize="20" duration="30"/></media:group>
      """
    #expect(
      try enclosure(group)
        == Enclosure(url: "https://example.com/high.mp3", length: 20, mimeType: "audio/mpeg"))
    #expect(try enclosure(group + file("e.mp4", "video/mp4"))?.url == "https://example.com/e.mp4")
    #expect(try enclosure("<media:content url=\"https://e.com/p.jpg\" medium=\"image\"/>") == nil)
  }

  private static let cover: String =
    "<enclosure url=\"https://example.com/c.jpg\" type=\"image/jpeg\"/>"
  private static let song: String =
    "<media:content url=\"https://example.com/ep.mp3\" type=\"audio/mpeg\"/>"

  @Test(
    "an episode is saved and not its cover, wherever the two stand",
    arguments: [
      cover + song, "<media:group>\(song)</media:group>" + cover,
      "<media:group><media:content url=\"https://example.com/t.png\" medium=\"image\"/>\(song)"
        + "</media:group>",
      "<enclosure url=\"https://example.com/c.jpg?w=9\"/>" + song,
      "<enclosure url=\"https://example.com/c.webp\" type=\"application/octet-stream\"/>" + song,
      "<enclosure url=\"https://example.com/1\" type=\"image\"/>" + song,
      "<enclosure url=\"https://example.com/c.jpg\" type=\"audio/mpeg\"/>" + song,
      "<enclosure url=\"https://example.com/notes.pdf\" type=\"application/pdf\"/>" + song,
      "<enclosure url=\"https://example.com/ep.mp3\" type=\"image/jpeg\"/>" + cover,
      String(repeating: cover, count: 200)
        + "<enclosure url=\"https://example.com/ep.mp3\" type=\"\"/>",
      "<atom:link rel=\"enclosure\" href=\"https://example.com/c.jpg\" type=\"image/jpeg\"/>"
        + "<atom:link rel=\"enclosure\" href=\"https://example.com/ep.mp3\" type=\"audio/mpeg\"/>",
      cover + "<podcast:alternateEnclosure type=\"audio/mpeg\">"
        + "<podcast:source uri=\"https://example.com/ep.mp3\"/></podcast:alternateEnclosure>",
    ])
  func episodeNotCover(item: String) throws {
    #expect(try enclosure(item)?.url == "https://example.com/ep.mp3")
  }

  @Test(
    "an item with images alone is no episode",
    arguments: [
      cover, cover + cover, "<enclosure url=\"https://example.com/c.JPG\"/>",
      "<enclosure url=\"https://example.com/1\" type=\"IMAGE/png; q=1\"/>",
      "<media:content url=\"https://example.com/c.jpg\"/>",
    ])
  func imagesAlone(item: String) throws {
    #expect(try enclosure(item) == nil)
  }

  @Test(
    "what does not say that it is an image is an episode",
    arguments: [
      ("https://example.com/play/1", ""),
      ("https://example.com/play/1", "application/octet-stream"),
      ("https://example.com/ep.mp3", "image/jpeg"), ("https://example.com/a.jpg/ep", ""),
      ("https://example.com/ep.php?f=c.jpg", ""), ("https://example.com/1.jpg", "audio/mpeg"),
      ("https://example.com/1", "text/html; charset=utf-8"),
    ])
  func vague(address: String, type: String) throws {
    let item = "<enclosure url=\"\(address)\" type=\"\(type)\"/>"
    #expect(try enclosure(item + Self.cover)?.url == address)
  }

  @Test("an enclosure without a type comes before what stands beside it")
  func untyped() throws {
    let item = "<enclosure url=\"https://example.com/play/1\"/>" + Self.song
    #expect(try enclosure(item)?.url == "https://example.com/play/1")
  }

  @Test("the address from before FeedBurner is not that of a cover") func feedBurnerCover() throws {
    let item =
      Self.song.replacing("media:content", with: "enclosure") + Self.cover
      + "<feedburner:origEnclosureLink>https://h.example/c.jpg</feedburner:origEnclosureLink>"
    #expect(try enclosure(item)?.url == "https://example.com/ep.mp3")
  }

  @Test("RSS 1.0 has enclosures in a module of its own")
  func rdf() throws {
    let feed = """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
       xmlns:enc="http://purl.oclc.org/net/rss_2.0/enc#">
      <channel rdf:about="x"><title>Show</title></channel><item rdf:about="one"><title>One</title>
      <enc:enclosure rdf:resource="https://example.com/1.mp3" enc:type="audio/mpeg"
       enc:length="70"/></item></rdf:RDF>
      """
    let document = try FeedCase.document(feed)
    #expect(
      document.episodes.map(\.enclosure) == [
        Enclosure(url: "https://example.com/1.mp3", length: 70, mimeType: "audio/mpeg")
      ])
    #expect(document.episodes.map(\.guid) == ["one"])
  }

  @Test("an alternate enclosure counts where there is no other file")
  func alternate() throws {
    let alternate = """
      <podcast:alternateEnclosure type="audio/opus" length="99" default="true">
      <podcast:source uri="ipfs://something"/>
      <podcast:source uri="https://example.com/a.opus"/></podcast:alternateEnclosure>
      """
    #expect(
      try enclosure(alternate)
        == Enclosure(url: "https://example.com/a.opus", length: 99, mimeType: "audio/opus"))
    #expect(
      try enclosure(alternate + file("b.mp3", "audio/mpeg"))?.url == "https://example.com/b.mp3")
  }

  @Test(
    "a length that is no number above zero is none",
    arguments: ["", "0", " 0 ", "-5", "1.5", "12 MB", "99999999999999999999"])
  func length(text: String) throws {
    #expect(
      try enclosure("<enclosure url=\"https://e.com/1\" length=\"\(text)\"/>")?.length == nil)
  }

  @Test("a length with spaces around it is read")
  func spacedLength() throws {
    #expect(try enclosure("<enclosure url=\"https://e.com/1\" length=\" 12 \"/>")?.length == 12)
  }

  // Learnt from testrssfeed.xml: the service behind feedproxy.google.com has ended.
  @Test("the address from before FeedBurner is used")
  func feedBurner() throws {
    let item =
      file("~r/1.mp3", "audio/mpeg")
      + "<feedburner:origEnclosureLink>https://host.example/1.mp3</feedburner:origEnclosureLink>"
    #expect(try enclosure(item)?.url == "https://host.example/1.mp3")
  }

  @Test("addresses that cannot be fetched are no files", arguments: ["", "magnet:?x", "a.mp3"])
  func unplayable(address: String) throws {
    #expect(try enclosure("<enclosure url=\"\(address)\" type=\"audio/mpeg\"/>") == nil)
  }

  /// An enclosure of 100 bytes with alternates that are smaller, larger and of other types.
  private static let several: String = """
    <itunes:duration>10</itunes:duration>
    <enclosure url="https://e.com/a.mp3" length="1000" type="audio/mpeg"/>
    <podcast:alternateEnclosure type="audio/opus" length="300">
      <podcast:source uri="https://e.com/a.opus"/>
      <podcast:integrity type="pgp-signature" value="x"/>
      <podcast:integrity type="sri" value="sha384-\(FeedEnclosureTests.hash384)"/>
    </podcast:alternateEnclosure>
    <podcast:alternateEnclosure type="audio/flac" bitrate="8000.5">
      <podcast:source uri="ipfs://x"/><podcast:source uri="https://e.com/a.flac"/>
    </podcast:alternateEnclosure>
    <podcast:alternateEnclosure type="video/mp4" length="9" title="tiny">
      <podcast:source uri="https://e.com/a.mp4"/>
    </podcast:alternateEnclosure>
    <podcast:alternateEnclosure type="audio/mp4" length="0">
      <podcast:source uri="https://e.com/unknown.m4a"/>
    </podcast:alternateEnclosure>
    """
  private static let hash384: String = String(repeating: "A", count: 64)

  @Test(
    "of several files the preferred one is taken",
    arguments: [
      (nil, "a.mp3"), ("smallest", "a.opus"), ("best", "a.flac"), ("opus", "a.opus"),
      ("audio/flac", "a.flac"), ("VIDEO", "a.mp4"), ("mp3", "a.mp3"), ("m4a", "unknown.m4a"),
      ("ogg", "a.mp3"),
    ] as [(String?, String)])
  func preferred(text: String?, name: String) throws {
    let preference = try text.map { try #require(MediaPreference($0)) }
    let feed = FeedCase.rss("<item>\(Self.several)</item>")
    guard case .feed(let document) = try FeedReader.read(feed.utf8, preference: preference) else {
      Issue.record("no feed")
      return
    }
    let enclosure = try #require(document.episodes.first?.enclosure)
    #expect(enclosure.url == "https://e.com/\(name)")
    #expect(enclosure.integrity == (name == "a.opus" ? "sha384-\(Self.hash384)" : nil))
  }

  @Test("without the size of the publisher's file no other one is better")
  func unknownSize() throws {
    let feed = FeedCase.rss("<item>\(Self.several.replacing("length=\"1000\"", with: ""))</item>")
    for (preference, name) in [(MediaPreference.best, "a.mp3"), (.smallest, "a.opus")] {
      guard case .feed(let document) = try FeedReader.read(feed.utf8, preference: preference) else {
        return
      }
      #expect(document.episodes.map(\.enclosure.url) == ["https://e.com/\(name)"])
    }
  }

  @Test("a preference is a word or a media type", arguments: ["", "a/b/c", "a b", "/", "é", "a/"])
  func noPreference(text: String) { #expect(MediaPreference(text) == nil) }

  @Test("of announced hashes the strongest known ones count") func integrity() throws {
    let zero = Array(repeating: UInt8(0), count: 64)
    func hash(_ name: String, _ count: Int) -> String {
      "\(name)-\(Data(zero.prefix(count)).base64EncodedString())"
    }
    let text =
      "md5-x \(hash("sha256", 32)) \(hash("sha512", 64))?x \(hash("SHA512", 64)) sha384-AA=="
    let integrity = try #require(MediaIntegrity(text))
    #expect(integrity.algorithm == .sha512)
    #expect(integrity.digests == [String(repeating: "0", count: 128)])
    for none in ["", "sha256", "sha256-", hash("sha256", 31), hash("md5", 16), "sha1-AAAA"] {
      #expect(MediaIntegrity(none) == nil, "\(none)")
    }
  }
}
