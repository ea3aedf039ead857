import Foundation
import Testing

@testable import PodcastModel

/// An episode, as the host of a feed may have it.
private struct Item: Sendable, ExpressibleByStringLiteral {
  var guid: String?
  var title: String
  var address: String
  var day: Double?

  init(_ guid: String?, _ title: String, _ address: String, _ day: Double?) {
    (self.guid, self.title, self.address, self.day) = (guid, title, address, day)
  }

  /// An ordinary one, of which everything is its own.
  init(stringLiteral name: String) {
    let day = Double(name.utf8.first ?? 0) / 10
    self.init("guid \(name)", "title \(name)", "/\(name).mp3", day)
  }

  var episode: Episode {
    Episode(
      guid: guid, title: title, date: day.map { SyncPieces.day($0) },
      enclosure: Enclosure(url: "https://a.example\(address)"))
  }

  func with(_ change: (inout Item) -> Void) -> Item {
    var changed = self
    change(&changed)
    return changed
  }
}

@Suite("Which episodes were listed before") struct ListedMatchingTests {
  private func items(_ list: [Item]) -> [ListedItem] { ListedItem.items(of: list.map(\.episode)) }

  /// Whether each item of a list was listed, after the lists before it. Those were read on the day of
  /// their newest item, or on another one.
  private func listed(_ list: [Item], after earlier: [[Item]], at day: Double? = nil) -> [Bool] {
    var memory = ListedMemory()
    for list in earlier {
      let day = day ?? list.compactMap(\.day).max() ?? 0
      memory.merge(items(list), at: SyncPieces.day(day), lastChecked: nil)
    }
    return memory.places(of: items(list)).map { $0 != nil }
  }

  @Test("signs are the same in every version") func frozen() {
    let item = Item("g", "Title", "/1.mp3?id=2", 0.5)
    #expect(items([item])[0].signs.value == 0x515D_588F_04B4_BF41)
    #expect(items([Item(nil, "", "", nil)])[0].signs.value == 0x0000_0040_C500_0000)
  }

  @Test("either key is enough: the guid, or the address or the title at the same time")
  func eitherKey() {
    let a: Item = "a"
    for same in [
      a.with { $0.guid = "new" }, a.with { $0.guid = nil },
      a.with { ($0.guid, $0.title) = ("new", "New") },
      a.with { ($0.guid, $0.address) = ("new", "/new") },
      a.with { $0.day = 50 }, a.with { ($0.day, $0.title) = (50, "New") },
      a.with { ($0.day, $0.address) = (50, "/new") },
      a.with { ($0.title, $0.address) = ("New", "/new") },
      a.with { ($0.title, $0.address, $0.day) = ("New", "/new", nil) },
    ] {
      #expect(listed([same, "n"], after: [["a", "b"]]) == [true, false], "\(same)")
    }
    for other in [
      a.with { ($0.guid, $0.day) = ("new", 50) }, a.with { ($0.guid, $0.day) = ("new", nil) },
      a.with { ($0.guid, $0.title, $0.address) = ("new", "New", "/new") },
      a.with { ($0.day, $0.title, $0.address) = (50, "New", "/new") },
    ] {
      #expect(listed([other], after: [["a", "b"]]) == [false], "\(other)")
    }
  }

  @Test("without a guid the address is enough, unless title and date contradict it") func noGUID() {
    let a = ("a" as Item).with { $0.guid = nil }
    #expect(listed([a.with { $0.title = "New" }], after: [[a]]) == [true])
    #expect(listed([a.with { $0.day = 50 }], after: [[a]]) == [true])
    #expect(listed([a.with { $0.guid = "now" }], after: [[a]]) == [true])
    #expect(listed([a.with { ($0.title, $0.day) = ("New", 50) }], after: [[a]]) == [false])
  }

