import Foundation
import Testing

@testable import PodcastModel

@Suite("Two lists of one podcast") struct JoinedListingTests {
  private static func episode(
    _ number: Int, id: Int64? = nil, guid: String? = nil, url: String? = nil, day: Int? = nil
  ) -> Episode {
    Episode(
      id: id, guid: guid, title: "Number \(number)",
      date: Date(timeIntervalSince1970: 86_400 * Double(day ?? number)),
      enclosure: Enclosure(url: url ?? "https://a.example/\(number).mp3"))
  }

  private static func listing(_ episodes: [Episode]) -> PodcastListing {
    PodcastListing(podcast: Podcast(id: 7, title: "P", episodeCount: 9), episodes: episodes)
  }

  @Test(
    "an episode that both have is listed once, with what either says", arguments: [true, false])
  func both(hasGUIDs: Bool) {
    let apple = (3...5).reversed().map {
      Self.episode($0, id: Int64($0), guid: hasGUIDs ? "g\($0)" : nil)
    }
    let feed = (1...5).reversed().map { number in
      var episode = Self.episode(number, guid: hasGUIDs ? "g\(number)" : nil)
      episode.season = 2
      episode.enclosure.length = 100
      return episode
    }
    let (joined, places) = Self.listing(apple).joined(with: Self.listing(feed))
    #expect(joined.episodes.map(\.title) == feed.map(\.title))
    #expect(joined.episodes.map(\.id) == [5, 4, 3, nil, nil])
    #expect(joined.episodes.allSatisfy { $0.season == 2 && $0.enclosure.length == 100 })
    #expect(places == [0, 1, 2, 3, 4])
    #expect(joined.podcast.id == 7 && joined.podcast.episodeCount == nil)
  }

  @Test("episodes that the feed lacks are inserted by their date")
  func missing() {
    let apple = [9, 4, 0].map { Self.episode($0, id: Int64($0), guid: "a\($0)") }
    let feed = [8, 6, 2].map { Self.episode($0, guid: "f\($0)") }
    let (joined, places) = Self.listing(apple).joined(with: Self.listing(feed))
    #expect(joined.episodes.map(\.title) == [9, 8, 6, 4, 2, 0].map { "Number \($0)" })
    #expect(places == [nil, 0, 1, nil, 2, nil])
  }

  @Test("other episodes with one guid stay two")
  func repeatedGUIDs() {
    let apple = [Self.episode(1, id: 1, guid: "same"), Self.episode(2, id: 2, guid: "same")]
    let feed = [Self.episode(1, guid: "same"), Self.episode(2, guid: "same")]
    let joined = Self.listing(apple).joined(with: Self.listing(feed)).listing
    #expect(joined.episodes.map(\.id) == [1, 2])
    let more = feed + [Self.episode(3, guid: "same")]
    let rest = Self.listing([apple[1]]).joined(with: Self.listing(more)).listing
    #expect(rest.episodes.map(\.title) == ["Number 1", "Number 2", "Number 3"])
    #expect(rest.episodes.map(\.id) == [nil, 2, nil])
    let none = Self.listing([Self.episode(4, id: 4, guid: "same")]).joined(with: Self.listing(feed))
    #expect(none.listing.episodes.map(\.title) == ["Number 4", "Number 1", "Number 2"])
  }
}
