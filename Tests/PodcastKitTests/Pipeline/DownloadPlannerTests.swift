import Foundation
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
  ) -> [DownloadPlan] {
    let podcast = podcast ?? self.podcast
    let known = KnownEpisodes(folders.library, query, isRecording: false)
    let listing = PodcastListing(podcast: podcast, episodes: episodes)
    return DownloadPlanner(filter: EpisodeFilter(), template: .standard)
      .plan(SourceResolver.Listing(listing: listing), of: "7", known).plans
  }

  @Test("known episodes keep their names, with new episodes and without them") func known() throws {
    let listed = [episode("a"), episode("b"), episode("a")]
    let known = plans(listed, knowing: .podcast(podcast))
    #expect(known.map(\.path) == ["Old/a.mp3", "Old/b.mp3"])
    #expect(known.map(\.episodeKey) == ["a", "b"])
    let more = plans([episode("a"), episode("b"), episode("c")], knowing: .all)
    #expect(more.map(\.path) == ["Old/a.mp3", "Old/b.mp3", "Show/Title c.mp3"])
    #expect(Array(more.prefix(2)) == known)
  }

  @Test("names of other podcasts are taken, whatever was read", arguments: ["Other", "OTHER"])
  func taken(folder: String) throws {
    // A recorded name, a file that nobody recorded, and what is planned.
    try folders.add("Title c", to: folder)
    try folders.folder.write("\(folder)/Title d.mp3", "d")
    let other = Podcast(id: 8, title: "Other")
    let third = Podcast(id: 9, title: "Other")
    // The first look at a library reads all of it.
    _ = folders.library.reading()
    let known = KnownEpisodes(folders.library, .podcast(other), isRecording: false)
    #expect(!known.reading.areAll)
    #expect(unlink(folders.folder.path("\(folder)/Title c.mp3")) == 0)
    let planner = DownloadPlanner(filter: EpisodeFilter(), template: .standard)
    func paths(_ podcast: Podcast, _ known: KnownEpisodes) -> [String] {
      let episodes = ["c", "d", "e"].map(episode)
      let listing = PodcastListing(podcast: podcast, episodes: episodes)
      return planner.plan(SourceResolver.Listing(listing: listing), of: "8", known).plans.map(
        \.path)
    }
    let first = paths(other, known)
    let second = paths(
      third,
      KnownEpisodes(
        folders.library, .podcast(third), isRecording: false,
        after: MadePlans(names: known.names)))
    #expect(first[2] == "\(folder)/Title e.mp3")
    let all = ["Title c.mp3", "Title d.mp3"].map { "\(folder)/\($0)" } + first + second
    #expect(Set(all.map { $0.lowercased() }).count == 8, "\(all)")
    #expect(all.allSatisfy { $0.hasPrefix("\(folder)/") })
    #expect(paths(other, KnownEpisodes(folders.library, isRecording: false)) == first)
  }
}
