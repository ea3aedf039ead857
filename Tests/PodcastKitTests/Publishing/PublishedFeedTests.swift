import Foundation
import PodcastModel
import TestSupport
import Testing

@testable import PodcastFeeds

/// The feeds and pages of `publish`, as values.
@Suite("What is published of a podcast") struct PublishedFeedTests {
  private static let base = PublicationBase("https://example.org/podcasts")
  private static let key = EpisodeKey(String(repeating: "ab", count: 16))

  private static func item(_ episode: Episode, file: String = "a.mp3") throws -> PublishedItem {
    PublishedItem(episode, key: try #require(key), file: file, bytes: 1234)
  }

  private static func podcast(_ items: [PublishedItem], title: String = "T") -> PublishedPodcast {
    var podcast = PublishedPodcast(
      Podcast(title: title, author: "Ann & Bob"),
      name: PublishedName(subscription: "talk", title: title, key: "subscription talk"),
      guid: "ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
    podcast.items = items
    return podcast
  }

  private static func read(_ bytes: [UInt8]) throws -> FeedDocument {
    guard case .feed(let document) = try FeedReader.read(bytes) else {
      throw PodgetError(.decoding, "It is no feed.")
    }
    #expect(document.error == nil)
    return document
  }

  private static func validate(_ folder: TemporaryFolder) async throws -> RunningProcess.Result {
    let schema = Fixtures.root.appending(path: "docs/feed.rng").path
    let xmllint = ["xmllint", "--nonet", "--noout", "--relaxng", schema]
    return try await RunningProcess("/usr/bin/env", xmllint + folder.files.map(folder.path))
      .waitForExit()
  }

  @Test func `a feed has what the library knows, and reads back equal`() async throws {
    let base = try #require(Self.base)
    let episode = Episode(
      guid: "tag:example.org,2020:1", title: "One & <two>",
      date: Date(timeIntervalSince1970: 1_709_640_000), duration: .seconds(90),
      enclosure: Enclosure(url: "https://secret:word@example.com/x?token=1"), season: 2, number: 7,
      kind: .bonus)
    var podcast = Self.podcast([try Self.item(episode)])
    podcast.artwork = "artwork.png"
    let bytes = podcast.feed(at: base, isListed: false)
    let document = try Self.read(bytes)
    #expect(document.podcast.title == "T" && document.podcast.author == "Ann & Bob")
    #expect(document.podcast.artworkURL == "https://example.org/podcasts/talk/artwork.png")
    #expect(document.selfURL?.text == "https://example.org/podcasts/talk/feed.xml")
    #expect(document.isBlocked && document.podcastGUID == podcast.guid)
    var expected = episode
    expected.enclosure = Enclosure(
      url: "https://example.org/podcasts/talk/a.mp3", length: 1234, mimeType: "audio/mpeg")
    #expect(document.episodes == [expected])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("<pubDate>Tue, 05 Mar 2024 12:00:00 GMT</pubDate>"))
    // The feed that the library follows may have a password or a token.
    #expect(!text.contains("secret") && !text.contains("token"))
    let listed = podcast.feed(at: base, isListed: true)
    #expect(try !Self.read(listed).isBlocked)
    let folder = try TemporaryFolder()
    try folder.write("a.xml", bytes)
    try folder.write("b.xml", listed)
    try folder.write("c.xml", Self.podcast([]).feed(at: base, isListed: true))
    let result = try await Self.validate(folder)
    #expect(result.status == .exited(0), "\(result.error)")
  }

  @Test func `any titles, names and guids give a valid feed that reads back equal`() async throws {
    let base = try #require(Self.base)
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 7)
    for round in 0..<40 {
      let texts = (0..<20).map { _ in HostileText.random(&random) }
      let items = try texts.enumerated().map { number, text in
        try Self.item(
          Episode(
            guid: "\(number) \(text)", title: text,
            date: Date(timeIntervalSince1970: Double(number) * 90_000_000 + Double(round)),
            duration: .seconds(number * 1000), enclosure: Enclosure(url: "https://e.com/a.mp3")))
      }
      let podcast = Self.podcast(items, title: HostileText.random(&random))
      let bytes = podcast.feed(at: base, isListed: false)
      try folder.write("\(round).xml", bytes)
      let document = try Self.read(bytes)
      // The reader replaces references of titles once more, as feeds need it.
      #expect(document.podcast.title == FeedText.title(Array(podcast.title.utf8)))
      #expect(document.episodes.map(\.guid) == items.map(\.guid))
      let titles = items.map { FeedText.title(Array($0.title.utf8)) ?? "" }
      #expect(document.episodes.map(\.title) == titles)
      #expect(document.episodes.map(\.date) == items.map(\.date))
      let durations: [Duration?] = items.map { item in item.seconds.map { .seconds($0) } }
      #expect(document.episodes.map(\.duration) == durations)
      let index = PublishedPodcast.index(of: [podcast], isListed: true)
      for page in [podcast.page(isListed: false), index] {
        let text = try #require(String(validating: page, as: UTF8.self))
        #expect(!text.contains("<script") && !text.contains("<b>") && !text.contains("\u{202E}"))
        #expect(text.utf8.count < 200_000)
      }
    }
    let result = try await Self.validate(folder)
    #expect(result.status == .exited(0), "\(result.error)")
  }

  @Test func `long texts are cut, and a guid that no feed can have is the key`() throws {
    let long = try Self.item(
      Episode(
        guid: String(repeating: "g", count: 100_000), title: String(repeating: "ä", count: 50_000),
        duration: .seconds(40 * 86_400), enclosure: Enclosure(url: "")))
    #expect(long.title.utf8.count == 2048 && long.guid == Self.key?.text && long.seconds == nil)
    let empty = try Self.item(
      Episode(guid: " \u{1}", title: "\n", enclosure: Enclosure(url: ""), season: 0, number: -1))
    #expect(empty.title == "Untitled" && empty.guid == Self.key?.text)
    #expect(empty.season == nil && empty.number == nil && empty.date == nil)
  }

  @Test(arguments: [
    "https://user:word@example.org/1?token=abc",
    "https://example.org/private/word0123456789abc/1.mp3",
    "https://example.org/feed/wOrdword3E6gH9abcjK2mN5",
    "https://example.org/eyJwordabc0IjoicCIsI/1",
  ])
  func `nothing secret is in what is published`(secret: String) throws {
    let base = try #require(Self.base)
    let item = try Self.item(
      Episode(guid: secret, title: "From \(secret)", enclosure: Enclosure(url: secret)))
    #expect(item.guid == Self.key?.text && item.hasKeyAsGUID)
    var podcast = PublishedPodcast(
      Podcast(title: "T \(secret)", author: "A \(secret)"),
      name: PublishedName(subscription: nil, title: "T \(secret)", key: "feed \(secret)"),
      guid: secret)
    podcast.items = [item]
    for bytes in [
      podcast.feed(at: base, isListed: true), podcast.page(isListed: true),
      PublishedPodcast.list(of: [podcast], at: base),
      PublishedPodcast.index(of: [podcast], isListed: true),
    ] {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("word") && !text.contains("abc"))
    }
  }

