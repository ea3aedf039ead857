import Foundation
import PodcastModel
import Testing

@Suite("Choosing episodes") struct EpisodeFilterTests {
  private static func episode(
    _ title: String, _ date: String? = nil, id: Int64? = nil, guid: String? = nil,
    seconds: Int? = nil, season: Int? = nil, kind: Episode.Kind = .full
  ) -> Episode {
    Episode(
      id: id, guid: guid, title: title, date: date.flatMap { Date(timestamp: $0) },
      duration: seconds.map { .seconds($0) }, enclosure: Enclosure(url: "https://a.example/1"),
      season: season, kind: kind)
  }

  private let episodes = [
    episode("Undated one", id: 1),
    episode("Älter", "2024-01-01T00:00:00Z", id: 2, seconds: 600, season: 1),
    episode("Newest: Q&A", "2024-03-01T23:59:59Z", id: 3, guid: "g-3", seconds: 5400, kind: .bonus),
    episode("Middle", "2024-02-01T12:00:00Z", id: 4, seconds: 1200, season: 2, kind: .trailer),
    episode("middle again", "2024-02-01T12:00:00Z", id: 5, guid: "2", season: 2),
    episode("Undated two", id: 6),
  ]

  private func ids(_ filter: EpisodeFilter) -> [Int64?] {
    filter.select(from: episodes).map(\.id)
  }

  @Test("newest first, undated last, equal ones in their order") func order() {
    #expect(ids(EpisodeFilter()) == [3, 4, 5, 2, 1, 6])
    #expect(EpisodeFilter(limit: 1).matching(episodes) == episodes)
  }

  @Test("the limit counts after the conditions") func limit() throws {
    #expect(ids(EpisodeFilter(limit: 2)) == [3, 4])
    #expect(ids(EpisodeFilter(limit: 1, match: try TitlePattern("MIDDLE"))) == [4])
    #expect(ids(EpisodeFilter(limit: 0)) == [])
    #expect(ids(EpisodeFilter(limit: 99)).count == 6)
  }

  @Test("both ends of a span of days are in it") func days() {
    let first = CivilDay(year: 2024, month: 1, day: 1)
    let last = CivilDay(year: 2024, month: 3, day: 1)
    #expect(ids(EpisodeFilter(since: first, until: last)) == [3, 4, 5, 2])
    #expect(ids(EpisodeFilter(since: last)) == [3])
    #expect(ids(EpisodeFilter(until: first)) == [2])
    #expect(ids(EpisodeFilter(since: last?.adding(days: 1))) == [])
  }

  @Test("titles are matched anywhere, without case") func titles() throws {
    #expect(ids(EpisodeFilter(match: try TitlePattern("^middle$"))) == [4])
    #expect(ids(EpisodeFilter(match: try TitlePattern("äLTER"))) == [2])
    #expect(ids(EpisodeFilter(match: try TitlePattern("A\u{308}lter"))) == [2])
    #expect(ids(EpisodeFilter(match: try TitlePattern(#"q&a|\bone\b"#))) == [3, 1])
    #expect(ids(EpisodeFilter(exclude: try TitlePattern("undated|MIDDLE"))) == [3, 2])
    let both = EpisodeFilter(match: try TitlePattern("d"), exclude: try TitlePattern("again"))
    #expect(ids(both) == [4, 1, 6])
  }

  @Test("an unknown duration meets no limit") func durations() {
    #expect(ids(EpisodeFilter(minimumDuration: .seconds(1200))) == [3, 4])
    #expect(ids(EpisodeFilter(maximumDuration: .seconds(1200))) == [4, 2])
    let span = EpisodeFilter(minimumDuration: .seconds(601), maximumDuration: .seconds(5399))
    #expect(ids(span) == [4])
  }

  @Test("episodes are named by track id or guid") func named() {
    let filter = EpisodeFilter(episodes: ["2", "g-3", "nobody", "3"])
    #expect(ids(filter) == [3, 5, 2])
    #expect(filter.unknownEpisodes(among: episodes) == ["nobody"])
    #expect(EpisodeFilter().unknownEpisodes(among: episodes) == [])
  }

  @Test("type and season") func kinds() {
    #expect(ids(EpisodeFilter(kind: .trailer)) == [4])
    #expect(ids(EpisodeFilter(kind: .full)) == [5, 2, 1, 6])
    #expect(ids(EpisodeFilter(season: 2)) == [4, 5])
    #expect(ids(EpisodeFilter(kind: .full, season: 2)) == [5])
  }
}
