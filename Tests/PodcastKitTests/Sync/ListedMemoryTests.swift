import Foundation
import Testing

@testable import PodcastModel

@Suite("What a feed listed within a year") struct ListedMemoryTests {
  private func key(_ number: Int) -> ListedKey { ListedKey(value: UInt64(number)) }

  private func item(_ number: Int) -> ListedItem { ListedItem(key: key(number), signs: .unknown) }

  /// The memory after lists, each with its day and its keys; each was checked last when it was read.
  private func memory(_ lists: [(day: Double, keys: [Int])]) -> ListedMemory {
    var memory = ListedMemory()
    var lastChecked: Date?
    for list in lists {
      let now = SyncPieces.day(list.day)
      memory.merge(list.keys.map(item), at: now, lastChecked: lastChecked)
      lastChecked = now
    }
    return memory
  }

  private func numbers(_ memory: ListedMemory) -> [Int] { memory.keys.map { Int($0.value) } }

  /// Lists of 9 once in three weeks.
  private func regular(_ days: ClosedRange<Int>) -> [(day: Double, keys: [Int])] {
    stride(from: days.lowerBound, through: days.upperBound, by: 20).map { (Double($0), [9]) }
  }

  @Test("a list is merged, and what it lacks stays for a year") func merged() {
    #expect(numbers(memory([(0, [3, 2, 1]), (1, [1]), (2, [4, 3])])) == [1, 2, 3, 4])
    #expect(numbers(memory([(0, [1]), (0, [9])] + regular(1...361))) == [1, 9])
    #expect(numbers(memory([(0, [1]), (0, [9])] + regular(1...381))) == [9])
  }

  @Test("what the last list has was listed until the last check") func unchanged() {
    var memory = memory([(0, [2, 1])])
    memory.merge([item(2)], at: SyncPieces.day(800), lastChecked: SyncPieces.day(795))
    memory.merge([item(2)], at: SyncPieces.day(820), lastChecked: SyncPieces.day(800))
    #expect(numbers(memory) == [1, 2])
  }

  @Test("a clock that is wrong for a while forgets nothing", arguments: [4000.0, 300, -4000])
  func wrongClock(day: Double) {
    let before: [(day: Double, keys: [Int])] = [(0, [1]), (1, [2]), (20, [9])]
    for stay in [0.0, 1, 20] {
      let wrong = memory(before + [(day, [9]), (day + stay, [9]), (21, [9]), (22, [9])])
      #expect(numbers(wrong) == [1, 2, 9])
      #expect(wrong.days.max() == UInt16(19_875 + 22))
    }
    // And they are forgotten in time all the same.
    #expect(numbers(memory(before + [(day, [9])] + regular(21...441))) == [9])
  }

  @Test("names that are new in each answer do not grow without end", .timeLimit(.minutes(5)))
  func bounded() {
    var memory = ListedMemory()
    for round in 0..<40 {
      memory.merge(
        (0..<1000).map { item(round * 1000 + $0) }, at: SyncPieces.day(Double(round)),
        lastChecked: SyncPieces.day(Double(round) - 1))
    }
    #expect(numbers(memory) == Array(29_000..<40_000))
    memory.merge((50_000..<350_000).map { item($0) }, at: SyncPieces.day(40), lastChecked: nil)
    #expect(memory.count == 210_000)
  }

  @Test("what is missing or damaged is unknown, and keys in no order are sorted") func restored() {
    let stored = ListedMemory(
      keys: [key(2), key(1)], signs: [ListedSigns(value: 1)], days: [7],
      otherwise: SyncPieces.day(0))
    #expect(stored.keys == [key(1), key(2)])
    #expect(stored.signs == [.unknown, .unknown])
    #expect(stored.days == [19_875, 19_875])
    let one = ListedMemory(
      keys: [key(1)], signs: [ListedSigns(value: 1)], days: [7], otherwise: nil)
    #expect(one.signs == [ListedSigns(value: 1)])
    #expect(one.days == [7])
  }
}
