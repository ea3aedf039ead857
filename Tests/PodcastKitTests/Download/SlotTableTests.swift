import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Slots") struct SlotTableTests {
  @Test("limits in total and per host")
  func limits() {
    var table = SlotTable(total: 3, perHost: 2)
    #expect([table.take("a"), table.take("a"), table.take("a")] == [true, true, false])
    #expect(table.hasRoom)
    #expect([table.take("b"), table.take("c")] == [true, false])
    #expect(!table.hasRoom)
    table.release("a")
    #expect([table.take("c"), table.take("a")] == [true, false])
  }

  @Test("one transfer is always allowed") func atLeastOne() {
    var table = SlotTable(total: 0, perHost: -1)
    #expect([table.take("a"), table.take("b")] == [true, false])
  }

  @Test("a slot that was not taken is not released") func release() {
    var table = SlotTable(total: 1, perHost: 1)
    table.release("a")
    #expect([table.take("a"), table.take("b")] == [true, false])
    table.release("b")
    #expect(!table.hasRoom)
    table.release("a")
    table.release("a")
    #expect([table.take("b"), table.take("a")] == [true, false])
  }

  @Test("a place that is left can be taken without another slot") func places() {
    var table = SlotTable(total: 1, perHost: 1)
    #expect([table.take("a"), table.releasePlace("a"), table.take("b")] == [true, true, false])
    #expect([table.takePlace("b"), table.takePlace("b")] == [true, false])
    table.release("b")
    #expect(table.hasRoom && table.count == 0)
    #expect([table.releasePlace("b"), table.take("b")] == [false, true])
  }

  @Test("random use agrees with counting", arguments: 0..<20)
  func walk(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let total = Int.random(in: 1...5, using: &random)
    let perHost = Int.random(in: 1...3, using: &random)
    var table = SlotTable(total: total, perHost: perHost)
    var running: [String] = []
    for _ in 0..<300 {
      let host = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
      if Bool.random(using: &random) {
        let used = running.count { $0 == host }
        let isFree = running.count < total && used < perHost
        #expect(table.take(host) == isFree)
        if isFree { running.append(host) }
      } else {
        table.release(host)
        if let place = running.firstIndex(of: host) { running.remove(at: place) }
      }
      #expect(table.hasRoom == (running.count < total))
    }
  }
}
