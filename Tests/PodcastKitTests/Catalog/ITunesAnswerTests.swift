import Foundation
import TestSupport
import Testing

@testable import PodcastFeeds
@testable import PodcastLibrary
@testable import PodcastModel

@Suite("Apple's answers") struct ITunesAnswerTests {
  @Test("a lookup gives the podcast and its episodes, newest first") func lookup() throws {
    let listing = try ITunesAnswer.listing(
      from: Fixtures.data("Lookup.json"), id: 1_386_867_488)
    #expect(
      listing.podcast
        == Podcast(
          id: 1_386_867_488, title: "The Symbolic World", author: "Jonathan Pageau",
          feedURL: "https://feeds.soundcloud.com/users/soundcloud:users:307491252/sounds.rss",
          artworkURL: listing.podcast.artworkURL, episodeCount: 275))
    #expect(listing.podcast.artworkURL?.hasSuffix("/600x600bb.jpg") == true)
    #expect(
      listing.episodes.map(\.id) == [
        1_000_600_017_070, 1_000_598_863_604, 1_000_597_908_329, 1_000_596_968_117,
        1_000_596_286_323,
      ])
    let newest = try #require(listing.episodes.first)
    #expect(newest.title == "275 - Michael Legaspi - Subjectivity and the Psalms")
    #expect(newest.date == Date(timestamp: "2023-02-16T16:00:17Z"))
    #expect(newest.duration == .milliseconds(3_017_000))
    #expect(newest.guid == "tag:soundcloud,2010:tracks/1447464973")
    #expect(newest.enclosure.fileExtension == "mp3")
    #expect(newest.enclosure.mimeType == "audio")
    #expect(newest.enclosure.length == nil)
    #expect(listing.unplayableCount == 0)
  }

  @Test("records without a kind are recognized by their fields")
  func noKinds() throws {
    let listing = try ITunesAnswer.listing(from: Fixtures.data("Lookups/no-kinds.json"), id: 11)
    #expect(listing.podcast.title == "No Kinds")
    #expect(listing.podcast.artworkURL == "https://media.example/100x100bb.jpg")
    #expect(listing.episodes.map(\.title) == ["Before its podcast"])
    #expect(listing.unplayableCount == 1)
  }

  @Test("too long texts are truncated, and too long addresses and guids are ignored")
  func longTexts() throws {
    let long = String(repeating: "ä", count: 20_000)
    let answer = """
      {"resultCount":3,"results":[{"kind":"podcast","collectionId":1,"collectionName":"\(long)"},
      {"kind":"podcast-episode","collectionId":1,"trackId":2,"trackName":"b\(long)",
      "episodeGuid":"\(long)","episodeUrl":"https://a.example/2.mp3"},
      {"kind":"podcast-episode","collectionId":1,"trackId":3,"trackName":"3",
      "episodeUrl":"https://a.example/\(long).mp3"}]}
      """
    let listing = try ITunesAnswer.listing(from: Data(answer.utf8), id: 1)
    #expect(listing.podcast.title == String(repeating: "ä", count: 2048))
    #expect(listing.episodes.map(\.title) == ["b" + String(repeating: "ä", count: 2047)])
    #expect(listing.episodes.map(\.guid) == [nil])
    #expect(listing.unplayableCount == 1)
  }

  @Test("a missing or invalid field affects only itself") func oddFields() throws {
    let listing = try ITunesAnswer.listing(from: Fixtures.data("Lookups/odd-fields.json"), id: 21)
    #expect(listing.podcast == Podcast(id: 21, title: "Odd Fields", episodeCount: 3))
    #expect(
      listing.episodes == [
        Episode(
          id: 1_000_000_000_022, guid: "4711", title: "22",
          date: Date(timestamp: "2024-02-01T08:00:00.5Z"), duration: .milliseconds(61_500),
          enclosure: Enclosure(
            url: "https://media.example/22.m4a", mimeType: "audio", fileExtension: "m4a"),
          artworkURL: "https://media.example/160x160bb.jpg"),
        Episode(
          id: 1_000_000_000_021, title: "Everything else is missing",
          enclosure: Enclosure(url: "HTTP://media.example/21.mp3")),
        Episode(
          id: 1_000_000_000_023, title: "Episode 1000000000023",
          enclosure: Enclosure(url: "https://media.example/23.mp3")),
      ])
    #expect(listing.unplayableCount == 2)
  }

  @Test("an id that several addresses have is several episodes") func oneIDForAll() throws {
    let records = [1, 2, 1].map {
      #"{"kind":"podcast-episode","collectionId":7,"trackId":9,"episodeGuid":"g","#
        + #""trackName":"News","episodeUrl":"https://a.example/\#($0).mp3"}"#
    }
    let answer = #"{"resultCount":3,"results":[\#(records.joined(separator: ","))]}"#
    let listing = try ITunesAnswer.listing(from: Data(answer.utf8), id: 7)
    #expect(
      listing.episodes.map(\.enclosure.url) == [
        "https://a.example/1.mp3", "https://a.example/2.mp3",
      ])
  }

  @Test("a missing podcast is created from its episodes") func episodesOnly() throws {
    let listing = try ITunesAnswer.listing(
      from: Fixtures.data("Lookups/episodes-only.json"), id: 31)
    #expect(
      listing.podcast
        == Podcast(id: 31, title: "Only Episodes", feedURL: "https://feeds.example/31.xml"))
    #expect(listing.episodes.count == 1)
  }

  @Test("several podcasts keep their own episodes") func several() throws {
    let listings = try ITunesAnswer.listings(from: Fixtures.data("Lookups/several.json"))
    #expect(listings.map(\.podcast.title) == ["First", "Second"])
    #expect(listings.map { $0.episodes.map(\.title) } == [["Of the first"], ["Of the second"]])
  }

  @Test(
    "other structures are accepted too", arguments: [("single", "Alone"), ("quoted", "Quoted")])
  func shapes(name: String, title: String) throws {
    let listings = try ITunesAnswer.listings(from: Fixtures.data("Lookups/\(name).json"))
    #expect(listings.map(\.podcast.title) == [title])
  }

  @Test(
    "an unreadable answer says why",
    arguments: [
      ("html.html", PodgetError.Code.decoding, "web page"),
      ("cut.json", .decoding, "incomplete"),
      ("error.json", .decoding, "Invalid value(s) for key(s): [country]"),
      ("no-results.json", .decoding, "no list of results"),
      ("several.json", .decoding, "2 podcasts for the one id 1"),
      ("empty.json", .notFound, "no podcast with the id 1."),
      ("not-a-podcast.json", .notFound, "not a podcast"),
    ]) func failures(file: String, code: PodgetError.Code, words: String) throws
  {
    let data = try Fixtures.data("Lookups/\(file)")
    let error = #expect(throws: PodgetError.self) { try ITunesAnswer.listing(from: data, id: 1) }
    #expect(error?.code == code)
    #expect(error?.message.contains(words) == true)
  }

  @Test("bytes that are not an answer say why")
  func noAnswers() {
    for (text, words) in [
      ("", "empty"), ("\n\n \n", "empty"), ("{\"results\": [}", "not valid JSON"),
      ("{\"results\": 5}", "no list"), ("null", "incomplete"),
      ("{\"contents\": \"{\\\"contents\\\": \\\"{}\\\"}\"}", "no list"),
    ] {
      let error = #expect(throws: PodgetError.self) {
        try ITunesAnswer.listings(from: Data(text.utf8))
      }
      #expect(error?.code == .decoding)
      #expect(error?.message.contains(words) == true, "\(text): \(error?.message ?? "")")
    }
  }

  @Test("an answer with many brackets is an error", arguments: ["[", "{\"results\":", "{\"a\":"])
  func nesting(opening: String) throws {
    let bomb = Data(String(repeating: opening, count: 300_000).utf8)
    for data in [bomb, Data("{\"results\":[{\"a\":".utf8) + bomb] {
      #expect(throws: PodgetError.self) { try ITunesAnswer.listings(from: data) }
    }
  }

  @Test("a title with very many combining marks costs no more than others", .timeLimit(.minutes(5)))
  func marks() throws {
    let title = "a" + String(repeating: "\u{301}\u{323}", count: 200_000)
    let json = """
      {"results":[{"kind":"podcast","collectionId":7,"collectionName":"\(title)"},
      {"kind":"podcast-episode","trackId":8,"collectionId":7,"trackName":"\(title)",
      "episodeGuid":"\(title)","episodeUrl":"https://example.com/1.mp3"}]}
      """
    let listing = try ITunesAnswer.listing(from: Data(json.utf8), id: 7)
    let episode = try #require(listing.episodes.first)
    #expect(episode.title.unicodeScalars.count == 31)
    #expect(Set([listing.podcast.title, episode.title, episode.guid]).count == 1)
    // The same text in a record of a folder.
    var stored = StoredEpisode(episode)
    stored.title = title
    stored.guid = title
    #expect(Set([stored.episode]) == [episode])
    var show = StoredPodcast(listing.podcast)
    show.title = title
    #expect(show.podcast.title == listing.podcast.title)
  }

  @Test("a text that is not UTF-8 affects only itself") func invalidText() throws {
    var data = Data(
      #"{"results":[{"kind":"podcast","collectionId":1,"collectionName":"A","artistName":""#.utf8)
    data.append(contentsOf: [0xFF, 0xFE])
    data.append(contentsOf: Array(#""}]}"#.utf8))
    #expect(try ITunesAnswer.listing(from: data, id: 1).podcast.title == "A")
  }

  @Test("a truncated answer is an error, not a crash") func cuts() throws {
    let data = try Fixtures.data("Lookups/odd-fields.json")
    for length in stride(from: 0, to: data.count - 4, by: 7) {
      #expect(throws: PodgetError.self) { try ITunesAnswer.listings(from: data.prefix(length)) }
    }
  }
}
