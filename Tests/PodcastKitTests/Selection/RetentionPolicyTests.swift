import Foundation
import PodcastModel
import Testing

@Suite("What a retention policy removes") struct RetentionPolicyTests {
  private typealias Candidate = RetentionPolicy.Candidate

  private func candidate(
    _ day: String?, _ bytes: Int64 = 10, podcast: String = "A", isComplete: Bool = true,
    isStarred: Bool = false
  ) -> RetentionPolicy.Candidate {
    Candidate(
      podcast: podcast, date: day.flatMap { Date(timestamp: "2024-01-\($0)T12:00:00Z") },
      bytes: bytes, isComplete: isComplete, isStarred: isStarred)
  }

  private func day(_ day: Int) -> CivilDay? { CivilDay(year: 2024, month: 1, day: day) }

  @Test("without a rule everything stays") func nothing() {
    #expect(RetentionPolicy().decisions(for: [candidate("01"), candidate(nil)]) == [.keep, .keep])
    #expect(RetentionPolicy(newest: 0).decisions(for: []) == [])
  }

  @Test("the newest of each podcast stay, whatever the order they come in") func newest() {
    let decisions = RetentionPolicy(newest: 2).decisions(for: [
      candidate("01"), candidate("03"), candidate("02"), candidate("01", podcast: "B"),
      candidate(nil),
    ])
    #expect(decisions == [.remove(.keep), .keep, .keep, .keep, .remove(.keep)])
  }

  @Test("of equal dates the first ones stay") func equalDates() {
    let decisions = RetentionPolicy(newest: 1).decisions(for: [candidate("01"), candidate("01")])
    #expect(decisions == [.keep, .remove(.keep)])
  }

  @Test("starred episodes stay, and count among the newest") func starred() {
    let decisions = RetentionPolicy(newest: 1).decisions(for: [
      candidate("03", isStarred: true), candidate("02"), candidate("01", isStarred: true),
    ])
    #expect(decisions == [.keep, .remove(.keep), .keepStarred(.keep)])
  }

  @Test("an incomplete episode stays, and is not one of the newest") func unfinished() {
    let decisions = RetentionPolicy(newest: 1, firstDay: day(31)).decisions(for: [
      candidate("03", isComplete: false), candidate("02"),
    ])
    #expect(decisions == [.keepUnfinished, .remove(.olderThan)])
  }

  @Test("the first day stays, the day before is removed, undated episodes stay") func age() {
    let decisions = RetentionPolicy(firstDay: day(2)).decisions(for: [
      candidate("02"), candidate("01"), candidate(nil),
    ])
    #expect(decisions == [.keep, .remove(.olderThan), .keep])
  }

  @Test("what was downloaded before a day is removed, however new it is") func downloads() {
    var all = [candidate("31"), candidate("01"), candidate("31", isStarred: true), candidate("31")]
    for (index, day) in ["01", "02", "01"].enumerated() {
      all[index].downloadedAt = Date(timestamp: "2024-01-\(day)T23:59:59Z")
    }
    #expect(
      RetentionPolicy(firstDownloadDay: day(2)).decisions(for: all)
        == [.remove(.downloadedBefore), .keep, .keepStarred(.downloadedBefore), .keep])
  }

  @Test("the oldest are removed until the rest fits, and no more") func room() {
    let all = [candidate("03"), candidate("01"), candidate("02", podcast: "B"), candidate("04")]
    #expect(
      RetentionPolicy(maximumBytes: 20).decisions(for: all)
        == [.keep, .remove(.maxSize), .remove(.maxSize), .keep])
    #expect(
      RetentionPolicy(maximumBytes: 39).decisions(for: all)
        == [.keep, .remove(.maxSize), .keep, .keep])
    #expect(
      RetentionPolicy(maximumBytes: 40).decisions(for: all) == Array(repeating: .keep, count: 4))
  }

  @Test("starred and unfinished ones take space but are never removed") func heldRoom() {
    let decisions = RetentionPolicy(maximumBytes: 25).decisions(for: [
      candidate("01", isStarred: true), candidate("02", isComplete: false), candidate("03"),
      candidate("04", 5),
    ])
    #expect(decisions == [.keepStarred(.maxSize), .keepUnfinished, .remove(.maxSize), .keep])
  }

  @Test("any rule is enough, the first one is named, and removed files make room") func together() {
    let policy = RetentionPolicy(newest: 3, firstDay: day(2), maximumBytes: 20)
    let decisions = policy.decisions(for: [
      candidate("05"), candidate("04"), candidate("03"), candidate("02"), candidate("01"),
      candidate("01", podcast: "B"),
    ])
    #expect(
      decisions == [
        .keep, .keep, .remove(.maxSize), .remove(.keep), .remove(.keep), .remove(.olderThan),
      ])
  }

  @Test("sizes that no disk has do not overflow") func overflow() {
    let decisions = RetentionPolicy(maximumBytes: 1).decisions(for: [
      candidate("01", .max), candidate("02", .max),
    ])
    #expect(decisions == [.remove(.maxSize), .remove(.maxSize)])
  }
}
