import Foundation
import Testing

@testable import PodcastModel

@Suite("Which episodes of a feed are new") struct NewEpisodesTests {
  private typealias Item = (guid: String, day: Double?)

  private func episodes(_ items: [(guid: String, day: Double?)]) -> [Episode] {
    items.map { SyncPieces.episode($0.guid, $0.day.map { SyncPieces.day($0) }) }
  }

  private func state(_ items: [(guid: String, day: Double?)], at day: Double = 0) -> FeedState {
    let now = SyncPieces.day(day)
    let feed = ListedFeed(
      digest: "", episodes: episodes(items), lookAlikes: 0, known: 0, now: now)
    var state = FeedState()
    state.listed.merge(feed.items, at: now, lastChecked: nil)
    state.lastRead = now
    state.newest = feed.newest
    return state
  }

  /// The guids that are taken.
  private func taken(
    _ items: [(guid: String, day: Double?)], known: Set<String> = [], state: FeedState,
    filter: EpisodeFilter = EpisodeFilter(limit: 0), hasNewSettings: Bool = false,
    at day: Double = 10
  ) -> [String] {
    let episodes = episodes(items)
    let decision = decide(
      items, known: known, state: state, filter: filter, hasNewSettings: hasNewSettings, at: day)
    return decision.wanted.compactMap { episodes[$0].guid }
  }

  private func decide(
    _ items: [(guid: String, day: Double?)], known: Set<String> = [], state: FeedState,
    filter: EpisodeFilter = EpisodeFilter(limit: 0), hasNewSettings: Bool = false,
    at day: Double = 10
  ) -> NewEpisodes {
    NewEpisodes(
      in: episodes(items), ListedItem.items(of: episodes(items)),
      looksKnown: items.map { known.contains($0.guid) }, state: state,
      filter: filter, hasNewSettings: hasNewSettings, now: SyncPieces.day(day))
  }

  @Test(
    "each row of the table",
    arguments: [
      ("a", false, 9, .listedBefore), ("a", true, -90, .listedBefore),
      ("n", true, 9, .lookAlike), ("n", true, nil, .lookAlike), ("n", true, -90, .lookAlike),
      ("n", false, nil, .new), ("n", false, 9, .new), ("n", false, -1, .new),
      ("n", false, -14.9, .new), ("n", false, -15, .new), ("n", false, -15.01, .olderAdded),
      ("n", false, -900, .olderAdded), ("n", false, 99_999, .new),
    ] as [(String, Bool, Double?, NewEpisodes.Kind)])
  func rows(guid: String, looksKnown: Bool, day: Double?, kind: NewEpisodes.Kind) {
    let kinds = NewEpisodes.kinds(
      of: episodes([(guid, day)]), ListedItem.items(of: episodes([(guid, day)])),
      looksKnown: [looksKnown], state: state([("a", -1), ("b", -3)]), now: SyncPieces.day(10))
    #expect(kinds == [kind])
  }

  @Test("at the first sync, or without the keys, the newest are taken, by date and then by place")
  func first() {
    let items: [Item] = [("x", nil), ("a", 1), ("b", 3), ("c", 1), ("d", 2), ("y", nil)]
    let first = { taken(items, state: FeedState(), filter: EpisodeFilter(limit: $0)) }
    #expect(first(0) == [])
    #expect(first(3) == ["b", "d", "a"])
    #expect(first(4) == ["b", "d", "a", "c"])
    #expect(first(9) == ["b", "d", "a", "c", "x", "y"])
    #expect(first(-1) == [])
    let decision = decide(items, known: ["d"], state: FeedState(), filter: EpisodeFilter(limit: 3))
    #expect(decision.newCount == 2)
    #expect(decision.lookAlikeCount == 1)
    #expect(decision.olderAddedCount == 0)
  }

