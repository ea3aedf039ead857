import Foundation
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("From when ages count") struct RetentionTimeTests {
  private let day = 86_400.0
  private let now = Date(timestamp: "2026-01-10T12:00:00Z") ?? .distantPast

  /// An answer at that time.
  private struct Answer {
    var date: String?
    var status = 200
    var url = "https://a.example/feed"
    var age: String?
  }

  private let same = "Sat, 10 Jan 2026 11:59:00 GMT"
  private let other = "Wed, 12 Jan 2016 12:00:00 GMT"

  private func clock(_ answers: Answer..., from start: ServerClock = .silent) -> ServerClock {
    var clock = start
    for answer in answers {
      let fields = [
        answer.date.map { HTTPField("Date", $0) }, answer.age.map { HTTPField("Age", $0) },
      ]
      clock.take(
        ResponseHead(status: answer.status, fields: fields.compactMap(\.self)),
        from: WebAddress(answer.url), at: now)
    }
    return clock
  }

  @Test("what servers say about the clock") func servers() {
    #expect(clock() == .silent)
    #expect(clock(Answer()) == .silent)
    #expect(clock(Answer(date: "yesterday")) == .silent)
    #expect(clock(Answer(date: same)) == .agrees(now))
    #expect(clock(Answer(date: same, status: 304)) == .agrees(now))
    #expect(clock(Answer(date: other)) == .differs)
    #expect(clock(Answer(date: "Fri, 09 Jan 2026 11:00:00 GMT")) == .differs)
  }

  @Test("one that has another day wins, whenever it answers") func contradiction() {
    #expect(clock(Answer(date: same), Answer(date: other)) == .differs)
    #expect(clock(Answer(date: other), Answer(date: same)) == .differs)
  }

  @Test("errors say nothing", arguments: [404, 502, 301, 407]) func errors(status: Int) {
    #expect(clock(Answer(date: same, status: status)) == .silent)
    #expect(clock(Answer(date: other, status: status)) == .silent)
  }

  @Test(
    "another day of a machine of this network says nothing, and outvotes none",
    arguments: ["http://127.0.0.1:80/a", "http://nas.local/a", "http://192.168.1.2/a"])
  func neighbor(url: String) {
    #expect(clock(Answer(date: same, url: url)) == .agrees(now))
    #expect(clock(Answer(date: other, url: url)) == .silent)
    #expect(clock(Answer(date: same, url: url), Answer(date: other)) == .differs)
    #expect(clock(Answer(date: other, url: url), Answer(date: same)) == .agrees(now))
    #expect(clock(Answer(date: same, url: "no")) == .silent)
  }

  @Test("an answer from a cache is as old as the cache says") func cached() {
    let past = "Mon, 05 Jan 2026 12:00:00 GMT"
    #expect(clock(Answer(date: past)) == .differs)
    #expect(clock(Answer(date: past, age: "432000")) == .agrees(now))
    #expect(clock(Answer(date: past, age: "9223372036854775807")) == .differs)
    #expect(clock(Answer(date: past, age: "-1")) == .differs)
  }

  @Test("a clock that servers contradict counts on no day") func contradicted() throws {
    let folder = try TemporaryFolder()
    let library = try #require(try Library.open(folder.path, creating: true))
    func counted(_ servers: ServerClock, _ days: Double) -> Date {
      RetentionTime(now: now + days * day, servers: servers).counted(in: library, isRecording: true)
    }
    let wrong = 3650.0
    #expect(counted(.differs, wrong) == RetentionTime.never)
    #expect(counted(.differs, wrong + 2) == RetentionTime.never)
    // What an earlier run without an answer has noted does not count either.
    #expect(counted(.silent, wrong + 3) == RetentionTime.never)
    #expect(counted(.differs, wrong + 4) == RetentionTime.never)
    #expect(counted(.silent, wrong + 5) == RetentionTime.never)
    #expect(counted(.silent, 0) == RetentionTime.never)
    #expect(counted(.silent, 1) == now)
    // The clock jumped after the answer.
    #expect(counted(.agrees(now + 2 * day), wrong) == now + 2 * day)
    #expect(counted(.silent, 4) == now + 2 * day)
  }
}
