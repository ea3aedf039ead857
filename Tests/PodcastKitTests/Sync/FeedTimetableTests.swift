import Foundation
import TestSupport
import Testing

@testable import PodcastModel

@Suite("When feeds are due") struct FeedTimetableTests {
  @Test("feeds come by their times, and those of one time in their order") func order() {
    var table = FeedTimetable()
    #expect(table.next == nil && table.takeDue(at: .distantFuture).isEmpty)
    for (feed, hour) in [("a", 3.0), ("b", 1), ("c", 2), ("d", 1)] {
      table.set(feed, SyncPieces.hour(hour))
    }
    #expect(table.next == SyncPieces.hour(1))
    #expect(table.takeDue(at: SyncPieces.hour(0.9)).isEmpty)
    #expect(table.takeDue(at: SyncPieces.hour(2)) == ["b", "d", "c"])
    #expect(table.next == SyncPieces.hour(3))
    table.set("a", nil)
    #expect(table.next == nil && table.takeDue(at: .distantFuture).isEmpty)
  }

  @Test("a feed has the last time that it was given", arguments: 0..<20 as Range<UInt64>)
  func replaced(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (table, times) = (FeedTimetable(), [String: Date]())
    for _ in 0..<2000 {
      let feed = "\(Int.random(in: 0..<50, using: &random))"
      let hour = Double(Int.random(in: 0..<100, using: &random))
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        table.set(feed, nil)
        times[feed] = nil
      case 1:
        let now = SyncPieces.hour(hour / 10)
        let due = table.takeDue(at: now)
        #expect(Set(due) == Set(times.filter { $0.value <= now }.keys))
        #expect(due.compactMap { times[$0] } == due.compactMap { times[$0] }.sorted())
        for feed in due { times[feed] = nil }
      default:
        table.set(feed, SyncPieces.hour(hour))
        times[feed] = SyncPieces.hour(hour)
      }
      #expect(table.next == times.values.min())
    }
  }
}
