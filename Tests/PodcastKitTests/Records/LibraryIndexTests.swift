import Testing

@testable import PodcastKit

@Suite("Finding the local episode") struct LibraryIndexTests {
  private static func plan(
    _ key: String, podcast: Podcast = Podcast(id: 1, title: "P"), guid: String? = nil,
    id: Int64? = nil, url: String = "https://a.example/x.mp3", title: String = "T"
  ) -> DownloadPlan {
    DownloadPlan(
      key: key, podcast: podcast,
      episode: Episode(id: id, guid: guid, title: title, enclosure: Enclosure(url: url)),
      folder: "P", stem: title, announcedExtension: "mp3")
  }

  private static func local(_ plan: DownloadPlan) -> LocalEpisode {
    LocalEpisode(plan: plan, path: plan.path, status: .complete, bytes: 1)
  }

  private func find(_ plan: DownloadPlan, among local: [DownloadPlan]) -> String? {
    LibraryIndex(local.map(Self.local)).local(for: plan)?.plan.key
  }

  @Test("by its key, whatever else changed") func byKey() {
    let known = Self.plan("a", guid: "g", url: "https://a.example/1")
    let now = Self.plan("a", guid: "h", url: "https://b.example/2", title: "Other")
    #expect(find(now, among: [known]) == "a")
    #expect(find(Self.plan("b", url: "https://b.example/3"), among: [known]) == nil)
    #expect(find(now, among: []) == nil)
  }

  @Test("by guid, Apple's id or address, within its podcast") func byAlias() {
    #expect(
      find(
        Self.plan("b", guid: "g", url: "https://b.example/2"), among: [Self.plan("a", guid: "g")])
        == "a")
    #expect(
      find(Self.plan("b", id: 5, url: "https://b.example/2"), among: [Self.plan("a", id: 5)])
        == "a")
    #expect(
      find(Self.plan("b", url: "https://a.example/x.mp3?token=1#t"), among: [Self.plan("a")])
        == "a")
  }

  @Test("a guid that differs outweighs an equal address") func guidDecides() {
    #expect(find(Self.plan("b", guid: "h"), among: [Self.plan("a", guid: "g")]) == nil)
    #expect(
      find(
        Self.plan("c", guid: "h"),
        among: [Self.plan("a", guid: "g"), Self.plan("b", guid: "h", url: "https://c.example/")])
        == "b")
  }

  @Test("not from another podcast") func otherPodcast() {
    let other = Podcast(id: 2, title: "P")
    #expect(
      find(Self.plan("b", podcast: other, guid: "g"), among: [Self.plan("a", guid: "g")]) == nil)
    let byFeed = Podcast(title: "P", feedURL: "https://a.example/feed")
    #expect(
      find(
        Self.plan("b", podcast: byFeed, guid: "g"),
        among: [
          Self.plan(
            "a", podcast: Podcast(title: "Renamed", feedURL: "https://a.example/feed"), guid: "g")
        ])
        == "a")
  }
}
