import PodcastModel
import PodcastTransfer
import Testing

/// The rows are those of the table of server behaviours in the engine's design notes.
@Suite("Answers that are not partial") struct WholeAnswerTests {
  private static let held = RangeResponseTests.held
  private static let a = HTTPField("ETag", "\"a\"")
  private static let b = HTTPField("ETag", "\"b\"")

  private func verdict(
    _ status: Int, length: Int64? = nil, _ fields: [HTTPField] = [], _ held: HeldBytes = held,
    from start: Int64? = 300
  ) -> RangeVerdict {
    let lengths = length.map { [HTTPField("Content-Length", String($0))] } ?? []
    return RangeVerdict(
      ResponseHead(status: status, fields: fields + lengths), held: held, rangeStart: start)
  }

  private func failure(_ verdict: RangeVerdict) -> (code: PodgetError.Code, isTransient: Bool)? {
    guard case .refused(.server(let error, let isTransient)) = verdict else { return nil }
    return (error.code, isTransient)
  }

  @Test("a first answer is used completely")
  func first() {
    let none = HeldBytes()
    #expect(verdict(200, length: 1000, [Self.a], none, from: nil) == .whole(total: 1000, nil))
    #expect(verdict(200, length: nil, [Self.a], none, from: nil) == .whole(total: nil, nil))
  }

  @Test("row 17: a complete answer is compared in place, and reported if it differs")
  func row17() {
    #expect(verdict(200, length: 1000, [Self.b]) == .whole(total: 1000, .changed))
    #expect(verdict(200, length: 1200, [Self.b]) == .whole(total: 1200, .changed))
    #expect(verdict(200, length: 1200) == .whole(total: 1200, .changed))
    #expect(verdict(200, length: 1000) == .whole(total: 1000, nil))
    #expect(verdict(200) == .whole(total: nil, nil))
  }

  @Test("row 18: a complete answer of the same version means that ranges are ignored")
  func row18() {
    #expect(verdict(200, length: 1000, [Self.a]) == .whole(total: 1000, .rangeIgnored))
  }

  @Test("row 19: a length equal to the bytes on disk completes nothing")
  func row19() {
    #expect(verdict(200, length: 400) == .whole(total: 400, .changed))
    #expect(verdict(200, length: 400, [Self.a]) == .whole(total: 400, .changed))
    let open = HeldBytes(count: 400, validator: RangeResponseTests.etag)
    #expect(verdict(200, length: 400, [], open) == .whole(total: 400, nil))
  }

  @Test("row 20: a shorter complete answer is another version")
  func row20() {
    #expect(verdict(200, length: 300) == .whole(total: 300, .changed))
  }

  @Test("row 21: a Content-Range with 200 is ignored", arguments: ["400-999/1000", "*/1000"])
  func row21(range: String) {
    let field = HTTPField("Content-Range", "bytes \(range)")
    #expect(verdict(200, length: 1000, [field]) == .whole(total: 1000, nil))
  }