  @Test("bulletins that share a guid, an address or a title, one at a time, are all new")
  func bulletins() {
    let hours = (1...6).map { Double($0) / 24 + 0.01 }
    for kind in 0..<5 {
      let bulletins = hours.map { hour in
        switch kind {
        case 0: Item("same", "News at \(hour)", "/\(hour).mp3", hour)
        case 1: Item("\(hour)", "News", "/latest.mp3", hour)
        case 2: Item("\(hour)", "News at \(hour)", "/latest.mp3", hour)
        case 3: Item(nil, "News at \(hour)", "/latest.mp3", hour)
        default: Item("\(hour)", "News", "/\(hour).mp3", hour)
        }
      }
      for count in 1...3 {
        var earlier = [Array(bulletins.prefix(count))]
        for next in bulletins.indices.dropFirst(count) {
          let list = Array(bulletins[(next + 1 - count)...next].reversed())
          let isListed = listed(list, after: earlier)
          #expect(
            isListed == [false] + Array(repeating: true, count: count - 1),
            "\(kind) \(count) \(next)")
          earlier.append(list)
        }
      }
    }
  }

  @Test("a day without a time of day is weak: a shared title or address does not count with it")
  func days() {
    // SyncPieces.day(0.5) is midnight.
    let known = (0..<3).map { Item("\($0)", "News", "/\($0).mp3", 0.5 - Double($0)) }
    #expect(listed([Item("new", "News", "/new.mp3", 0.5)], after: [known]) == [false])
    #expect(listed([Item("new", "News", "/0.mp3", 0.5)], after: [known]) == [true])
    let own = (0..<3).map { Item("\($0)", "News \($0)", "/latest", 0.5 - Double($0)) }
    #expect(listed([Item("new", "News 0", "/new.mp3", 0.5)], after: [own]) == [true])
    #expect(listed([Item("new", "News 7", "/latest", 0.5)], after: [own]) == [false])
    // One date for all episodes is no better.
    let imported = (0..<3).map { Item("\($0)", "News", "/\($0).mp3", 0.1) }
    #expect(listed([Item("new", "News", "/new.mp3", 0.1)], after: [imported]) == [false])
    #expect(
      listed(
        imported.map { item in item.with { $0.guid = "new \($0.address)" } }, after: [imported])
        == [true, true, true])
  }

  @Test("without dates other guids are other episodes") func undated() {
    let item = Item("a", "News", "/latest.mp3", nil)
    #expect(listed([item.with { $0.guid = "b" }], after: [[item]]) == [false])
  }

  @Test("a matched episode replaces the remembered one, so that its next change is recognized")
  func replaced() {
    let a: Item = "a"
    let second = a.with { $0.guid = "new" }
    let third = second.with { ($0.title, $0.address) = ("New", "/new") }
    #expect(listed([third], after: [[a], [second]]) == [true])
    var memory = ListedMemory()
    for round in 0..<20 {
      memory.merge(
        items((0..<50).map { Item("\(round) \($0)", "T\($0)", "/\($0)", Double($0) / 7) }),
        at: SyncPieces.day(Double(round)), lastChecked: nil)
    }
    #expect(memory.count == 50)
  }

  /// Twelve episodes, one each 12 hours, the last one first.
  private let regular = (0..<12).map { number in
    Item("g\(number)", "Title \(number)", "/\(number).mp3", 9.3 - Double(number) / 2)
  }

  @Test(
    "guids that change together with dates are no news",
    arguments: [61 / 86_400.0, 1 / 24.0, -9 / 24.0, 14 / 24.0])
  func moved(days: Double) {
    func changed(_ change: (inout Item) -> Void) -> [Item] {
      regular.map { item in
        item.with {
          $0.guid = "new \(item.title)"
          $0.day = item.day.map { $0 + days }
          change(&$0)
        }
      }
    }
    let oneTitle = regular.map { item in item.with { $0.title = "News" } }
    #expect(listed(changed { _ in }, after: [regular]).allSatisfy { $0 })
    #expect(listed(changed { $0.title = "News" }, after: [oneTitle]).allSatisfy { $0 })
    #expect(
      listed(changed { $0.address = "/new\($0.address)" }, after: [regular]).allSatisfy { $0 })
    #expect(listed(changed { $0.title = "New \($0.title)" }, after: [regular]).allSatisfy { $0 })
    #expect(
      listed(["z"] + changed { _ in }.prefix(4), after: [regular])
        == [false, true, true, true, true])
  }

  @Test("so they are in a long list, whose signs are too short to be unique") func movedLong() {
    func list(_ prefix: String, _ shift: Double) -> [Item] {
      (0..<4000).map { Item("\(prefix) \($0)", "News", "/\($0).mp3", -Double($0) / 24 + shift) }
    }
    #expect(listed(list("new", 1 / 24), after: [list("old", 0)]).allSatisfy { $0 })
    #expect(listed(list("new", 1 / 720), after: [list("old", 0)]).allSatisfy { $0 })
  }

  @Test("a date before the newest one is no news, if title and address are as they were")
  func backdated() {
    let changed = regular[3].with { ($0.guid, $0.day) = ("new", 8.999) }
    #expect(listed([regular[0], changed], after: [regular]) == [true, true])
    // One sign alone may be chance.
    for other in [
      changed.with { $0.title = "New" }, changed.with { $0.address = "/new" },
      changed.with { ($0.title, $0.day) = ("New", nil) },
    ] {
      #expect(listed([regular[0], other], after: [regular]) == [true, false])
    }
    // A date that was in the future then makes nothing old.
    let future = Item("f", "Coming soon", "/f.mp3", 90)
    let latest = Item("1", "News", "/latest.mp3", 1)
    #expect(
      listed(
        [latest.with { ($0.guid, $0.day) = ("2", 2) }, future], after: [[latest, future]], at: 1)
        == [false, true])
  }

  @Test(
    "titles or addresses that return at every hour or day are news", arguments: [1 / 24.0, 1, 7])
  func slots(days: Double) {
    for keeps in [\Item.title, \.address] {
      let slots = (0..<6).map { number in
        Item("\(number)", "Slot \(number)", "/\(number).mp3", 1 + Double(number) / 10_000)
      }
      let next = slots.map { item in
        item.with {
          $0.guid = "next \(item.title)"
          $0.day = item.day.map { $0 + days }
          if keeps == \Item.title { $0.address = "/next\(item.address)" }
        }
      }
      #expect(listed(next, after: [slots]) == Array(repeating: false, count: 6))
      #expect(listed(next + slots, after: [slots]) == (0..<12).map { $0 > 5 })
    }
  }

  @Test("a list of a moved feed shares its titles at their addresses, whatever the dates are")
  func shared() {
    var memory = ListedMemory()
    memory.merge(items(regular), at: SyncPieces.day(10), lastChecked: nil)
    func shares(_ item: Item) -> Bool { memory.shares(items([item])) }
    #expect(shares(regular[0].with { ($0.guid, $0.day) = ("new", 40) }))
    #expect(!shares(regular[0].with { ($0.guid, $0.day, $0.title) = ("new", 40, "New") }))
    #expect(!shares(regular[0].with { ($0.guid, $0.day, $0.address) = ("new", 40, "/new") }))
  }

  @Test("an episode that replaces another one under its guid is new, in a list of very few")
  func replacedInPlace() {
    func show(_ week: Int, _ guid: String = "show") -> Item {
      Item(guid, "The Show", "/\(guid) \(week).mp3", Double(week) * 7)
    }
    var earlier = [[show(0)]]
    for week in 1..<5 {
      #expect(listed([show(week)], after: earlier) == [false])
      earlier.append([show(week)])
      #expect(listed([show(week)], after: earlier) == [true])
      // A stale copy.
      #expect(listed([show(week - 1)], after: earlier) == [true])
    }
    #expect(
      listed([show(1, "b"), show(1)], after: [[show(0, "b"), show(0)]]) == [false, false])
    // A new file with the same date, or an earlier one, is a correction; so is one among others.
    #expect(listed([show(0).with { $0.address = "/new" }], after: [[show(0)]]) == [true])
    #expect(listed([show(0).with { $0.day = 7 }], after: [[show(0)]]) == [true])
    #expect(listed([show(-1)], after: [[show(0)]]) == [true])
    #expect(listed([show(1), show(0, "b")], after: [[show(0), show(0, "b")]]) == [true, true])
    let moved = regular.map { item in
      item.with { ($0.address, $0.day) = ("/new\(item.address)", item.day.map { $0 + 9 }) }
    }
    #expect(listed(moved, after: [regular]).allSatisfy { $0 })
  }

  @Test("keys of an earlier version count alone") func earlier() {
    let known = items(["a", "b"])
    let memory = ListedMemory(keys: known.map(\.key), signs: [], days: [], otherwise: nil)
    let changed = ("a" as Item).with { ($0.title, $0.address, $0.day) = ("New", "/new", 50) }
    #expect(memory.places(of: items([changed, "c"])).map { $0 != nil } == [true, false])
  }

  @Test(
    "very many episodes take no time that grows with their square", .timeLimit(.minutes(5)))
  func many() {
    let list = (0..<30_000).map { Item("\($0)", "T", "/", Double($0 % 977)) }
    let changed = list.map { item in item.with { $0.guid = "new \(item.guid ?? "")" } }
    #expect(listed(changed, after: [list]).allSatisfy { !$0 })
  }

  @Test(
    "very many episodes under one name take no time that grows with their square either",
    .timeLimit(.minutes(5)))
  func manyUnderOneName() {
    let bulletins = (0..<20_000).map { number in
      Item("same", "News", "/latest.mp3", Double(number % 1440) / 1440 - 0.5)
    }
    let items = items(bulletins)
    var memory = ListedMemory()
    memory.merge(items, at: SyncPieces.day(0), lastChecked: nil)
    #expect(memory.count == 1440)
    for _ in 0..<10 { #expect(memory.places(of: items).allSatisfy { $0 != nil }) }
  }
}
