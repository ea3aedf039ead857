import Testing

@testable import PodcastTransfer

@Suite("Content-Range and Content-Length") struct ContentRangeTests {
  @Test(
    "well-formed values are parsed",
    arguments: [
      ("bytes 0-0/1", ContentRange(range: ByteRange(first: 0, last: 0), total: 1)),
      ("bytes 300-999/1000", ContentRange(range: ByteRange(first: 300, last: 999), total: 1000)),
      ("Bytes 300-999/*", ContentRange(range: ByteRange(first: 300, last: 999), total: nil)),
      ("bytes */1000", ContentRange(range: nil, total: 1000)),
      ("bytes  5-6/7 ", ContentRange(range: ByteRange(first: 5, last: 6), total: 7)),
      (
        "bytes 9223372036854775805-9223372036854775806/9223372036854775807",
        ContentRange(range: ByteRange(first: .max - 2, last: .max - 1), total: .max)
      ),
    ])
  func wellFormed(text: String, range: ContentRange) {
    #expect(ContentRange(text) == range)
  }

  @Test(
    "malformed values are ignored",
    arguments: [
      "", "bytes", "bytes ", "0-1/2", "items 0-1/2", "bytes 1-0/2", "bytes 0-2/2", "bytes 0-1/-2",
      "bytes -1-1/2", "bytes 0x0-1/2", "bytes 0-1/", "bytes /2", "bytes */*", "bytes */", "bytes *",
      "bytes 0-1", "bytes 0 - 1/2", "bytes 0-9223372036854775808/*",
      "bytes 0-9223372036854775807/*", "bytes 9223372036854775807-9223372036854775807/*",
      "bytes 0-1/2, 3-4/5",
      "bytes ٠-١/٢",
    ])
  func malformed(text: String) {
    #expect(ContentRange(text) == nil)
  }

  private func length(_ fields: [(String, String)]) -> ResponseHead.ContentLength {
    ResponseHead(status: 200, fields: fields.map { HTTPField($0.0, $0.1) }).contentLength
  }

  @Test("lengths that agree are one length")
  func agreeing() {
    #expect(length([]) == .unknown)
    #expect(length([("Content-Length", "10")]) == .known(10))
    #expect(length([("content-length", "10"), ("Content-Length", "10")]) == .known(10))
    #expect(length([("Content-Length", "10, 10")]) == .known(10))
    #expect(length([("Content-Length", "0")]) == .known(0))
  }

  @Test("lengths that differ are ignored", arguments: ["10, 11", "x", "-5", "+5", "1e3", "0x10"])
  func contradictory(value: String) {
    #expect(length([("Content-Length", value)]) == .contradictory)
    #expect(length([("Content-Length", "5"), ("Content-Length", value)]) == .contradictory)
  }

  @Test("a chunked body has no length, whatever other fields say")
  func chunked() {
    #expect(length([("Content-Length", "10"), ("Transfer-Encoding", "chunked")]) == .unknown)
  }

  @Test("codings other than identity")
  func codings() {
    let head = ResponseHead(
      status: 200,
      fields: [
        HTTPField("Content-Encoding", "identity, GZIP"), HTTPField("content-encoding", " , br"),
      ])
    #expect(head.codings == ["gzip", "br"])
    #expect(head.unknownCodings == [])
    let labelled = ResponseHead(
      status: 200, fields: [HTTPField("Content-Encoding", "utf-8, audio/mpeg")])
    #expect(labelled.codings == [] && labelled.unknownCodings == ["audio/mpeg"])
    #expect(ResponseHead(status: 200).codings == [])
  }
}
