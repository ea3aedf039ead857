import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("Finding the local episode") struct EpisodeLookupTests {
  private let podcast = Podcast(id: 1, title: "P")

  private func plan(_ key: String, _ title: String, of podcast: Podcast? = nil) -> DownloadPlan {
    DownloadPlan(
      key: key, podcast: podcast ?? self.podcast,
      episode: Episode(
        guid: title, title: title, enclosure: Enclosure(url: "https://a.example/\(title).mp3")),
      folder: "P", stem: title, announcedExtension: "mp3")
  }

  private func local(_ plan: DownloadPlan, _ status: LocalEpisode.Status) -> LocalEpisode {
    LocalEpisode(plan: plan, file: LocalEpisode.File(status: status, bytes: 1))
  }

  @Test("a plan is known by its key alone") func byKey() {
    let index = EpisodeLookup([local(plan("a", "One"), .complete)])
    #expect(index.local(for: plan("a", "Two"))?.path == "P/One.mp3")
    #expect(index.local(for: plan("b", "One")) == nil)
  }

  @Test("a listing is recognized in any state, and its episodes get the known keys") func listing()
  {
    let states: [LocalEpisode.Status] = [.complete, .partial, .missing, .removed]
    let locals = states.map { local(plan("key \($0)", "\($0)"), $0) }
    let planned = UnfinishedDownload(plan: plan("key planned", "planned"))
    let other = local(plan("other", "complete", of: Podcast(id: 2, title: "P")), .complete)
    let names = states.map { "\($0)" } + ["planned"]
    let listed = PodcastListing(
      podcast: podcast, episodes: (names + ["new"]).map { plan("", $0).episode })
    let found = EpisodeLookup([other] + locals, unfinished: [planned]).identify(listed)
    let keys = listed.episodes.map { found.keys.key(podcast: podcast, episode: $0) }
    #expect(keys.dropLast() == names.map { EpisodeKey(named: "key \($0)").text }[...])
    #expect(keys.last == EpisodeIdentity.key(podcast: podcast, episode: listed.episodes[5]))
    #expect(listed.episodes.map { found.locals[$0]?.status } == states + [.planned, nil])
  }

  @Test("a planned episode is found in what is listed now") func current() {
    var now = plan("", "One").episode
    now.enclosure.url = "https://b.example/9.mp3"
    let listing = PodcastListing(podcast: podcast, episodes: [plan("", "Two").episode, now])
    #expect(listing.episode(of: plan("a", "One")) == now)
    #expect(listing.episode(of: plan("a", "Three")) == nil)
  }
}
