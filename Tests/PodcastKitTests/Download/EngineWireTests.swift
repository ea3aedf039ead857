import LoopbackServer
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastTransfer

extension EngineTests {
  /// First answers written byte by byte; the rows are those of `Tests/rows.tsv`.
  @Suite("Unusual first answers on the wire") struct EngineWireTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)
    private static let overlap: Int64 = 64 * 1024
    private static let type = "Content-Type: audio/mpeg\r\nETag: \"first\"\r\n"
    private static var length: String { "Content-Length: \(bytes.count)\r\n" }

    /// Answers the first request by hand and the others as a good server does.
    private func server(
      first answer: @escaping @Sendable (Request, Connection) -> Void
    ) throws -> LoopbackServer {
      let good = FileServing(Representation(Self.bytes))
      return try LoopbackServer { request, connection in
        request.attempt == 1
          ? answer(request, connection) : good.answer(request, on: connection)
      }
    }

    /// Answers the first request with a text and the end of the connection.
    private func server(first text: String) throws -> LoopbackServer {
      try server { _, connection in
        connection.write(text)
        connection.close()
      }
    }

    /// Downloads, checks that the file is complete, and returns why it was requested again.
    private func retries(_ server: LoopbackServer) async throws -> [PodgetError.Code] {
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
      #expect(run.restarts(plan) == [])
      return run.retries(plan).map(\.reason)
    }

    /// The failure of a download that is requested once, and of which nothing is kept.
    private func failure(_ server: LoopbackServer) async throws -> PodgetError? {
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.retries(plan).isEmpty)
      #expect(server.log.count == 1)
      #expect(engine.finishedFiles == [])
      return run.error(plan)
    }

    @Test(
      "rows 36 and F6: a header that ends before its blank line is not an answer",
      arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 10", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n",
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 20", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /other.mp3\r\n",
      ])
    func cutHead(text: String) async throws {
      #expect(try await retries(server(first: text)) == [.network])
    }

    @Test("rows 33, F1 and F2: an interrupted body", arguments: [false, true])
    func cutBody(isReset: Bool) async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)\(Self.length)\r\n")
        connection.write(Self.bytes.prefix(120_000))
        isReset ? connection.reset() : connection.close()
      }
      #expect(try await retries(server) == [.network])
      #expect(server.log.last?.request.rangeStart == 120_000 - Self.overlap)
    }

    @Test(
      "row 32: only the chunked coding shows the end of a body",
      arguments: [
        "Transfer-Encoding: identity\r\n", "Transfer-Encoding:\r\n", "Transfer-Encoding: none\r\n",
        "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding: identity\r\n\(length)",
      ])
    func otherTransferCodings(lines: String) async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)\(lines)\r\n")
        connection.write(Self.bytes.prefix(120_000))
        connection.close()
      }
      // With a length the rest is requested at once, since so much has arrived.
      let hasLength = lines.contains("Content-Length")
      #expect(try await retries(server) == (hasLength ? [] : [.incomplete]))
    }

    @Test("row 59: data after a 101 is not a body")
    func switchingProtocols() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")
        let piece = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<1024 where connection.isOpen { connection.write(piece) }
        connection.close()
      }
      #expect(try await retries(server) == [.network])
      #expect(server.log[0].bytesSent < 40 << 20)
    }

    @Test("row F3: interrupted chunks, at a border and within", arguments: [0, 1, 500])
    func cutChunk(missing: Int) async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)Transfer-Encoding: chunked\r\n\r\n")
        connection.write("186A0\r\n")
        connection.write(Self.bytes.prefix(100_000 - missing))
        if missing == 0 { connection.write("\r\n") }
        connection.close()
      }
      #expect(try await retries(server) == [.network])
      #expect(server.log.last?.request.rangeStart == Int64(100_000 - missing) - Self.overlap)
    }

    @Test("row F4: without a length, a file that ends in the middle of a frame is requested again")
    func cutUntilClose() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)\r\n")
        connection.write(Self.bytes.prefix(120_000))
        connection.close()
      }
      #expect(try await retries(server) == [.incomplete])
      #expect(server.log.count == 2)
    }

    @Test("rows 37 and F7: two lengths", arguments: [("300000", "500"), ("500", "300000")])
    func twoLengths(first: String, second: String) async throws {
      let server = try server { _, connection in
        connection.write(
          "HTTP/1.1 200 OK\r\n\(Self.type)Content-Length: \(first)\r\n"
            + "Content-Length: \(second)\r\n\r\n")
        connection.write(Self.bytes.prefix(500))
        connection.close()
      }
      #expect(try await retries(server) == [.incomplete])
    }

    @Test("rows 34 and F8: bytes beyond the length do not belong to the file")
    func tooLong() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)\(Self.length)\r\n")
        connection.write(Self.bytes + Self.bytes.prefix(5000))
        connection.close()
      }
      #expect(try await retries(server) == [])
      #expect(server.log.count == 1)
    }

    @Test("rows 35 and F9: a length of zero is empty, whatever follows")
    func lengthZero() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)Content-Length: 0\r\n\r\n")
        connection.write(Self.bytes)
        connection.close()
      }
      #expect(try await failure(server)?.code == .emptyBody)
    }

    @Test(
      "rows F10 and F11: a length that is not a number, or too large, is ignored",
      arguments: ["abc", "-5", "99999999999999999999999", "1e5", ""])
    func oddLength(text: String) async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.type)Content-Length: \(text)\r\n\r\n")
        connection.write(Self.bytes)
        connection.close()
      }
      #expect(try await retries(server).count <= 1)
    }

    @Test("row F12: chunks count if there is a length too")
    func chunksAndLength() async throws {
      let server = try server { _, connection in
        connection.write(
          "HTTP/1.1 200 OK\r\n\(Self.type)Content-Length: 500\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n")
        connection.write("\(String(Self.bytes.count, radix: 16))\r\n")
        connection.write(Self.bytes)
        connection.write("\r\n0\r\n\r\n")
      }
      #expect(try await retries(server) == [])
      #expect(server.log.count == 1)
    }

    @Test("rows 53 and F13: no answer at all", arguments: [false, true])
    func noAnswer(isReset: Bool) async throws {
      let server = try server { _, connection in isReset ? connection.reset() : connection.close() }
      #expect(try await retries(server).allSatisfy { $0 == .network })
      #expect(server.log.count >= 2)
    }

    @Test(
      "row F14: data that is not HTTP is not an answer",
      arguments: [
        "ICY 200 OK\r\n\r\nID3", "<html>hello</html>", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n", "\u{0}\u{1}\u{2}",
      ])
    func notHTTP(text: String) async throws {
      #expect(try await retries(server(first: text)) == [.network])
    }

    @Test("rows 58 and F15: an endless header line is refused permanently")
    func hugeLine() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\nX-Long: ")
        connection.write([UInt8](repeating: 0x61, count: 400_000))
        connection.write("\r\n\(Self.length)\r\n")
        connection.close()
      }
      let error = try await failure(server)
      #expect(error?.code == .network)
      #expect(error?.message.last == ".")
    }

    @Test("row F15: a header of too many fields is retried")
    func hugeHead() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n")
        for number in 0..<8000 {
          connection.write("X-Field-\(number): \(String(repeating: "a", count: 50))\r\n")
        }
        connection.write("\(Self.length)\r\n")
        connection.write(Self.bytes)
        connection.close()
      }
      #expect(try await retries(server) == [.network])
    }

    /// A complete chunked body of the file, without the blank line that ends its trailers.
    private static func chunks(_ connection: Connection) {
      connection.write("HTTP/1.1 200 OK\r\n\(type)Transfer-Encoding: chunked\r\n\r\n")
      connection.write("\(String(bytes.count, radix: 16))\r\n")
      connection.write(bytes)
      connection.write("\r\n0\r\n")
    }

    @Test(
      "row 16: endless trailers are aborted", arguments: ["X: 1\r\n", "HTTP/1.1 200 OK\r\n"])
    func endlessTrailers(line: String) async throws {
      let server = try server { _, connection in
        Self.chunks(connection)
        let piece = Array(String(repeating: line, count: 1000).utf8)
        for _ in 0..<2000 where connection.isOpen { connection.write(piece) }
        connection.write("\r\n")
        connection.close()
      }
      #expect(try await retries(server) == [.network])
      #expect(server.log[0].bytesSent < 10 << 20)
    }

    @Test("row 16: a few trailers are accepted")
    func trailers() async throws {
      let server = try server { _, connection in
        Self.chunks(connection)
        connection.write(String(repeating: "X-Checksum: 0123456789\r\n", count: 100) + "\r\n")
      }
      #expect(try await retries(server) == [])
      #expect(server.log.count == 1)
    }

    @Test("rows 59 and F15: endless interim answers are aborted")
    func endlessInterim() async throws {
      let server = try server { request, connection in
        let piece = Array(
          String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 100).utf8)
        for _ in 0..<2000 where connection.isOpen { connection.write(piece) }
        FileServing(Representation(Self.bytes)).answer(request, on: connection)
      }
      #expect(try await retries(server) == [.network])
      #expect(server.log[0].bytesSent < 8 << 20)
    }

    @Test("row F17: statuses without an episode", arguments: [201, 202, 203, 226])
    func otherSuccess(status: Int) async throws {
      let server = try server { _, connection in
        connection.respond(status: status, body: Self.bytes)
      }
      #expect(try await failure(server)?.code == .incomplete)
    }

    @Test("rows 35, 45 and F17: 204 and 304 have no body", arguments: [204, 205, 300, 304])
    func bodyless(status: Int) async throws {
      let server = try server { _, connection in connection.writeHead(status: status) }
      #expect(try await failure(server)?.code == (status < 300 ? .emptyBody : .redirect))
    }

    @Test("rows 45 and R17: a redirect without an address", arguments: [301, 302, 303, 307, 308])
    func nowhere(status: Int) async throws {
      let server = try server { _, connection in
        connection.respond(status: status, body: "<html>Moved</html>")
      }
      #expect(try await failure(server)?.code == .redirect)
    }

    @Test(
      "rows 47 and F18: a redirect that leaves HTTP is not followed",
      arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/a.mp3", "data:audio/mpeg,ID3", "mailto:a@b",
      ])
    func otherScheme(target: String) async throws {
      let server = try server { _, connection in
        connection.respond(status: 302, fields: [Request.Field("Location", target)], body: "")
      }
      #expect(try await failure(server)?.code == .redirect)
    }

    @Test("rows 48 and F19: a redirect to itself is followed ten times")
    func loop() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation([]), behaviour: .redirects(to: "/a.mp3"))
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.code == .redirect)
      #expect(server.log.count == 11)
    }

    @Test("row 59: interim answers are ignored")
    func interim() async throws {
      let server = try server { request, connection in
        connection.write("HTTP/1.1 100 Continue\r\n\r\n")
        connection.write(
          "HTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\nContent-Encoding: gzip\r\n\r\n")
        FileServing(Representation(Self.bytes), behaviour: .cut(.reset, .afterBody(150_000)))
          .answer(request, on: connection)
      }
      _ = try await retries(server)
      #expect(server.log.last?.request.rangeStart == 150_000 - Self.overlap)
    }

    @Test("rows 53 and F26: an unreachable server, and an unknown name")
    func unreachable() async throws {
      var engine = try EngineHarness()
      engine.options.retries.retries = 1
      let closed = engine.plan("http://127.0.0.1:\(try RawClient.unusedPort())/a.mp3", title: "A")
      let unknown = engine.plan("http://podget.invalid/a.mp3", title: "B")
      let run = try await engine.run([closed, unknown])
      for plan in [closed, unknown] {
        #expect(run.error(plan)?.code == .network)
        #expect(run.retries(plan).map(\.reason) == [.network])
      }
    }

    @Test(
      "rows 44 and F22: a Retry-After in the past or an invalid one is ignored",
      arguments: ["Fri, 01 Mar 2019 12:00:00 GMT", "-5", "soon", "", "0"])
    func senselessRetryAfter(value: String) async throws {
      let server = try server { _, connection in
        connection.respond(status: 503, fields: [Request.Field("Retry-After", value)], body: "")
      }
      #expect(try await retries(server) == [.httpStatus])
    }
  }
}
