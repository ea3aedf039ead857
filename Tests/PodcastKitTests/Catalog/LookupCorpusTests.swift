import Foundation
import PodcastFeeds
import PodcastModel
import TestSupport
import Testing

/// Captured answers, decoded and compared with a plain reading of the same JSON.
@Suite("Captured answers", .enabled(if: Fixtures.corpus != nil, "the corpus is not here"))
struct LookupCorpusTests {
  @Test("decode to the expected values", arguments: LookupCorpusTests.names)
  func decode(name: String) throws {
    let corpus = try #require(Fixtures.corpus)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let expected = try decoder.decode(
      Expected.self,
      from: Data(contentsOf: corpus.appending(path: "expected/lookup/\(name).json")))
    let listings = try ITunesAnswer.listings(
      from: Data(contentsOf: corpus.appending(path: "lookup/\(name)")))
    #expect(
      listings.map(\.podcast)
        == expected.podcastList.map { podcast in
          Podcast(
            id: podcast.id, title: podcast.title, author: podcast.artist,
            feedURL: podcast.feedUrl.flatMap(FeedURL.init), artworkURL: podcast.artworkUrl600,
            episodeCount: podcast.trackCount)
        })
    #expect(listings.map(\.unplayableCount) == listings.map { _ in 0 })
    let episodes = listings.flatMap(\.episodes)
    #expect(episodes.count == expected.episodesCount)
    let byID = Dictionary(uniqueKeysWithValues: episodes.map { ($0.id, $0) })
    for value in expected.episodes {
      let episode = try #require(byID[value.id])
      #expect(episode.title == value.title)
      #expect(episode.guid == value.guid)
      #expect(episode.date == value.date.flatMap { Date(timestamp: $0) })
      #expect(episode.date != nil)
      #expect(episode.duration == value.durationMillis.map { .milliseconds($0) })
      #expect(
        episode.enclosure
          == Enclosure(url: value.url, mimeType: value.contentType, fileExtension: value.ext))
    }
    for listing in listings {
      let dates = listing.episodes.compactMap(\.date)
      #expect(dates == dates.sorted(by: >))
    }
  }

  static let names: [String] = {
    let folder = Fixtures.corpus?.appending(path: "lookup").path
    let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
    return names.sorted()
  }()

  private struct Expected: Decodable {
    struct PodcastValue: Decodable {
      var id: Int64
      var title: String
      var artist: String?
      var feedUrl: String?
      var artworkUrl600: String?
      var trackCount: Int?
    }

    struct EpisodeValue: Decodable {
      var id: Int64
      var title: String
      var url: String
      var guid: String?
      var date: String?
      var durationMillis: Int64?
      var ext: String?
      var contentType: String?
    }

    var podcastList: [PodcastValue]
    var episodes: [EpisodeValue]
    var episodesCount: Int
  }
}
