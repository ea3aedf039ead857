import PodcastTransfer
import Testing

@testable import PodcastModel

/// The rows are those of the table of server behaviours in the engine's design notes.
@Suite("Answers to a range request") struct RangeResponseTests {
  static let etag = Validator(etag: "\"a\"")
  static let held = HeldBytes(count: 400, total: 1000, validator: etag)

  static func partial(
    _ range: String?, length: Int64? = nil, _ extra: [HTTPField] = [HTTPField("ETag", "\"a\"")]
  ) -> ResponseHead {
    var fields = extra
    if let range { fields.append(HTTPField("Content-Range", range)) }
    if let length { fields.append(HTTPField("Content-Length", String(length))) }
    return ResponseHead(status: 206, fields: fields)
  }

  static func part(_ start: Int64, _ end: Int64, of total: Int64?) -> RangeVerdict? {
    ByteRange(start: start, end: end).map { .part($0, total: total) }
  }

  private func verdict(
    _ head: ResponseHead, _ held: HeldBytes = held, from start: Int64? = 300
  ) -> RangeVerdict {
    RangeVerdict(head, held: held, rangeStart: start)
  }

  @Test("row 1: the requested range is compared and appended")
  func row1() {
    let part = Self.part(300, 1000, of: 1000)
    #expect(verdict(Self.partial("bytes 300-999/1000", length: 700)) == part)
    #expect(verdict(Self.partial("bytes 300-999/1000", length: 700, [])) == part)
    let identity = [HTTPField("Content-Encoding", "identity"), HTTPField("ETag", "\"a\"")]
    #expect(verdict(Self.partial("bytes 300-999/1000", length: 700, identity)) == part)
  }

