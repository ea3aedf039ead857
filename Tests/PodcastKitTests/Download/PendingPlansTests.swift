import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

@Suite("Plans that have not begun") struct PendingPlansTests {
  private func plan(_ key: String, _ host: String) -> DownloadPlan {
    DownloadPlan(
      key: key, podcast: Podcast(title: "P"),
      episode: Episode(title: key, enclosure: Enclosure(url: "https://\(host)/\(key).mp3")),
      folder: "P", stem: key, announcedExtension: "mp3")
  }

  private func key(_ name: String) -> String { EpisodeKey(named: name).text }

  private func pending() -> PendingPlans {
    var pending = PendingPlans()
    pending.add([plan("1", "a.example"), plan("2", "b.example"), plan("3", "a.example")])
    return pending
  }

  @Test func `hosts are in the order of their first plans, and each has its plans in order`() {
    var pending = pending()
    #expect(pending.hosts == ["https://a.example", "https://b.example"])
    #expect(pending.all.map(\.stem) == ["1", "3", "2"])
    #expect(pending.takeFirst(of: "https://a.example")?.stem == "1")
    #expect(pending["https://a.example"].map(\.stem) == ["3"])
    #expect(pending.takeFirst(of: "https://c.example") == nil)
  }

  @Test func `a host without plans is gone, and comes last when it has one again`() {
    var pending = pending()
    #expect(pending.take([key("3"), key("1"), key("9")]).map(\.stem) == ["1", "3"])
    #expect(pending.take([key("3")]).isEmpty)
    #expect(pending.hosts == ["https://b.example"])
    pending.add([plan("4", "a.example")])
    #expect(pending.hosts == ["https://b.example", "https://a.example"])
    _ = pending.takeFirst(of: "https://a.example")
    _ = pending.takeFirst(of: "https://b.example")
    #expect(pending.isEmpty && pending.all.isEmpty)
  }
}
