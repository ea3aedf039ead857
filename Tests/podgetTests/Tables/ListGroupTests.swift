import PodcastKit
import Testing

@testable import podget

@Suite("Groups of lists") struct ListGroupTests {
  private static let episodes = [
    Sample.local("e", "2024-12-31"), Sample.local("d", "2024-12-30", podcast: Sample.other),
    Sample.local("c", "2024-12-29"), Sample.local("b", "2023-12-29"), Sample.local("a"),
  ]

  private func groups(_ kind: ListGrouping, isReversed: Bool = false) -> [String] {
    ListGroup.groups(
      of: Self.episodes, by: kind, podcasts: Sample.podcasts(of: Self.episodes),
      isReversed: isReversed
    ).map {
      "\($0.title): \(Sample.titles($0.episodes).joined())"
    }
  }

  @Test("times, the newest first, the undated last") func times() {
    #expect(
      groups(.day)
        == ["2024-12-31: e", "2024-12-30: d", "2024-12-29: c", "2023-12-29: b", "Undated: a"])
    #expect(groups(.week) == ["2025-W01: ed", "2024-W52: c", "2023-W52: b", "Undated: a"])
    #expect(groups(.month) == ["2024-12: edc", "2023-12: b", "Undated: a"])
    #expect(groups(.year) == ["2024: edc", "2023: b", "Undated: a"])
  }

  @Test("reversed, the oldest first, the undated still last") func reversed() {
    #expect(groups(.year, isReversed: true) == ["2023: b", "2024: edc", "Undated: a"])
    #expect(
      groups(.podcast, isReversed: true) == ["The Symbolic World: ecba", "another show: d"])
  }

  @Test("podcasts by title without case; one that changed its title stays one") func podcasts() {
    #expect(groups(.podcast) == ["another show: d", "The Symbolic World: ecba"])
    var renamed = Sample.podcast
    renamed.title = "Renamed"
    let episodes = [Sample.local("x"), Sample.local("y", podcast: renamed)]
    #expect(
      ListGroup.groups(
        of: episodes, by: .podcast, podcasts: Sample.podcasts(of: episodes), isReversed: false
      ).count == 1)
  }
}