  @Test("row 2: an earlier start only compares more")
  func row2() {
    #expect(
      verdict(Self.partial("bytes 0-999/1000", length: 1000))
        == Self.part(0, 1000, of: 1000))
  }

  @Test("row 3: a later start needs an overlap or the same strong validator")
  func row3() {
    #expect(
      verdict(Self.partial("bytes 399-999/1000", length: 601, []))
        == Self.part(399, 1000, of: 1000))
    #expect(
      verdict(Self.partial("bytes 400-999/1000", length: 600))
        == Self.part(400, 1000, of: 1000))
    #expect(
      verdict(Self.partial("bytes 400-999/1000", length: 600, []))
        == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 3: without a validator the complete requested overlap is needed")
  func row3Unproven() {
    let held = HeldBytes(count: 400, total: 1000, validator: Validator())
    #expect(
      verdict(Self.partial("bytes 399-999/1000", length: 601, []), held)
        == .refused(.restart(.rangeProtocol)))
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700, []), held)
        == Self.part(300, 1000, of: 1000))
  }

  @Test("row 4: a gap is not accepted")
  func row4() {
    #expect(
      verdict(Self.partial("bytes 401-999/1000", length: 599)) == .refused(.restart(.rangeProtocol))
    )
  }

  @Test("row 5: a part that ends early is used as far as it goes")
  func row5() {
    #expect(
      verdict(Self.partial("bytes 300-599/1000", length: 300))
        == Self.part(300, 600, of: 1000))
  }

  @Test("row 6: another total is another version")
  func row6() {
    #expect(
      verdict(Self.partial("bytes 300-1199/1200", length: 900)) == .refused(.restart(.changed)))
    #expect(
      verdict(Self.partial("bytes 300-1199/1200", length: 900, [])) == .refused(.restart(.changed)))
  }

  @Test("row 7: an unknown total needs the same strong validator and a stored total")
  func row7() {
    #expect(
      verdict(Self.partial("bytes 300-999/*", length: 700))
        == Self.part(300, 1000, of: 1000))
    #expect(
      verdict(Self.partial("bytes 300-999/*", length: 700, []))
        == .refused(.restart(.rangeProtocol)))
    let open = HeldBytes(count: 400, total: nil, validator: Self.etag)
    #expect(
      verdict(Self.partial("bytes 300-999/*", length: 700), open)
        == .refused(.restart(.rangeProtocol)))
  }

  @Test(
    "row 8: without a valid Content-Range nothing is combined",
    arguments: [
      nil, "", "bananas", "bytes", "bytes 300-999", "bytes 300/1000", "bytes -999/1000",
      "bytes 300-/1000", "bytes +300-999/1000", "items 300-999/1000", "bytes 999-300/1000",
      "bytes 300-1000/1000", "bytes */1000", "bytes */*", "bytes 300-999/x", "bytes=300-999/1000",
      "bytes 300-999/1000/2", "bytes 300-999-1/1000",
    ])
  func row8(range: String?) {
    #expect(verdict(Self.partial(range, length: 700)) == .refused(.restart(.rangeProtocol)))
  }

  @Test(
    "row 8: a range that ends at the largest number is invalid",
    arguments: [
      "bytes 0-9223372036854775807/*", "bytes 9223372036854775807-9223372036854775807/*",
      "bytes 300-9223372036854775807/9223372036854775807",
    ])
  func row8Huge(range: String) {
    #expect(verdict(Self.partial(range)) == .refused(.restart(.rangeProtocol)))
    #expect(verdict(Self.partial(range, length: .max)) == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 7: a part of unknown total does not pass the stored one")
  func row7Beyond() {
    #expect(verdict(Self.partial("bytes 300-1000/*")) == .refused(.restart(.rangeProtocol)))
    #expect(
      verdict(Self.partial("bytes 300-9223372036854775806/*")) == .refused(.restart(.rangeProtocol))
    )
  }

  @Test("row 8: two Content-Range fields are invalid")
  func row8Twice() {
    var head = Self.partial("bytes 300-999/1000")
    head.fields.append(HTTPField("Content-Range", "bytes 300-999/1000"))
    #expect(verdict(head) == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 9: a length that contradicts the range", arguments: [0, 1, 699, 701, 1000])
  func row9(length: Int64) {
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: length))
        == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 10: another strong validator is another version, although If-Range was sent")
  func row10() {
    let other = [HTTPField("ETag", "\"b\"")]
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700, other))
        == .refused(.restart(.changed)))
    let modified = "Thu, 16 Feb 2023 16:00:17 GMT"
    let dated = HeldBytes(
      count: 400, total: 1000,
      validator: Validator(lastModified: modified, date: "Fri, 17 Feb 2023 16:00:17 GMT"))
    let later = [HTTPField("Last-Modified", "Thu, 16 Feb 2023 16:00:18 GMT")]
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700, later), dated)
        == .refused(.restart(.changed)))
    let same = [HTTPField("Last-Modified", modified)]
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700, same), dated)
        == Self.part(300, 1000, of: 1000))
  }

  @Test("row 11: without a validator total and overlap decide")
  func row11() {
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700, []))
        == Self.part(300, 1000, of: 1000))
  }

  @Test("row 13: a part that was not requested is refused and retried")
  func row13() {
    let found = verdict(Self.partial("bytes 0-999/1000", length: 1000), HeldBytes(), from: nil)
    guard case .refused(.server(let error, let isTransient)) = found else {
      Issue.record("\(found)")
      return
    }
    #expect(error.code == .rangeProtocol)
    #expect(isTransient)
  }

  @Test("row 14: several parts are refused")
  func row14() {
    let fields = [HTTPField("Content-Type", "multipart/byteranges; boundary=x")]
    #expect(verdict(Self.partial(nil, length: 700, fields)) == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 15: a coded part is never combined", arguments: ["gzip", "identity, br", "X, zstd"])
  func row15(coding: String) {
    let fields = [HTTPField("ETag", "\"a\""), HTTPField("Content-Encoding", coding)]
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700, fields))
        == .refused(.restart(.rangeProtocol)))
  }

  @Test(
    "row 15: a part whose coding is none, or unknown, is compared",
    arguments: ["binary", "", "X", "aws-chunked"])
  func noCoding(coding: String) {
    let fields = [HTTPField("ETag", "\"a\""), HTTPField("Content-Encoding", coding)]
    let part = Self.part(300, 1000, of: 1000)
    #expect(verdict(Self.partial("bytes 300-999/1000", length: 700, fields)) == part)
    // Nothing would be compared.
    let later = verdict(Self.partial("bytes 400-999/1000", length: 600, fields))
    let isUnknown = ["X", "aws-chunked"].contains(coding)
    #expect(
      later == (isUnknown ? .refused(.restart(.rangeProtocol)) : Self.part(400, 1000, of: 1000)))
  }

  @Test("row 16: a chunked part is accepted like one with a length")
  func row16() {
    let fields = [HTTPField("ETag", "\"a\""), HTTPField("Transfer-Encoding", "chunked")]
    let part = Self.part(300, 1000, of: 1000)
    #expect(verdict(Self.partial("bytes 300-999/1000", length: nil, fields)) == part)
    // Chunked wins over a length (RFC 9112, 6.3).
    #expect(verdict(Self.partial("bytes 300-999/1000", length: 5, fields)) == part)
  }

  @Test("row 31: a part may reveal the total that was not known before")
  func row31() {
    let open = HeldBytes(count: 400, total: nil, validator: Self.etag)
    #expect(
      verdict(Self.partial("bytes 300-999/1000", length: 700), open)
        == Self.part(300, 1000, of: 1000))
  }

  @Test("row 37: two different lengths of a part contradict each other")
  func row37() {
    var head = Self.partial("bytes 300-999/1000", length: 700)
    head.fields.append(HTTPField("Content-Length", "500"))
    #expect(verdict(head) == .refused(.restart(.rangeProtocol)))
  }

  @Test("rows 6 and 31: a total below the bytes on disk is another version")
  func shrunk() {
    let open = HeldBytes(count: 400, total: nil, validator: Self.etag)
    let head = Self.partial("bytes 300-349/350", length: 50, [])
    #expect(verdict(head, open) == .refused(.restart(.changed)))
  }
}
