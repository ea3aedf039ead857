import PodcastModel
import TestSupport
import Testing

@Suite struct SubscriptionMergeTests {
  private typealias Followed = SubscriptionMerge.Followed

  private static func merge(
    _ base: [String], _ local: [String], _ remote: [String],
    _ preference: SubscriptionMerge.Preference? = nil
  ) -> SubscriptionMerge {
    SubscriptionMerge(
      base: base.map { .init(here: $0, there: $0) }, local: local.map { Followed($0) },
      remote: remote, preference: preference
    ) { $0.lowercased() }
  }

  @Test func theFirstExchangeIsAUnion() {
    let merge = Self.merge([], ["a", "b"], ["b", "c"])
    #expect(merge.addHere == ["c"])
    #expect(merge.addThere == ["a"])
    #expect(merge.removeHere.isEmpty && merge.removeThere.isEmpty)
    #expect(merge.agreed.map(\.here) == ["a", "b", "c"])
    #expect(merge.loss == nil)
  }

  @Test func aRemovalGoesToTheOtherSide() {
    let merge = Self.merge(["a", "b", "c"], ["a", "b"], ["a", "c"])
    #expect(merge.removeHere == ["b"])
    #expect(merge.removeThere == ["c"])
    #expect(merge.agreed.map(\.here) == ["a"])
    #expect(merge.loss == nil)
  }

  @Test(
    arguments: [
      (["a"], ["a"], [], true), (["a", "b"], ["a", "b"], [], true),
      (["a", "b"], [], ["a", "b"], false), (["a", "b"], ["a", "b", "c"], [], true),
      (["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d", "e", "f"], ["a"], true),
      (["a", "b", "c", "d", "e", "f"], ["f"], ["a", "b", "c", "d", "e", "f"], false),
    ] as [([String], [String], [String], Bool)])
  func `a lost list is a loss`(base: [String], local: [String], remote: [String], isHere: Bool) {
    #expect(Self.merge(base, local, remote).loss?.isHere == isHere)
  }

  @Test func aFewOfManyAreNoLoss() {
    let all = (0..<20).map { "feed \($0)" }
    #expect(Self.merge(all, all, Array(all.prefix(11))).loss == nil)
    #expect(Self.merge(all, all, Array(all.prefix(9))).loss?.count == 11)
  }

  @Test func oneSideWinsOnlyWhenTold() {
    let server = Self.merge(["a", "b"], ["a", "b", "c"], ["a", "d"], .server)
    #expect(server.removeHere == ["b", "c"])
    #expect(server.addHere == ["d"])
    #expect(server.addThere.isEmpty && server.removeThere.isEmpty)
    let local = Self.merge(["a", "b"], ["a", "c"], ["a", "b", "d"], .local)
    #expect(local.removeThere == ["b", "d"])
    #expect(local.addThere == ["c"])
    #expect(local.addHere.isEmpty && local.removeHere.isEmpty)
  }

  @Test func aMovedFeedStaysOnePodcast() {
    let merge = SubscriptionMerge(
      base: [.init(here: "old", there: "OLD")], local: [Followed("new", earlier: ["old"])],
      remote: ["OLD"]
    ) { $0.lowercased() }
    #expect(merge.isEmpty)
    #expect(merge.agreed == [.init(here: "new", there: "OLD")])
  }

  @Test func secretsStayUnlessTold() {
    func merge(_ remote: [String], shares: Bool) -> SubscriptionMerge {
      SubscriptionMerge(
        base: [], local: [Followed("a", isPrivate: true), Followed("b")], remote: remote,
        sharesPrivate: shares
      ) { $0 }
    }
    #expect(merge([], shares: false).addThere == ["b"])
    #expect(merge([], shares: false).withheld == ["a"])
    #expect(merge([], shares: true).addThere == ["a", "b"])
    // A phone that follows it knows it already.
    #expect(merge(["a"], shares: false).agreed.map(\.here) == ["a", "b"])
  }