  @Test("later all new ones are taken, and with other settings the newest too") func later() {
    let old = state([("b", -1), ("a", -2)])
    let items: [Item] = [("b", -1), ("n", -5), ("a", -2), ("m", nil), ("o", 5), ("z", -90)]
    #expect(taken(items, state: old, filter: EpisodeFilter(limit: 2)) == ["o", "n", "m"])
    #expect(
      taken(items, state: old, filter: EpisodeFilter(limit: 2), hasNewSettings: true)
        == ["o", "b", "n", "m"])
    let decision = decide(items, state: old, filter: EpisodeFilter(limit: 2))
    #expect(decision.newCount == 3)
    #expect(decision.olderAddedCount == 1)
    #expect(taken([("b", -1)], state: old) == [])
    #expect(taken([("b", -1)], state: old, filter: EpisodeFilter(limit: 1)) == [])
  }

  @Test("a newest date that a wrong clock let pass counts as now") func wrongClock() {
    var old = state([("a", -1)])
    old.newest = SyncPieces.day(4000)
    #expect(taken([("n", 9), ("m", -5), ("a", -1)], state: old) == ["n"])
  }

  @Test("an episode dated before the last sync is not lost") func backdated() {
    #expect(taken([("n", -3), ("b", -1)], state: state([("b", -1)])) == ["n"])
  }

  @Test("of two episodes with the same date the second one is not lost") func equalDates() {
    #expect(taken([("c", -1), ("b", -1)], state: state([("b", -1)])) == ["c"])
  }

  @Test("one wrong date in the future hides nothing, then or later") func future() {
    let old = state([("f", 30), ("a", -1)])
    #expect(old.newest == SyncPieces.day(-1))
    #expect(taken([("n", 1), ("f", 30), ("a", -1)], state: old) == ["n"])
    #expect(taken([("n", -14), ("f", 30), ("a", -1)], state: old) == ["n"])
    #expect(
      taken([("f", 30), ("g", 40), ("a", 10)], state: FeedState(), filter: EpisodeFilter(limit: 9))
        == ["f", "g", "a"])
    let all = state([("f", 30)])
    #expect(all.newest == nil)
    #expect(taken([("n", -500), ("f", 30)], state: all) == ["n"])
  }

  @Test("an archive that comes back is counted, and taken with no limit only") func archive() {
    let old = state([("c", -1), ("b", -8)])
    let items: [Item] = [("c", -1), ("b", -8)] + (1...50).map { ("old\($0)", -100 - Double($0)) }
    let some = decide(items, state: old, filter: EpisodeFilter(limit: 3))
    #expect(some.wanted == [])
    #expect(some.olderAddedCount == 50)
    let changed = decide(
      items, state: old, filter: EpisodeFilter(limit: 3), hasNewSettings: true)
    #expect(changed.wanted == [0, 1, 2])
    #expect(changed.newCount == 1)
    #expect(changed.olderAddedCount == 49)
    let all = decide(items, state: old, filter: EpisodeFilter())
    #expect(all.wanted == Array(2..<52))
    #expect(all.newCount == 50)
    #expect(all.olderAddedCount == 0)
  }

  @Test("all guids changed: what is known is not new") func renamed() {
    let decision = decide(
      [("d2", 1), ("c2", -1), ("b2", -2)], known: ["c2", "b2"],
      state: state([("c", -1), ("b", -2)])
    )
    #expect(decision.wanted == [0])
    #expect(decision.newCount == 1)
    #expect(decision.lookAlikeCount == 2)
  }

  @Test("what does not pass the filter is neither taken nor counted") func filtered() throws {
    let filter = EpisodeFilter(limit: 1, match: try TitlePattern("^n"))
    let decision = decide(
      [("x", 5), ("n1", 4), ("n2", 3), ("a", -1), ("y", -99)], known: ["y"],
      state: state([("a", -1)]), filter: filter)
    #expect(decision.wanted == [1, 2])
    #expect(decision.newCount == 2)
    #expect(decision.lookAlikeCount == 0)
    #expect(decision.olderAddedCount == 0)
  }

  @Test("more new ones than come at once wait, unless they were asked for") func brake() {
    let old = state([("a", -1)])
    func decide(
      _ count: Int, _ state: FeedState, limit: Int? = 3, hasNewSettings: Bool = false,
      most: Int? = 50, day: Double = 1
    ) -> NewEpisodes {
      let items = episodes([("a", -1)] + (0..<count).map { ("n\($0)", day + Double($0) / 100) })
      return NewEpisodes(
        in: items, ListedItem.items(of: items), looksKnown: [], state: state,
        filter: EpisodeFilter(limit: limit), hasNewSettings: hasNewSettings, most: most,
        now: SyncPieces.day(10))
    }
    func counts(_ decision: NewEpisodes) -> [Int] {
      [decision.wanted.count, decision.waiting.count, decision.newlyWaitingCount]
    }
    #expect(counts(decide(50, old)) == [50, 0, 0])
    #expect(counts(decide(51, old)) == [0, 51, 51])
    #expect(counts(decide(51, old, limit: nil)) == [0, 51, 51])
    #expect(counts(decide(3, old, most: 2)) == [0, 3, 3])
    #expect(decide(51, old).passedOver.isEmpty)
    // An archive is no news, unless all is wanted.
    #expect(counts(decide(60, old, day: -90)) == [0, 0, 0])
    #expect(decide(60, old, day: -90).olderAddedCount == 60)
    #expect(counts(decide(60, old, limit: nil, day: -90)) == [0, 60, 60])
    // The first sync, other settings, a person.
    #expect(counts(decide(60, FeedState(), limit: nil)) == [61, 0, 0])
    #expect(counts(decide(60, old, hasNewSettings: true)) == [3, 57, 57])
    #expect(counts(decide(60, old, limit: nil, hasNewSettings: true)) == [61, 0, 0])
    #expect(counts(decide(60, old, most: nil)) == [60, 0, 0])
  }

  @Test("what waits is offered until it is accepted or known, and single new ones come meanwhile")
  func waiting() {
    var state = state([("a", -1)])
    let many: [Item] = (0..<60).map { ("n\($0)", -5 - Double($0) / 10) }
    func sync(_ items: [Item], known: Set<String> = [], most: Int? = 50) -> NewEpisodes {
      let episodes = episodes(items)
      let listed = ListedItem.items(of: episodes)
      let decision = NewEpisodes(
        in: episodes, listed, looksKnown: items.map { known.contains($0.guid) }, state: state,
        filter: EpisodeFilter(limit: 0), hasNewSettings: false, most: most, now: SyncPieces.day(30))
      state.listed.merge(listed, at: SyncPieces.day(30), lastChecked: SyncPieces.day(29))
      state.listed.setWaiting(decision.waiting, released: decision.released)
      state.newest = SyncPieces.day(25)
      return decision
    }
    func counts(_ decision: NewEpisodes) -> [Int] {
      [
        decision.wanted.count, decision.waiting.count, decision.newlyWaitingCount,
        decision.olderAddedCount,
      ]
    }
    #expect(counts(sync(many + [("a", -1)])) == [0, 60, 60, 0])
    // Also when they are older by now than what counts as new.
    #expect(counts(sync([("b", 25)] + many)) == [1, 60, 0, 0])
    #expect(counts(sync([("b", 25)])) == [0, 0, 0, 0])
    #expect(counts(sync([("b", 25)] + many, known: ["n1", "n2"])) == [0, 58, 0, 0])
    #expect(counts(sync(many)) == [0, 58, 0, 0])
    #expect(state.listed.waitingCount == 58)
    #expect(counts(sync([("c", 26)] + many.dropLast(8), most: nil)) == [51, 0, 0, 0])
    #expect(counts(sync(many)) == [0, 8, 0, 0])
    #expect(state.listed.waitingCount == 8)
  }

  @Test("a table of look-alikes that is too short does not trap") func short() {
    let decision = NewEpisodes(
      in: episodes([("a", 1), ("b", 2)]), ListedItem.items(of: episodes([("a", 1), ("b", 2)])),
      looksKnown: [true], state: FeedState(),
      filter: EpisodeFilter(limit: 5), hasNewSettings: false, now: SyncPieces.day(10))
    #expect(decision.newCount == 1)
  }

  @Test("dates outside all calendars are no dates") func absurd() {
    var items = episodes([("a", 1), ("b", 2), ("c", 3)])
    items[1].date = Date(timeIntervalSince1970: .nan)
    items[2].date = Date(timeIntervalSince1970: .infinity)
    let decision = NewEpisodes(
      in: items, ListedItem.items(of: items), looksKnown: [false, false, false],
      state: state([("z", 0)]),
      filter: EpisodeFilter(limit: 1), hasNewSettings: true, now: SyncPieces.day(10))
    #expect(decision.wanted == [0, 1, 2])
  }

  @Test(
    "very many episodes take no time that grows with their square", .timeLimit(.minutes(5))
  )
  func many() {
    let items: [Item] = (0..<30_000).map { ("\($0)", -Double($0 % 977)) }
    let decision = decide(
      items, state: state([("0", 0), ("1", -1)]), filter: EpisodeFilter(), hasNewSettings: true)
    #expect(decision.wanted.count == 30_000)
  }
}
