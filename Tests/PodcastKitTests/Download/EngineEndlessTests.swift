import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension EngineTests {
  @Suite("Bodies without an announced length") struct EngineEndlessTests {
    private static let limit: Int64 = 1_000_000
    private static let bytes = MP3Maker.bytes(seed: 1, length: 400_000)

    /// Sends audio until the client leaves.
    private func server(_ fields: String) throws -> LoopbackServer {
      try LoopbackServer { _, connection in
        guard connection.write("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n\(fields)\r\n")
        else { return }
        let isChunked = fields.contains("chunked")
        while true {
          let head = isChunked ? "\(String(Self.bytes.count, radix: 16))\r\n" : ""
          let tail = isChunked ? "\r\n" : ""
          guard connection.write(head), connection.write(Self.bytes), connection.write(tail) else {
            return
          }
        }
      }
    }

    private func harness() throws -> EngineHarness {
      var engine = try EngineHarness()
      engine.options.longestUnknownLength = Self.limit
      return engine
    }

    @Test(
      "a body without an end is given up for good, and leaves no bytes",
      arguments: [
        "", "Transfer-Encoding: chunked\r\n", "ETag: \"a\"\r\n",
        "icy-name: Radio\r\nicy-br: 128\r\n",
      ])
    func endless(fields: String) async throws {
      let server = try server(fields)
      let engine = try harness()
      let plan = engine.plan(server.url("/a.mp3"))
      for attempt in 1...2 {
        let run = try await engine.run([plan])
        let error = try #require(run.error(plan))
        #expect(error.code == .incomplete && error.remedy == .acceptMore)
        #expect(run.retries(plan).isEmpty && server.log.count == attempt)
        #expect(engine.partSize(plan) == nil && engine.finishedFiles == [])
        let unfinished = try #require(engine.library.unfinished().first)
        #expect(unfinished.failure == .incomplete && unfinished.isEndless)
        let received = run.kinds(plan).compactMap {
          if case .progress(let received, _) = $0 { received } else { nil }
        }
        #expect(received.allSatisfy { $0 <= (fields.contains("icy") ? 0 : Self.limit) })
      }
    }

    @Test("bytes from an earlier version go too") func heldBytes() async throws {
      let server = try LoopbackServer { request, connection in
        if request.attempt == 1 {
          FileServing(Representation(Self.bytes), behaviour: .cut(.reset, .afterBody(200_000)))
            .answer(request, on: connection)
        } else {
          connection.write("HTTP/1.1 200 OK\r\n\r\n")
          while connection.write(Self.bytes) {}
        }
      }
      var engine = try harness()
      engine.options.retries.retries = 0
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.code == .network)
      #expect(engine.partSize(plan) == 200_000)
      #expect(try await engine.run([plan]).error(plan)?.code == .incomplete)
      #expect(engine.partSize(plan) == nil)
    }

    @Test("what is as long as the limit, or announces its length, or has none, is complete")
    func finite() async throws {
      let framings: [(Behaviour.Framing, Int64?)] = [
        (.contentLength, 1000), (.chunked, Int64(Self.bytes.count)),
        (.untilClose, Int64(Self.bytes.count)), (.chunked, nil),
      ]
      for (framing, limit) in framings {
        let server = try LoopbackServer(files: [
          "/a.mp3": FileServing(
            Representation(Self.bytes),
            behaviour: Behaviour {
              $0.framing = framing
              // A station's server may also have files.
              if limit == 1000 || limit == nil { $0.fields = [Request.Field("icy-name", "Radio")] }
            })
        ])
        var engine = try EngineHarness()
        engine.options.longestUnknownLength = limit
        let plan = engine.plan(server.url("/a.mp3"), length: Int64(Self.bytes.count))
        let run = try await engine.run([plan])
        #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      }
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(Self.bytes), behaviour: Behaviour { $0.framing = .chunked })
      ])
      var engine = try EngineHarness()
      engine.options.longestUnknownLength = Int64(Self.bytes.count) - 1
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.code == .incomplete)
    }
  }
}
