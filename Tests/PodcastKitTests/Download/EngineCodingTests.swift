import LoopbackServer
import PodcastKit
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

extension EngineTests {
  /// Servers that code what was asked for as it is; the row is that of the table of server
  /// behaviours in the engine's design notes.
  @Suite("Coded answers") struct EngineCodingTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 400_000)
    private static let gzipped = storedGzip(bytes)
    private static let coded = Representation(gzipped, etag: "\"coded\"")
    private static let gzip = Request.Field("Content-Encoding", "gzip")

    /// Serves the file as gzip to the requests that `isCoded` selects, with the given behaviour.
    private func server(
      isCoded: @escaping @Sendable (Request) -> Bool,
      _ behaviour: @escaping @Sendable (_ attempt: Int) -> Behaviour = { _ in Behaviour() }
    ) throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(
          version: { isCoded($0) ? Self.coded : Representation(Self.bytes) },
          behaviour: { request in
            var answer = behaviour(request.attempt)
            if isCoded(request) { answer.fields.append(Self.gzip) }
            return answer
          })
      ])
    }

    private func download(from server: LoopbackServer) async throws -> [RestartReason] {
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.bytes)
      #expect(file.bytes == Int64(Self.bytes.count))
      #expect(try file.sha256 == engine.sha256(file.path))
      #expect(engine.files == ["Show/.podget.ndjson", "Show/Episode.mp3"])
      return run.restarts(plan)
    }

    @Test(
      "rows 15 and F20: a server that codes every answer is asked to, and the file is stored decoded",
      arguments: [.contentLength, .chunked, .untilClose] as [Behaviour.Framing])
    func always(framing: Behaviour.Framing) async throws {
      let server = try server(isCoded: { _ in true }) { _ in Behaviour { $0.framing = framing } }
      #expect(try await download(from: server) == [])
      let accepted = server.log.map { $0.request.first("Accept-Encoding") }
      #expect(accepted.count == 2)
      #expect(accepted.first == "identity")
      #expect(accepted.last??.contains("gzip") == true)
    }

    @Test("row 15: a server that codes only its first answer serves the file as it is")
    func once() async throws {
      let server = try server(isCoded: { $0.attempt == 1 })
      #expect(try await download(from: server) == [])
      #expect(server.log.map(\.status) == [200, 200])
    }

    @Test("row 15: an interrupted coded answer restarts, never continues")
    func cut() async throws {
      let server = try server(isCoded: { _ in true }) {
        $0 == 2 ? .cut(.reset, .afterBody(250_000)) : Behaviour()
      }
      #expect(try await download(from: server) == [.noValidator])
      #expect(server.log.map(\.request.rangeStart) == [nil, nil, nil])
    }

    @Test("row 15: if the rest is coded, the complete file replaces the bytes on disk")
    func rest() async throws {
      let server = try server(isCoded: { $0.attempt > 1 }) {
        $0 == 1 ? .cut(.reset, .afterBody(250_000)) : Behaviour { $0.ignoresRange = true }
      }
      #expect(try await download(from: server) == [.changed])
      #expect(server.log.count == 3)
    }

    /// Serves the first bytes of the file as gzip, as a content coding or as one of the message.
    private func server(
      first count: Int, of coded: [UInt8], isTransferCoding: Bool, framing: Behaviour.Framing
    ) throws -> LoopbackServer {
      try LoopbackServer { _, connection in
        let body = coded.prefix(count)
        var codings = isTransferCoding ? ["gzip"] : []
        var head = "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nETag: \"coded\"\r\n"
        if !isTransferCoding { head += "Content-Encoding: gzip\r\n" }
        switch framing {
        case .contentLength: head += "Content-Length: \(body.count)\r\n"
        case .chunked: codings.append("chunked")
        case .untilClose: break
        }
        if !codings.isEmpty {
          head += "Transfer-Encoding: \(codings.joined(separator: ", "))\r\n"
        }
        connection.write(head + "Connection: close\r\n\r\n")
        if framing == .chunked { connection.write("\(String(body.count, radix: 16))\r\n") }
        connection.write(body)
        if framing == .chunked { connection.write("\r\n0\r\n\r\n") }
        connection.close()
      }
    }

    /// How a coded body is sent.
    private static let shapes: [(isTransferCoding: Bool, framing: Behaviour.Framing)] = [
      (false, .contentLength), (false, .chunked), (false, .untilClose), (true, .chunked),
      (true, .untilClose),
    ]

    @Test(
      "rows 60 and F27: gzip that lacks its end is no file, wherever it ends", arguments: shapes)
    func truncated(isTransferCoding: Bool, framing: Behaviour.Framing) async throws {
      // Without the last byte of its trailer, all of the file is there, but nothing proves that.
      for count in [Self.gzipped.count / 2, Self.gzipped.count - 1] {
        let server = try server(
          first: count, of: Self.gzipped, isTransferCoding: isTransferCoding, framing: framing)
        var engine = try EngineHarness()
        engine.options.retries = RetryPolicy(retries: 2, baseDelay: .milliseconds(1))
        let plan = engine.plan(server.url("/a.mp3"))
        let run = try await engine.run([plan])
        #expect(run.error(plan)?.code == .incomplete, "\(run.kinds(plan))")
        #expect(run.retries(plan).map(\.reason) == [.incomplete, .incomplete])
        #expect(engine.finishedFiles == [])
      }
    }

    @Test("rows 60 and F27: gzip with its end is the file", arguments: shapes)
    func whole(isTransferCoding: Bool, framing: Behaviour.Framing) async throws {
      let server = try server(
        first: .max, of: Self.gzipped, isTransferCoding: isTransferCoding, framing: framing)
      #expect(try await download(from: server) == [])
      #expect(server.log.count == (isTransferCoding ? 1 : 2))
    }

    @Test(
      "row 15: a coding that is none, or an unknown one of known media, leaves the file as it is",
      arguments: ["aws-chunked", "binary", "none", "UTF-8", "", "8bit", "identity", "audio/mpeg"])
    func noCoding(name: String) async throws {
      let server = try server(isCoded: { _ in false }) {
        var behaviour = $0 == 1 ? .cut(.reset, .afterBody(250_000)) : Behaviour()
        behaviour.fields = [Request.Field("Content-Encoding", name)]
        return behaviour
      }
      #expect(try await download(from: server) == [])
      // The rest is requested, and with its version.
      #expect(server.log.map(\.status) == [200, 206])
      #expect(server.log.last?.request.first("If-Range") != nil)
    }

    @Test("row 15: an unknown coding of other bytes fails, and nothing of it is kept")
    func unknown() async throws {
      // The frames of the episode are visible in its stored gzip, and are not at its beginning.
      // So are they in an upload whose signatures are still there.
      let signed = Array("61a80;chunk-signature=\(String(repeating: "7", count: 64))\r\n".utf8)
      for (name, body) in [
        ("x-own", Self.gzipped), ("aws-chunked", signed + Self.bytes), ("br", Self.bytes),
        ("zstd", Self.bytes),
      ] {
        let server = try LoopbackServer(files: [
          "/a.mp3": FileServing(
            Representation(body),
            behaviour: Behaviour { $0.fields = [Request.Field("Content-Encoding", name)] })
        ])
        let engine = try EngineHarness()
        let plan = engine.plan(server.url("/a.mp3"))
        let run = try await engine.run([plan])
        #expect(run.error(plan)?.code == .decoding, "\(run.kinds(plan))")
        #expect(
          run.error(plan)?.message.hasSuffix("its coding is unknown: \(name).") == true
            || run.error(plan)?.message == "The server's content coding is unknown: \(name).")
        #expect(server.log.count == 2)
        #expect(engine.finishedFiles == [])
        #expect(engine.partSize(plan) == nil)
      }
    }
  }
}