  @Test func theServersSpellingIsKept() {
    var first = Self.merge([], ["a ", "bad"], [])
    first.take(updates: [("a ", "a"), ("bad", "")])
    let second = SubscriptionMerge(
      base: first.agreed, local: [Followed("a "), Followed("bad")], remote: ["a"]
    ) { $0 }
    #expect(second.isEmpty)
    #expect(second.agreed == first.agreed)
    // The phone removes it.
    let third = SubscriptionMerge(
      base: second.agreed, local: [Followed("a "), Followed("bad"), Followed("c")], remote: ["c"]
    ) { $0 }
    #expect(third.removeHere == ["a "])
  }

  @Test func `podcasts that the server spells alike stay, and leave together`() {
    var first = Self.merge([], ["f0", "f1", "g"], [])
    first.take(updates: [("f0", "x"), ("f1", "x")])
    func next(_ local: [String], _ remote: [String]) -> SubscriptionMerge {
      SubscriptionMerge(base: first.agreed, local: local.map { Followed($0) }, remote: remote) {
        $0
      }
    }
    let second = next(["f0", "f1", "g"], ["x", "g"])
    #expect(second.isEmpty)
    #expect(second.agreed == first.agreed)
    #expect(next(["f0", "g"], ["x", "g"]).isEmpty)
    #expect(next(["g"], ["x", "g"]).removeThere == ["x"])
    #expect(next(["f0", "f1", "g"], ["g"]).removeHere == ["f0", "f1"])
  }

  @Test func `additions hide no loss`() {
    let base = (0..<6).map { "feed \($0)" }
    let new = (0..<20).map { "new \($0)" }
    #expect(Self.merge(base, Array(base.dropLast()) + new, []).loss?.isHere == true)
    #expect(Self.merge(base, base + new, ["feed 1", "other"]).loss?.isHere == true)
    #expect(Self.merge(base, [], Array(base.dropLast()) + new).loss?.isHere == false)
    #expect(Self.merge(base, ["feed 1", "other"], base + new).loss?.isHere == false)
  }

  @Test func `removals of named podcasts count together`() {
    let named = (0..<8).map { "feed \($0)" }
    let junk = (0..<30).map { "junk \($0)" }
    func merge(_ remote: [String], before: Int = 0) -> SubscriptionMerge {
      SubscriptionMerge(
        base: (named + junk).map { .init(here: $0, there: $0) },
        local: named.map { Followed($0) } + junk.map { Followed($0, isNamed: false) },
        remote: remote + junk, removedBefore: .init(named: before)
      ) { $0 }
    }
    #expect(merge(Array(named.dropLast(3))).loss == nil)
    #expect(merge(Array(named.dropLast(3))).removed.named == 3)
    #expect(merge(Array(named.dropLast(5))).loss?.isHere == true)
    #expect(merge(Array(named.dropLast(1)), before: 8).loss?.isHere == true)
    #expect(merge(Array(named.dropLast(1)), before: 7).loss?.isHere == true)
    #expect(merge(Array(named.dropLast(1)), before: 5).loss == nil)
    // What the server has added itself is its own.
    let other = SubscriptionMerge(
      base: (named + junk).map { .init(here: $0, there: $0) },
      local: named.map { Followed($0) }
        + junk.map { Followed($0, isNamed: false, isSettled: false) },
      remote: named + junk.dropLast(6), removedBefore: .init(named: 8, settled: 8)
    ) { $0 }
    #expect(other.loss == nil && other.removed.named == 0 && other.removed.settled == 0)
    // Unless it did so long ago.
    let settled = SubscriptionMerge(
      base: junk.map { .init(here: $0, there: $0) },
      local: junk.map { Followed($0, isNamed: false) }, remote: junk.dropLast(6),
      removedBefore: .init(settled: 20)
    ) { $0 }
    #expect(settled.loss?.isHere == true && settled.removed.settled == 6)
  }

  @Test func `what the library cannot follow stays`() {
    let merge = SubscriptionMerge(
      base: [.init(here: "bad 1", there: "bad 1")], local: [Followed("a")],
      remote: ["a", "b", "bad 1", "bad 2"], canFollow: { !$0.hasPrefix("bad") }
    ) { $0 }
    #expect(merge.addHere == ["b"])
    // This one was removed here.
    #expect(merge.removeThere == ["bad 1"])
    #expect(merge.agreed.map(\.here) == ["a", "b"])
  }

