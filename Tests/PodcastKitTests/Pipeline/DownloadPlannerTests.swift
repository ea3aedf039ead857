import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel

@Suite("Planning what a listing has") struct DownloadPlannerTests {
  private let folders: LibraryFolders
  private let podcast = Podcast(id: 7, title: "Show")

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "Old")
    try folders.add("b", to: "Old", isThere: false)
  }

  private func episode(_ name: String) -> Episode {
    Episode(
      guid: "guid of \(name)", title: "Title \(name)",
      enclosure: Enclosure(url: "https://a.example/\(name).mp3"))
  }

  private func plans(
    _ episodes: [Episode], of podcast: Podcast? = nil, knowing query: EpisodeQuery
  ) -> [DownloadPlan]? {
    let podcast = podcast ?? self.podcast
    let known = KnownEpisodes(folders.library, query, isRecording: false)
    let listing = PodcastListing(podcast: podcast, episodes: episodes)
    return DownloadPlanner(filter: EpisodeFilter(), template: .standard)
      .plan(SourceResolver.Listing(listing: listing), of: "7", known)?.plans
  }

  @Test("known episodes keep their names, with new episodes and without them") func known() throws {
    let listed = [episode("a"), episode("b"), episode("a")]
    let known = try #require(plans(listed, knowing: .podcast(podcast)))
    #expect(known.map(\.path) == ["Old/a.mp3", "Old/b.mp3"])
    #expect(known.map(\.episodeKey) == ["a", "b"])
    let more = try #require(plans([episode("a"), episode("b"), episode("c")], knowing: .all))
    #expect(more.map(\.path) == ["Old/a.mp3", "Old/b.mp3", "Show/Title c.mp3"])
    #expect(Array(more.prefix(2)) == known)
  }

  @Test("nothing new is named if not all of the library is known") func new() {
    // The first look at a library reads all of it.
    _ = folders.library.reading()
    let other = Podcast(id: 8, title: "Other")
    #expect(plans([episode("c")], of: other, knowing: .podcast(other)) == nil)
    #expect(
      plans([episode("c")], of: other, knowing: .all)?.map(\.path) == ["Other/Title c.mp3"])
  }
}