  @Test func `nobody can try tokens until the name of a folder agrees`() {
    let names = ["abc", "def"].map { token in
      let secret = "https://user:\(token)@example.org/1?token=\(token)"
      return PublishedName(subscription: nil, title: "T \(secret)", key: "feed \(secret)")
    }
    #expect(names[0] == names[1])
  }

  @Test func `each episode has a guid of its own, and keeps it`() throws {
    let keys = ["a", "b", "c"].map { String(repeating: $0, count: 32) }
    func items(_ guids: [String?]) throws -> [PublishedItem] {
      try zip(keys, guids).map { key, guid in
        PublishedItem(
          Episode(guid: guid, title: "", enclosure: Enclosure(url: "")),
          key: try #require(EpisodeKey(key)), file: "\(key).mp3", bytes: 1)
      }
    }
    func guids(_ wanted: [String?], _ earlier: [PublishedGUID?]) throws -> [String] {
      var made = try items(wanted)
      PublishedItem.makeDistinct(&made) { key in keys.firstIndex(of: key).flatMap { earlier[$0] } }
      return made.map(\.guid)
    }
    #expect(try guids(["x", "x", "y"], [nil, nil, nil]) == ["x", keys[1], "y"])
    // The published one keeps it, and later too.
    #expect(try guids(["x", "x", "y"], [nil, .own("x"), nil]) == [keys[0], "x", "y"])
    #expect(try guids(["x", "x", "y"], [.key, .own("x"), .own("y")]) == [keys[0], "x", "y"])
    // Also when its publisher changes it, to whatever.
    #expect(try guids(["x", "z", "x"], [.key, .own("x"), .own("y")]) == [keys[0], "x", "y"])
    #expect(try guids([nil, "x", nil], [.own("a"), .own("a"), .key]) == ["a", keys[1], keys[2]])
    // A guid that is the key of another episode.
    #expect(try guids([keys[2], nil, "y"], [nil, nil, nil]) == [keys[0], keys[1], "y"])
  }

  @Test func `equal podcasts give equal bytes, and a list names all feeds`() throws {
    let base = try #require(Self.base)
    let podcasts = [Self.podcast([]), Self.podcast([], title: "\"]]>&")]
    let list = PublishedPodcast.list(of: podcasts, at: base)
    #expect(list == PublishedPodcast.list(of: podcasts, at: base))
    let outlines = try OPMLDocument(reading: list).outlines
    #expect(outlines.map { $0["text"] } == ["T", "\"]]>&"])
    let feed = "\(base.text)talk/feed.xml"
    #expect(outlines.map(\.feedAddress) == [feed, feed])
  }

  @Test(arguments: [
    ("https://example.org", "https://example.org/"),
    ("http://127.0.0.1:8080/a%20b/", "http://127.0.0.1:8080/a%20b/"),
    ("https://example.org/höhle/x y", "https://example.org/h%C3%B6hle/x%20y/"),
    ("https://me:word@example.org/", nil), ("https://me@example.org/", nil),
    ("https://example.org/?a", nil), ("https://example.org/#a", nil), ("ftp://example.org/", nil),
    ("/srv/www", nil), ("", nil), ("https://höhle.example/", nil),
    ("https://example.org:x/", nil),
    ("HTTPS://example.org/a\"<b>", "HTTPS://example.org/a%22%3Cb%3E/"),
    ("//example.org/", nil), ("https://e.org/\n", nil),
    ("https://e.org/" + String(repeating: "a", count: 2000), nil),
  ])
  func `a base is an address with names below it`(text: String, expected: String?) {
    #expect(PublicationBase(text)?.text == expected)
  }

  @Test(arguments: [
    ("talk", "The Talk", "talk"), ("Talk", "The Talk", "talk"), ("a.b", "A b", "a-b-*"),
    (nil, "The Talk: don't!", "the-talk-dont-*"), (nil, "../../etc", "etc-*"),
    (nil, "日本語", "podcast-*"), ("日本語", "x", "x-*"), ("-x", "-x", "x-*"),
    (nil, String(repeating: "a ", count: 90), String(repeating: "a-", count: 20) + "*"),
  ])
  func `a podcast has a name for its addresses`(name: String?, title: String, expected: String) {
    let text = PublishedName(subscription: name, title: title, key: "k").text
    #expect(PublishedName.isName(text.utf8))
    guard expected.hasSuffix("*") else { return #expect(text == expected) }
    #expect("\(text.dropLast(8))*" == expected)
    // Another podcast with the title has another name.
    #expect(text != PublishedName(subscription: name, title: title, key: "l").text)
  }
}

/// Texts that break careless writers of markup.
private enum HostileText {
  private static let parts = [
    "]]>", "<![CDATA[", "<script>alert(1)</script>", "<b>", "&amp;", "&", "\"", "'", "\u{0}",
    "\u{8}",
    "\u{1B}[31m", "\u{202E}", "\u{FFFE}", "\u{FFFF}", "../", "\r\n", "\t", "-->", "日本語", "e\u{301}",
    "👩‍👩‍👧", "\u{7F}", "\u{85}", "\u{2028}", "%2F", "a", " ", "Folge", "</item></channel>",
    "\u{10FFFF}",
  ]

  static func random(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...12, using: &random)).map { _ in
      parts.randomElement(using: &random) ?? ""
    }.joined()
  }
}