  @Test("row 22: 416 is complete only if a total or the validator agrees")
  func row22() {
    let range = [HTTPField("Content-Range", "bytes */400")]
    let all = HeldBytes(count: 400, total: 400)
    #expect(verdict(416, range, all) == .complete)
    let open = HeldBytes(count: 400, validator: RangeResponseTests.etag)
    #expect(verdict(416, range + [Self.a], open) == .complete)
    #expect(verdict(416, range, open) == .refused(.restart(.rangeProtocol)))
    #expect(verdict(416, range + [Self.b], open) == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 23: 416 with another length")
  func row23() {
    #expect(
      verdict(416, [HTTPField("Content-Range", "bytes */300")]) == .refused(.restart(.changed)))
    #expect(
      verdict(416, [HTTPField("Content-Range", "bytes */1000")])
        == .refused(.restart(.rangeProtocol)))
  }

  @Test(
    "row 24: 416 without a usable Content-Range proves nothing",
    arguments: [nil, "bytes 0-1/400", "bytes */x", "400"])
  func row24(range: String?) {
    let fields = range.map { [HTTPField("Content-Range", $0)] } ?? []
    let all = HeldBytes(count: 400, total: 400)
    #expect(verdict(416, fields, all) == .refused(.restart(.rangeProtocol)))
  }

  @Test("row 25: 416 to a request without a range is useless")
  func row25() {
    let found = failure(
      verdict(416, [HTTPField("Content-Range", "bytes */0")], HeldBytes(), from: nil))
    #expect(found?.code == .httpStatus)
    #expect(found?.isTransient == false)
  }

  @Test("row 26: 412 restarts") func row26() {
    #expect(verdict(412) == .refused(.restart(.changed)))
  }

  @Test("row 15: a coded answer is requested again, and its length is not the file's")
  func row15() {
    let gzip = [HTTPField("Content-Encoding", "gzip"), Self.a]
    let first = HeldBytes()
    #expect(verdict(200, length: 10, gzip) == .refused(.coded))
    #expect(verdict(200, length: 10, gzip, first, from: nil) == .refused(.coded))
    let head = ResponseHead(status: 200, fields: gzip + [HTTPField("Content-Length", "10")])
    #expect(
      RangeVerdict(head, held: Self.held, rangeStart: 300, acceptsCodings: true)
        == .whole(total: nil, .changed))
    #expect(
      RangeVerdict(head, held: first, rangeStart: nil, acceptsCodings: true)
        == .whole(total: nil, nil))
    // What is no coding, or an unknown one, may be the file as it is.
    for none in ["identity", "UTF-8", "aws-chunked, none", "8bit,binary", "", "x-own"] {
      #expect(
        verdict(200, length: 1000, [HTTPField("Content-Encoding", none)])
          == .whole(total: 1000, nil))
    }
    #expect(
      verdict(200, length: 10, [HTTPField("Content-Encoding", "utf-8, br")]) == .refused(.coded))
  }

  @Test("row 35: an empty body is not an episode") func row35() {
    let found = [verdict(204), verdict(205), verdict(200, length: 0)].map(failure)
    #expect(found.map(\.?.code) == [.emptyBody, .emptyBody, .emptyBody])
    #expect(found.map(\.?.isTransient) == [false, false, false])
  }

  @Test("row 37: two different lengths are an error of this message", arguments: [nil, 300])
  func row37(start: Int64?) {
    let fields = [HTTPField("Content-Length", "1000"), HTTPField("Content-Length", "500")]
    let found = failure(verdict(200, fields, from: start))
    #expect(found?.code == .incomplete)
    #expect(found?.isTransient == true)
  }

  @Test(
    "rows 41 to 43: a refusal is not transient",
    arguments: [400, 401, 402, 403, 404, 405, 407, 409, 410, 418, 421, 431, 451, 499])
  func rows41To43(status: Int) {
    for start in [nil, 300] as [Int64?] {
      let found = failure(verdict(status, from: start))
      #expect(found?.code == .httpStatus)
      #expect(found?.isTransient == false)
    }
  }

  @Test(
    "row 44: transient failures are retried",
    arguments: [408, 425, 429, 500, 502, 503, 504, 507, 520, 522, 529, 599])
  func row44(status: Int) {
    guard case .refused(.server(let error, true)) = verdict(status) else {
      Issue.record("\(verdict(status))")
      return
    }
    #expect(error.httpStatus == status)
    #expect(error.code == .httpStatus)
  }

  @Test("row 45: a redirect without an address", arguments: [300, 301, 302, 303, 304, 307, 308])
  func row45(status: Int) {
    let found = failure(verdict(status))
    #expect(found?.code == .redirect)
    #expect(found?.isTransient == false)
  }

  @Test("other statuses have no episode", arguments: [201, 202, 203, 207, 226])
  func others(status: Int) {
    #expect(failure(verdict(status, length: 1000))?.code == .incomplete)
  }
}
