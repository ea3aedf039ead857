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

  /// Whether each item of a list was listed, after the lists before it.
  private func listed(_ list: [Item], after earlier: [[Item]]) -> [Bool] {
    var memory = ListedMemory()
    for list in earlier { memory.merge(items(list), at: SyncPieces.day(0), lastChecked: nil) }
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

  @Test("keys of an earlier version count alone") func earlier() {
    let known = items(["a", "b"])
    let memory = ListedMemory(keys: known.map(\.key), signs: [], days: [], otherwise: nil)
    let changed = ("a" as Item).with { ($0.title, $0.address, $0.day) = ("New", "/new", 50) }
    #expect(memory.places(of: items([changed, "c"])).map { $0 != nil } == [true, false])
  }

  @Test(
    "very many episodes take no time that grows with their square", .timeLimit(.minutes(1)))
  func many() {
    let list = (0..<30_000).map { Item("\($0)", "T", "/", Double($0 % 977)) }
    let changed = list.map { item in item.with { $0.guid = "new \(item.guid ?? "")" } }
    #expect(listed(changed, after: [list]).allSatisfy { !$0 })
  }

  @Test(
    "very many episodes under one name take no time that grows with their square either",
    .timeLimit(.minutes(1)))
  func manyUnderOneName() {
    let bulletins = (0..<40_000).map { number in
      Item("same", "News", "/latest.mp3", Double(number % 1440) / 1440 - 0.5)
    }
    let items = items(bulletins)
    var memory = ListedMemory()
    memory.merge(items, at: SyncPieces.day(0), lastChecked: nil)
    #expect(memory.count == 1440)
    for _ in 0..<50 { #expect(memory.places(of: items).allSatisfy { $0 != nil }) }
  }
}
