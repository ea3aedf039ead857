import LoopbackServer
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
    private static let coded = Representation(storedGzip(bytes), etag: "\"coded\"")
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

    @Test("row 15: an unknown coding fails, and nothing of it is kept")
    func unknown() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(Self.bytes),
          behaviour: Behaviour { $0.fields = [Request.Field("Content-Encoding", "x-own")] })
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.message.last == ".", "\(run.kinds(plan))")
      #expect(engine.finishedFiles == [])
      #expect(engine.partSize(plan) == nil)
    }
  }
}