  @Test(arguments: [nil, .server, .both] as [SubscriptionMerge.Preference?])
  func `a list with what cannot be read removes nothing here`(
    preference: SubscriptionMerge.Preference?
  ) {
    func merge(_ isWhole: Bool) -> SubscriptionMerge {
      SubscriptionMerge(
        base: ["a", "b", "c", "gone"].map { .init(here: $0, there: $0) },
        local: ["a", "b", "c", "own"].map { Followed($0) }, remote: ["a", "b", "gone", "new"],
        preference: preference, isWhole: isWhole
      ) { $0 }
    }
    let odd = merge(false)
    #expect(odd.removeHere.isEmpty && odd.loss == nil && odd.addHere.contains("new"))
    #expect(odd.kept == (preference == nil ? 1 : preference == .server ? 2 : 0))
    // It is still agreed on: the next list may lack it for good.
    #expect(odd.agreed.contains(.init(here: "c", there: "c")))
    #expect(odd.removeThere == (preference == nil ? ["gone"] : []))
    #expect(
      merge(true).removeHere
        == (preference == nil ? ["c"] : preference == .server ? ["c", "own"] : []))
    #expect(merge(true).kept == 0)
  }

  @Test func `all spellings leave together`() {
    func key(_ text: String) -> String { text.lowercased() }
    let first = SubscriptionMerge(
      base: [], local: [Followed("a"), Followed("b", earlier: ["old"])],
      remote: ["A", "a", "c", "b", "Old"], key: key)
    let second = SubscriptionMerge(
      base: first.agreed, local: [Followed("c")], remote: ["A", "a", "c", "b", "Old"], key: key)
    #expect(second.removeThere.sorted() == ["A", "Old", "a", "b"])
    #expect(second.addHere.isEmpty)
  }

  @Test func `what the server never had stays when the server wins`() {
    let merge = SubscriptionMerge(
      base: [.init(here: "old", there: "old")],
      local: [
        Followed("a", isPrivate: true), Followed("b"),
        Followed("new", earlier: ["old"], isPrivate: true),
      ], remote: ["c"], preference: .server
    ) { $0 }
    #expect(merge.removeHere == ["b", "new"])
    #expect(merge.withheld == ["a"])
  }

  @Test func `an address that becomes a secret is not sent`() {
    let merge = SubscriptionMerge(
      base: [.init(here: "old", there: "old")],
      local: [Followed("new?token", earlier: ["old"], isPrivate: true)], remote: [],
      preference: .local
    ) { $0 }
    #expect(merge.addThere.isEmpty)
    #expect(merge.withheld == ["new?token"])
    #expect(merge.agreed.isEmpty)
  }

  /// Two libraries and a server; answers are lost and processes killed at any step.
  @Test(arguments: 0..<1000)
  func allSidesEndEqual(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (server, bases): (Set<String>, [[SubscriptionMerge.Agreed]]) = ([], [[], []])
    var sides: [Set<String>] = [[], []]
    var added: Set<String> = []
    var removed: Set<String> = []
    func exchange(_ side: Int, until step: Int) {
      let merge = SubscriptionMerge(
        base: bases[side], local: sides[side].sorted().map { Followed($0) },
        remote: server.sorted()
      ) { $0 }
      guard step > 0 else { return }
      sides[side].subtract(merge.removeHere)
      sides[side].formUnion(merge.addHere)
      guard step > 1 else { return }
      server.subtract(merge.removeThere)
      server.formUnion(merge.addThere)
      guard step > 2 else { return }
      bases[side] = merge.agreed
    }
    for _ in 0..<60 {
      let side = Int.random(in: 0..<2, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let feed = "feed \(added.count)"
        added.insert(feed)
        sides[side].insert(feed)
      case 2:
        if let feed = sides[side].sorted().randomElement(using: &random) {
          sides[side].remove(feed)
          removed.insert(feed)
        }
      default: exchange(side, until: Int.random(in: 0...3, using: &random))
      }
    }
    for side in [0, 1, 0, 1] { exchange(side, until: 3) }
    #expect(sides[0] == server)
    #expect(sides[1] == server)
    // Nothing is lost that nobody removed.
    #expect(added.subtracting(removed).isSubset(of: server))
  }
}
