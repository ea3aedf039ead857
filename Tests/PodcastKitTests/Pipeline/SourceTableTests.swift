import PodcastFeeds
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel

@Suite("What sources mean in a library") struct SourceTableTests {
  private func plan(_ podcast: Podcast, episode: Int64? = nil) -> DownloadPlan {
    DownloadPlan(
      key: "a", podcast: podcast,
      episode: Episode(id: episode, title: "T", enclosure: Enclosure(url: "https://a.example/a")),
      folder: "P", stem: "T", announcedExtension: "mp3")
  }

  @Test("a podcast is meant by its id, its feed, its title or a link to one of its episodes")
  func meanings() throws {
    let feed = "https://a.example/feed"
    let names = [
      "7", "https://podcasts.apple.com/us/podcast/name/id7?i=70", feed, "the show", "8",
      "THE SHOW",
    ]
    let podcast = Podcast(id: 7, title: "The Show", feedURL: FeedURL(feed))
    let others = [
      Podcast(id: 8, title: "Another"), Podcast(title: "Another"), Podcast(title: "the SHOW"),
    ]
    let table = LibrarySources(names).table(of: [podcast] + others)
    #expect(Set(table.places(of: plan(podcast, episode: 70))) == [0, 1, 2, 3, 5])
    #expect(Set(table.places(of: plan(podcast, episode: 71))) == [0, 2, 3, 5])
    #expect(table.places(of: plan(Podcast(id: 8, title: "Another"), episode: 70)) == [4])
    #expect(table.places(of: plan(Podcast(title: "Another"))).isEmpty)
    let local = LocalEpisode(
      plan: plan(Podcast(title: "the SHOW")),
      file: LocalEpisode.File(status: .complete, bytes: 1))
    #expect(Set(table.places(of: local)) == [3, 5])
    #expect(LibrarySources(["-"]).table(of: others).places(of: local).isEmpty)
  }
}
