import Foundation
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastModel

@Suite("Attempts") struct RetryPolicyTests {
  @Test("the longest wait doubles up to the cap") func longest() {
    var generator = ConstantGenerator(bits: .max)
    let policy = RetryPolicy()
    let waits = [0, 1, 2, 3, 4, 7, 8, 9, 1_000_000].map {
      policy.delay(beforeAttempt: $0, using: &generator)
    }
    #expect(waits == [0, 0, 1, 2, 4, 32, 60, 60, 60].map { Duration.seconds($0) })
  }

  @Test("a wait may be anything from zero on") func jitter() {
    var least = ConstantGenerator(bits: 1)
    #expect(RetryPolicy().delay(beforeAttempt: 5, using: &least) == .zero)
    var random = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let wait = RetryPolicy().delay(beforeAttempt: 3, using: &random)
      #expect(wait >= .zero && wait <= .seconds(2))
    }
  }

  @Test("no base delay is no wait") func noDelay() {
    var generator = ConstantGenerator(bits: .max)
    let policy = RetryPolicy(baseDelay: .zero)
    #expect(policy.delay(beforeAttempt: 9, using: &generator) == .zero)
  }

  @Test("transient statuses") func statuses() {
    let transient = (100..<1000).filter { RetryPolicy.isTransient(status: $0) }
    #expect(transient == [408, 425, 429] + Array(500...599))
  }

  @Test(
    "Retry-After is parsed in every form",
    arguments: [
      ("120", 120), ("0", 0), (" 7 ", 7), ("-5", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 37),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 37), ("Sun Nov  6 08:49:37 1994", 37),
      ("Sat, 05 Nov 1994 08:49:37 GMT", 0), ("", nil), ("soon", nil), ("1.5", nil), ("1 2", nil),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 GMT x", nil),
    ] as [(String, Int?)]) func retryAfter(value: String, seconds: Int?) throws
  {
    let now = try #require(Date(timestamp: "1994-11-06T08:49:00Z"))
    #expect(RetryPolicy.retryAfter(value, now: now) == seconds.map { .seconds($0) })
  }

  @Test(
    "row 44: a date is compared with the clock of the same server",
    arguments: [
      ("Sun, 06 Nov 1994 08:59:02 GMT", "Sun, 06 Nov 1994 08:59:00 GMT", 2),
      ("Sun, 06 Nov 1994 08:39:02 GMT", " Sunday, 06-Nov-94 08:39:00 GMT ", 2),
      ("Sun, 06 Nov 1994 08:59:00 GMT", "Sun, 06 Nov 1994 08:59:02 GMT", 0),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "soon", 37), ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 37),
      ("120", "Sun, 06 Nov 1994 08:59:00 GMT", 120), (nil, "Sun, 06 Nov 1994 08:59:00 GMT", nil),
    ] as [(String?, String?, Int?)])
  func serverClock(value: String?, date: String?, seconds: Int?) throws {
    let now = try #require(Date(timestamp: "1994-11-06T08:49:00Z"))
    let fields = [
      value.map { HTTPField("Retry-After", $0) }, date.map { HTTPField("Date", $0) },
    ]
    let head = ResponseHead(status: 503, fields: fields.compactMap(\.self))
    #expect(RetryPolicy.retryAfter(head, now: now) == seconds.map { .seconds($0) })
  }

  @Test("a number too large to count is a very long wait") func huge() throws {
    let wait = RetryPolicy.retryAfter("99999999999999999999", now: Date())
    #expect(try #require(wait) > RetryPolicy.longestRetryAfter)
  }

  @Test("a year of two digits is at most fifty years ahead") func twoDigits() throws {
    let now = try #require(Date(timestamp: "2026-01-01T00:00:00Z"))
    let near = Date(httpDate: "Wednesday, 01-Jan-76 00:00:00 GMT", now: now)
    #expect(near == Date(timestamp: "2076-01-01T00:00:00Z"))
    let far = Date(httpDate: "Saturday, 01-Jan-77 00:00:00 GMT", now: now)
    #expect(far == Date(timestamp: "1977-01-01T00:00:00Z"))
  }
}
