import LoopbackServer
import TestSupport
import Testing

@Suite struct FileServingTests {
  private let bytes = (0..<1000).map { UInt8($0 % 251) }

  private func serve(_ behaviour: Behaviour = Behaviour()) throws -> LoopbackServer {
    try LoopbackServer(files: ["/a.mp3": FileServing(Representation(bytes), behaviour: behaviour)])
  }

  private func ask(
    _ server: LoopbackServer, _ fields: String...
  ) throws -> (head: [String], body: [UInt8]) {
    let client = try RawClient(port: server.port)
    client.get("/a.mp3", (fields + ["Connection: close"]).joined(separator: "\r\n"))
    return (try client.readHead(), client.readToEnd().bytes)
  }

  @Test func `a plain request gets everything, with validators and length`() throws {
    let answer = try ask(serve())
    #expect(answer.head.first == "HTTP/1.1 200 OK")
    #expect(answer.head.contains("Content-Length: 1000"))
    #expect(answer.head.contains("ETag: \"first\""))
    #expect(answer.head.contains("Last-Modified: Thu, 16 Feb 2023 16:00:17 GMT"))
    #expect(answer.body == bytes)
  }

  @Test(arguments: [
    ("bytes=400-", 400..<1000), ("bytes=400-499", 400..<500), ("bytes=-100", 900..<1000),
    ("bytes=990-5000", 990..<1000),
  ])
  func `a range gets its part`(range: String, part: Range<Int>) throws {
    let answer = try ask(serve(), "Range: \(range)")
    #expect(answer.head.first == "HTTP/1.1 206 Partial Content")
    #expect(
      answer.head.contains("Content-Range: bytes \(part.lowerBound)-\(part.upperBound - 1)/1000"))
    #expect(answer.body == Array(bytes[part]))
  }

  @Test func `a range beyond the end gets 416 and the size`() throws {
    let answer = try ask(serve(), "Range: bytes=1000-")
    #expect(answer.head.first == "HTTP/1.1 416 Range Not Satisfiable")
    #expect(answer.head.contains("Content-Range: bytes */1000"))
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: [
    ("\"first\"", 600), ("W/\"first\"", 1000), ("\"other\"", 1000),
    (Representation.longAgo, 600), (HTTPDate.text(1_676_563_218), 1000),
  ])
  func `If-Range holds for the strong tag and the exact date only`(
    condition: String, count: Int
  ) throws {
    let answer = try ask(serve(), "Range: bytes=400-", "If-Range: \(condition)")
    #expect(answer.body == Array(bytes.suffix(count)))
  }

  @Test func `a weak tag never matches If-Range`() throws {
    let server = try serve(Behaviour { $0.validators = .weakETag })
    let answer = try ask(server, "Range: bytes=400-", "If-Range: W/\"first\"")
    #expect(answer.head.contains("ETag: W/\"first\""))
    #expect(answer.body == bytes)
  }

  @Test func `a server may ignore ranges and conditions`() throws {
    let deaf = try ask(serve(Behaviour { $0.ignoresRange = true }), "Range: bytes=400-")
    #expect(deaf.body == bytes)
    let rash = try ask(
      serve(Behaviour { $0.ignoresIfRange = true }), "Range: bytes=400-", "If-Range: \"old\"")
    #expect(rash.body == Array(bytes[400...]))
  }

  @Test func `a server may lie about ranges`() throws {
    let shifted = try ask(serve(Behaviour { $0.rangeShift = -100 }), "Range: bytes=400-")
    #expect(shifted.head.contains("Content-Range: bytes 300-999/1000"))
    #expect(shifted.body == Array(bytes[300...]))
    let short = try ask(serve(Behaviour { $0.rangeLimit = 100 }), "Range: bytes=400-")
    #expect(short.head.contains("Content-Range: bytes 400-499/1000"))
    let wrong = try ask(
      serve(Behaviour { $0.contentRange = .text("bananas") }), "Range: bytes=400-")
    #expect(wrong.head.contains("Content-Range: bananas"))
    let missing = try ask(serve(Behaviour { $0.contentRange = .missing }), "Range: bytes=400-")
    #expect(!missing.head.contains { $0.hasPrefix("Content-Range") })
  }

  @Test func `a body may be chunked or end with the connection`() throws {
    let chunked = try ask(serve(Behaviour { $0.framing = .chunked }), "Range: bytes=990-")
    #expect(chunked.head.contains("Transfer-Encoding: chunked"))
    #expect(chunked.body == Array("a\r\n".utf8) + bytes[990...] + Array("\r\n0\r\n\r\n".utf8))
    let server = try serve(Behaviour { $0.framing = .untilClose })
    let client = try RawClient(port: server.port)
    client.get("/a.mp3")
    #expect(try !client.readHead().contains { $0.hasPrefix("Content-Length") })
    #expect(client.readToEnd().bytes == bytes)
  }

  @Test(arguments: [(Behaviour.Cut.close, RawClient.End.closed), (.reset, .reset)])
  func `a cut comes after this many bytes`(cut: Behaviour.Cut, end: RawClient.End) throws {
    let server = try serve(.cut(cut, .afterBody(300)))
    let client = try RawClient(port: server.port)
    client.get("/a.mp3", "Range: bytes=400-")
    #expect(try client.readHead().contains("Content-Length: 600"))
    let rest = client.readToEnd()
    #expect(rest.bytes == Array(bytes[400..<700]))
    #expect(rest.end == end)
    #expect(server.log.first?.bytesSent == 300)
  }

  @Test func `a head may be cut in the middle`() throws {
    let server = try serve(.cut(.close, .insideHead))
    let client = try RawClient(port: server.port)
    client.get("/a.mp3")
    let text = String(decoding: client.readToEnd().bytes, as: UTF8.self)
    #expect(text.hasSuffix("Content-Le"))
  }

  @Test func `a stalled answer is silent until the server stops`() throws {
    let server = try serve(.cut(.stall, .afterBody(10)))
    let client = try RawClient(port: server.port)
    client.get("/a.mp3")
    _ = try client.readHead()
    #expect(try client.read(10) == Array(bytes[..<10]))
    #expect(client.isSilent)
    #expect(server.openConnections == 1)
    server.stop()
    #expect(client.readToEnd().bytes.isEmpty)
    #expect(server.openConnections == 0)
  }

  @Test func `a rate is kept`() throws {
    let start = ContinuousClock.now
    #expect(try ask(serve(Behaviour { $0.rate = 10_000 })).body == bytes)
    #expect(ContinuousClock.now - start >= .milliseconds(90))
  }

  @Test func `behaviour and version may change from attempt to attempt`() throws {
    let file = FileServing { request in
      Representation([UInt8](repeating: UInt8(request.attempt), count: 3))
    } behaviour: {
      $0.attempt == 2 ? .answers(503, fields: [Request.Field("Retry-After", "7")]) : Behaviour()
    }
    let server = try LoopbackServer(files: ["/a.mp3": file])
    #expect(try ask(server).body == [1, 1, 1])
    let refusal = try ask(server)
    #expect(refusal.head.first == "HTTP/1.1 503 Service Unavailable")
    #expect(refusal.head.contains("Retry-After: 7"))
    #expect(try ask(server).body == [3, 3, 3])
    #expect(server.log.map(\.status) == [200, 503, 200])
  }
}
