import LoopbackServer
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastLibrary

extension EngineTests {
  /// Answers to a range request written byte by byte; the rows are those of `Tests/rows.tsv`. In each
  /// test the first answer breaks off, the second is the odd one, and any others are good.
  @Suite("Unusual answers to a range on the wire") struct EngineWireResumeTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 400_000)
    private static let cut: Int64 = 250_000
    private static let overlap: Int64 = 64 * 1024
    private static let start = cut - overlap
    private static var total: Int { bytes.count }
    private static var rest: ArraySlice<UInt8> { bytes[Int(start)...] }
    private static let etag = "ETag: \"first\"\r\nContent-Type: audio/mpeg\r\n"

    private func server(
      second answer: @escaping @Sendable (Request, Connection) -> Void
    ) throws -> LoopbackServer {
      let version = Representation(Self.bytes)
      return try LoopbackServer { request, connection in
        switch request.attempt {
        case 1:
          FileServing(version, behaviour: .cut(.reset, .afterBody(Self.cut)))
            .answer(request, on: connection)
        case 2: answer(request, connection)
        default: FileServing(version).answer(request, on: connection)
        }
      }
    }

    /// Answers the range request with these header lines and this body, and closes.
    private func server(
      second status: Int, _ lines: String..., body: some Collection<UInt8> & Sendable
    ) throws -> LoopbackServer {
      let head = lines.map { "\($0)\r\n" }.joined()
      return try server { _, connection in
        connection.write("HTTP/1.1 \(status) Odd\r\n\(head)\(Self.etag)\r\n")
        connection.write(body)
        connection.close()
      }
    }

    /// Downloads, checks that the file is complete, and returns why it started again.
    private func restarts(_ server: LoopbackServer) async throws -> [RestartReason] {
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
      #expect(server.log[1].request.rangeStart == Self.start)
      return run.restarts(plan)
    }

    /// The failure of a download whose bytes must stay, and which the next run continues.
    private func failure(_ server: LoopbackServer) async throws -> PodgetError? {
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(engine.finishedFiles == [])
      #expect(engine.partSize(plan) == Self.cut)
      #expect(server.log.count == 2)
      let next = try await engine.run([plan])
      #expect(next.resumedFrom(plan) == Self.cut && next.restarts(plan) == [])
      #expect(try engine.read(#require(next.finished(plan)).path) == Self.bytes)
      return run.error(plan)
    }

    private static func range(_ first: Int64, _ last: Int, _ total: String) -> String {
      "Content-Range: bytes \(first)-\(last)/\(total)"
    }

    private static func length(_ count: Int) -> String { "Content-Length: \(count)" }

    @Test("row 3: a start within the bytes on disk compares less", arguments: [1, 30_000, 65_536])
    func row3(later: Int64) async throws {
      let first = Self.start + later
      let body = Self.bytes[Int(first)...]
      let server = try server(
        second: 206, Self.range(first, Self.total - 1, "\(Self.total)"), Self.length(body.count),
        body: body)
      #expect(try await restarts(server) == [])
      #expect(server.log.count == 2)
    }

    @Test("row 7: an unknown total is the stored one under the same validator")
    func row7() async throws {
      let server = try server(
        second: 206, Self.range(Self.start, Self.total - 1, "*"), Self.length(Self.rest.count),
        body: Self.rest)
      #expect(try await restarts(server) == [])
      #expect(server.log.count == 2)
    }

    @Test(
      "rows 8 and R8: a range that is reversed, of another unit, or beyond the end",
      arguments: [
        "bytes 399999-184464/400000", "items 184464-399999/400000", "bytes 184464-400000/400000",
        "bytes 184464-399999/100", "184464-399999/400000",
      ])
    func row8(text: String) async throws {
      let server = try server(
        second: 206, "Content-Range: \(text)", Self.length(Self.rest.count), body: Self.rest)
      #expect(try await restarts(server).count == 1)
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, nil])
    }

    @Test("rows 9 and R7: a length that contradicts the range", arguments: [-1000, 1000])
    func row9(more: Int) async throws {
      let server = try server(
        second: 206, Self.range(Self.start, Self.total - 1, "\(Self.total)"),
        Self.length(Self.rest.count + more), body: Self.rest)
      #expect(try await restarts(server) == [.rangeProtocol])
    }

    /// Sends more after a body, in pieces, until the client has had enough or 64 MiB are sent; the
    /// client's kernel accepts a few of them in any case.
    private static func continueBody(_ connection: Connection, isChunked: Bool) {
      let piece = [UInt8](repeating: 0, count: 65_536)
      for _ in 0..<1024 where connection.isOpen {
        if isChunked { connection.write("10000\r\n") }
        connection.write(piece)
        if isChunked { connection.write("\r\n") }
      }
      if isChunked { connection.write("0\r\n\r\n") }
      connection.close()
    }

    /// What a part may announce, and then send more.
    enum EndlessPart: CaseIterable {
      case toTheEnd, ofUnknownTotal, endingEarly, fromZero, untilClose
    }

    @Test(
      "rows 9, 34 and R7: a part that exceeds its range is stopped there",
      arguments: EndlessPart.allCases)
    func endlessPart(shape: EndlessPart) async throws {
      let server = try server { _, connection in
        let first = shape == .fromZero ? 0 : Self.start
        let last = shape == .endingEarly ? Self.total - 50_000 : Self.total - 1
        let total = shape == .ofUnknownTotal ? "*" : "\(Self.total)"
        let isChunked = shape != .untilClose
        connection.write("HTTP/1.1 206 Odd\r\n\(Self.range(first, last, total))\r\n\(Self.etag)")
        connection.write(isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")
        let body = Self.bytes[Int(first)...last]
        if isChunked { connection.write("\(String(body.count, radix: 16))\r\n") }
        connection.write(body)
        if isChunked { connection.write("\r\n") }
        Self.continueBody(connection, isChunked: isChunked)
      }
      #expect(try await restarts(server) == [.rangeProtocol])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, nil])
      #expect(server.log[1].bytesSent < 40 << 20)
    }

    @Test("rows 18 and 34: a complete answer is no longer than the same version was")
    func endlessWhole() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.etag)Transfer-Encoding: chunked\r\n\r\n")
        connection.write("\(String(Self.total, radix: 16))\r\n")
        connection.write(Self.bytes)
        connection.write("\r\n")
        Self.continueBody(connection, isChunked: true)
      }
      #expect(try await restarts(server) == [.rangeIgnored, .rangeProtocol])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, nil])
      #expect(server.log[1].bytesSent < 40 << 20)
    }

    @Test("row 18: a complete answer that is shorter than the same version was")
    func shorterWhole() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 200 OK\r\n\(Self.etag)Transfer-Encoding: chunked\r\n\r\n")
        connection.write("\(String(100_000, radix: 16))\r\n")
        connection.write(Self.bytes.prefix(100_000))
        connection.write("\r\n0\r\n\r\n")
        connection.close()
      }
      #expect(try await restarts(server) == [.rangeIgnored])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, Self.start])
    }

    @Test("row 9: a part shorter than its length and its range is continued")
    func shortPart() async throws {
      let server = try server(
        second: 206, Self.range(Self.start, Self.total - 1, "\(Self.total)"),
        Self.length(Self.rest.count), body: Self.rest.dropLast(40_000))
      #expect(try await restarts(server) == [])
      #expect(server.log.last?.request.rangeStart == Int64(Self.total - 40_000) - Self.overlap)
    }

    @Test("rows 9 and 34: a part longer than its length and its range ends there")
    func longPart() async throws {
      let server = try server(
        second: 206, Self.range(Self.start, Self.total - 1, "\(Self.total)"),
        Self.length(Self.rest.count), body: Self.rest + Self.bytes.prefix(40_000))
      #expect(try await restarts(server) == [])
      #expect(server.log.count == 2)
    }

    @Test(
      "row 16: trailers are not a second head",
      arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 206: x\r\nETag: \"other\"\r\n",
        "HTTP/1.1 404 Not Found\r\n", "Content-Range: bytes 0-1/2\r\n",
      ])
    func trailers(lines: String) async throws {
      let server = try server { _, connection in
        let range = Self.range(Self.start, Self.total - 1, "\(Self.total)")
        connection.write("HTTP/1.1 206 Odd\r\n\(range)\r\n\(Self.etag)")
        connection.write("Transfer-Encoding: chunked\r\n\r\n")
        connection.write("\(String(Self.rest.count, radix: 16))\r\n")
        connection.write(Self.rest)
        connection.write("\r\n0\r\n\(lines)\r\n")
        connection.close()
      }
      #expect(try await restarts(server) == [])
    }

    @Test(
      "row 8: a range that ends at the largest number is refused",
      arguments: [
        "bytes 0-9223372036854775807/*", "bytes 9223372036854775807-9223372036854775807/*",
        "bytes 0-9223372036854775806/9223372036854775807", "bytes 0-99999999999999999999/*",
      ])
    func hugeRange(text: String) async throws {
      let server = try server(
        second: 206, "Content-Range: \(text)", Self.length(Self.rest.count), body: Self.rest)
      #expect(try await restarts(server) == [.rangeProtocol])
      let chunked = try self.server { _, connection in
        connection.write("HTTP/1.1 206 Odd\r\nContent-Range: \(text)\r\n\(Self.etag)")
        connection.write("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
      }
      // With a total that fits the numbers it is another version's part.
      let reason: RestartReason = text.hasSuffix("*") ? .rangeProtocol : .changed
      #expect(try await restarts(chunked) == [reason])
    }

    @Test("rows 14 and R18: several parts in one answer are not accepted")
    func row14() async throws {
      let inner = "--x\r\n\(Self.range(Self.start, Self.total - 1, "\(Self.total)"))\r\n\r\n"
      let body = Array(inner.utf8) + Self.rest + Array("\r\n--x--\r\n".utf8)
      let server = try server { _, connection in
        connection.respond(
          status: 206,
          fields: [Request.Field("Content-Type", "multipart/byteranges; boundary=x")], body: body)
      }
      #expect(try await restarts(server) == [.rangeProtocol])
    }

    @Test("rows 16 and R19: a chunked part, and one whose last chunk is missing")
    func row16() async throws {
      for isCut in [false, true] {
        let server = try server { _, connection in
          let range = Self.range(Self.start, Self.total - 1, "\(Self.total)")
          connection.write("HTTP/1.1 206 Odd\r\n\(range)\r\n\(Self.etag)")
          connection.write("Transfer-Encoding: chunked\r\n\r\n")
          connection.write("\(String(Self.rest.count, radix: 16))\r\n")
          connection.write(Self.rest)
          if isCut { return connection.close() }
          connection.write("\r\n0\r\n\r\n")
        }
        #expect(try await restarts(server) == [])
        #expect(server.log.count == (isCut ? 3 : 2))
        #expect(!isCut || server.log.last?.request.rangeStart == Int64(Self.total) - Self.overlap)
      }
    }

    @Test("rows 1, R1 and R2: the requested start, and an earlier start")
    func row1() async throws {
      for first in [Self.start, Self.start - 5000, 0] {
        let body = Self.bytes[Int(first)...]
        let server = try server(
          second: 206, Self.range(first, Self.total - 1, "\(Self.total)"),
          Self.length(body.count), body: body)
        #expect(try await restarts(server) == [])
        #expect(server.log.count == 2)
      }
    }

    @Test("rows 21, R12 and R13: a Content-Range with 200 is ignored")
    func row21() async throws {
      let ranges = [Self.range(Self.start, Self.total - 1, "\(Self.total)"), "bytes */400000"]
      for range in ranges {
        let server = try server(
          second: 200, "Content-Range: \(range)", Self.length(Self.total), body: Self.bytes)
        #expect(try await restarts(server) == [.rangeIgnored])
        #expect(server.log.count == 2)
      }
    }

    @Test("rows 22 and R14: 416 with the length on disk completes the same version")
    func row22() async throws {
      let server = try LoopbackServer { request, connection in
        if request.attempt == 1 {
          // Everything arrived but the last chunk, so that the length is not known.
          connection.write("HTTP/1.1 200 OK\r\n\(Self.etag)Transfer-Encoding: chunked\r\n\r\n")
          connection.write("\(String(Self.total, radix: 16))\r\n")
          connection.write(Self.bytes)
          connection.close()
        } else {
          connection.respond(
            status: 416,
            fields: [
              Request.Field("Content-Range", "bytes */\(Self.total)"),
              Request.Field("ETag", "\"first\""),
            ], body: "")
        }
      }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(
        try engine.read(#require(run.finished(plan), "\(run.kinds(plan))").path) == Self.bytes)
      #expect(server.log.count == 2)
    }

    @Test(
      "rows 23, 24 and R14: 416 that does not match is not the end",
      arguments: ["bytes */250000", "bytes */249999", "bytes */400000", "bytes */900000", "x", nil])
    func row23(range: String?) async throws {
      let server = try server { _, connection in
        connection.respond(
          status: 416, fields: range.map { [Request.Field("Content-Range", $0)] } ?? [],
          body: "<html>416</html>")
      }
      let restarts = try await restarts(server)
      #expect(restarts == [range == "bytes */249999" ? .changed : .rangeProtocol])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, nil])
    }

    @Test("row 25: a file that became empty is not an episode, and the bytes on disk stay")
    func row25() async throws {
      let engine = try EngineHarness()
      let empty = Representation([], etag: "\"empty\"")
      let server = try LoopbackServer { request, connection in
        switch request.attempt {
        case 1:
          FileServing(
            Representation(Self.bytes), behaviour: .cut(.reset, .afterBody(Self.cut))
          ).answer(request, on: connection)
        case 2:
          connection.respond(
            status: 416, fields: [Request.Field("Content-Range", "bytes */0")], body: "")
        default: FileServing(empty).answer(request, on: connection)
        }
      }
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.code == .emptyBody)
      #expect(engine.finishedFiles == [])
      #expect(engine.partSize(plan) == Self.cut)
    }

    @Test("row 26: 412 restarts")
    func row26() async throws {
      let server = try server { _, connection in connection.respond(status: 412, body: "") }
      #expect(try await restarts(server) == [.changed])
    }

    @Test("row 37: two lengths of a part contradict each other")
    func row37() async throws {
      let server = try server(
        second: 206, Self.range(Self.start, Self.total - 1, "\(Self.total)"),
        Self.length(Self.rest.count), Self.length(500), body: Self.rest)
      #expect(try await restarts(server) == [.rangeProtocol])
    }

    @Test("rows 35, R11 and R20: an empty answer loses no bytes on disk")
    func row35() async throws {
      for status in [200, 204, 304] {
        let server = try server { _, connection in
          let lengths = status == 200 ? [Request.Field("Content-Length", "0")] : []
          connection.writeHead(status: status, fields: lengths)
        }
        let error = try await failure(server)
        #expect(error?.code == (status == 304 ? .redirect : .emptyBody))
      }
    }

    @Test(
      "rows 41 to 43, R15 and R16: a later refusal keeps the bytes on disk",
      arguments: [401, 403, 404, 410, 451])
    func refused(status: Int) async throws {
      for body in ["", "<html>no</html>"] {
        let server = try server { _, connection in connection.respond(status: status, body: body) }
        #expect(try await failure(server)?.httpStatus == status)
      }
    }

    @Test(
      "rows 44 and R15: a transient failure repeats the same range", arguments: [429, 500, 503])
    func transient(status: Int) async throws {
      let server = try server { _, connection in
        connection.respond(status: status, body: String(repeating: "busy ", count: 50_000))
      }
      #expect(try await restarts(server) == [])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, Self.start])
    }

    @Test("rows 45 and R17: a redirect without an address keeps the bytes on disk")
    func nowhere() async throws {
      let server = try server { _, connection in
        connection.respond(status: 301, body: "<html>Moved</html>")
      }
      #expect(try await failure(server)?.code == .redirect)
    }

    @Test("rows 38 and R21: a redirect passes on the range")
    func redirect() async throws {
      let server = try server { _, connection in
        connection.respond(
          status: 302, fields: [Request.Field("Location", "/b.mp3")],
          body: String(repeating: "x", count: 3000))
      }
      // The other path counts its own attempts, and stops after the first one's last byte.
      _ = try await restarts(server)
      let hop = try #require(server.log.first { $0.path == "/b.mp3" }?.request)
      #expect(hop.rangeStart == Self.start && hop.all("If-Range") == ["\"first\""])
    }

    @Test("rows 36 and F6: an interrupted header of a part")
    func cutHead() async throws {
      let server = try server { _, connection in
        connection.write("HTTP/1.1 206 Odd\r\n\(Self.range(Self.start, Self.total - 1, "*"))\r\n")
        connection.close()
      }
      #expect(try await restarts(server) == [])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.start, Self.start])
    }

    @Test("row 59: interim answers before a part are ignored")
    func interim() async throws {
      let server = try server { request, connection in
        connection.write("HTTP/1.1 103 Early Hints\r\nContent-Range: bytes 0-1/2\r\n\r\n")
        FileServing(Representation(Self.bytes)).answer(request, on: connection)
      }
      #expect(try await restarts(server) == [])
      #expect(server.log.count == 2)
    }
  }
}
