import PodcastTransfer
import Testing

@Suite("Byte ranges") struct ByteRangeTests {
  @Test("only bounds in order make a range")
  func bounds() {
    #expect(ByteRange(start: 0, end: 0)?.count == 0)
    #expect(ByteRange(start: 0, end: .max)?.count == .max)
    #expect(ByteRange(start: .max, end: .max)?.count == 0)
    #expect(ByteRange(start: 1, end: 0) == nil)
    #expect(ByteRange(start: -1, end: 0) == nil)
    #expect(ByteRange(start: .min, end: .max) == nil)
  }

  @Test("the last possible byte has no byte after it")
  func included() {
    #expect(ByteRange(first: 0, last: 0) == ByteRange(start: 0, end: 1))
    #expect(ByteRange(first: 0, last: .max - 1) == ByteRange(start: 0, end: .max))
    #expect(ByteRange(first: 0, last: .max) == nil)
    #expect(ByteRange(first: .max, last: .max) == nil)
    #expect(ByteRange(first: 5, last: 4) == nil)
    #expect(ByteRange(first: -1, last: 4) == nil)
  }

  @Test("a count never leads beyond 64 bits")
  func counted() {
    #expect(ByteRange(start: 5, count: 4) == ByteRange(start: 5, end: 9))
    #expect(ByteRange(start: .max - 1, count: 1)?.end == .max)
    #expect(ByteRange(start: .max, count: 1) == nil)
    #expect(ByteRange(start: 5, count: -1) == nil)
    #expect(ByteRange(start: -5, count: 9) == nil)
  }

  @Test("what ranges share, and how they begin")
  func parts() throws {
    let range = try #require(ByteRange(start: 10, end: 20))
    let far = try #require(ByteRange(start: .max - 5, end: .max))
    #expect(range.intersection(range) == range)
    #expect(
      try range.intersection(#require(ByteRange(start: 15, end: .max)))
        == ByteRange(start: 15, end: 20))
    #expect(try range.intersection(#require(ByteRange(start: 20, end: 30))) == nil)
    #expect(range.intersection(far) == nil)
    #expect(range.prefix(3) == ByteRange(start: 10, end: 13))
    #expect(range.prefix(.max) == range)
    #expect(range.prefix(-1).count == 0)
    #expect(far.prefix(.max) == far)
  }
}
