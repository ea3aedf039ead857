import LoopbackServer
import PodcastKit
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

extension EngineTests {
  /// Bodies whose length no server announces; the rows are those of `Tests/rows.tsv`.
  @Suite("Ends without a length") struct EngineEndTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)
    /// It ends within a frame.
    private static let half = Array(bytes.prefix(bytes.count / 2 + 100))

    /// Sends these bodies in turn, the last one again and again, to requests without ranges.
    private func server(
      _ framing: Behaviour.Framing, _ bodies: [UInt8]..., validators: Behaviour.Validators = .none
    ) throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(
          version: { Representation(bodies[min($0.attempt, bodies.count) - 1]) },
          behaviour: { _ in
            Behaviour {
              $0.framing = framing
              $0.validators = validators
              $0.ignoresRange = true
            }
          })
      ])
    }

    private struct Result {
      var content: [UInt8]?
      var error: PodgetError.Code?
      var requests: Int
    }

    private func download(
      from server: LoopbackServer, length: Int64? = nil, retries: Int = 3
    ) async throws -> Result {
      var engine = try EngineHarness()
      engine.options.retries = RetryPolicy(retries: retries, baseDelay: .milliseconds(1))
      let plan = engine.plan(server.url("/a.mp3"), length: length)
      let run = try await engine.run([plan])
      let file = run.finished(plan)
      #expect((file == nil) == engine.finishedFiles.isEmpty)
      if let file { #expect(try file.sha256 == engine.sha256(file.path)) }
      return Result(
        content: try file.map { try engine.read($0.path) }, error: run.error(plan)?.code,
        requests: server.log.count)
    }

    @Test("row 61: half a file in a complete message fails if audio and feed announce more")
    func halfMessage() async throws {
      let server = try server(.chunked, Self.half)
      let result = try await download(from: server, length: Int64(Self.bytes.count))
      #expect(result.content == nil && result.error == .incomplete)
      #expect(result.requests == 2)
    }

    @Test("row 61: the complete file takes the place of half of it") func thenWhole() async throws {
      for validators in [Behaviour.Validators.none, .all] {
        let server = try server(.chunked, Self.half, Self.bytes, validators: validators)
        let result = try await download(from: server)
        #expect(result.content == Self.bytes && result.requests == 2)
      }
    }

    @Test(
      "row 61: a file that the server has only in part is accepted at its second equal message",
      arguments: [0, 3])
    func publishedCut(retries: Int) async throws {
      for length in [nil, 1, 100_000] as [Int64?] {
        let server = try server(.chunked, Self.half)
        let result = try await download(from: server, length: length, retries: retries)
        #expect(result.content == Self.half && result.requests == 2)
      }
    }

    @Test("row 61: a length in the feed that is too large costs a second request at most")
    func wrongLength() async throws {
      let whole = try await download(from: server(.chunked, Self.bytes), length: 9_000_000)
      #expect(whole.content == Self.bytes && whole.requests == 2)
      let near = try await download(
        from: server(.chunked, Self.bytes), length: Int64(Self.bytes.count) + 1000)
      #expect(near.content == Self.bytes && near.requests == 1)
      // Where ranges work, the second request has the length of the file.
      let ranges = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(Self.bytes), behaviour: Behaviour { $0.framing = .chunked })
      ])
      let proven = try await download(from: ranges, length: 9_000_000)
      #expect(proven.content == Self.bytes)
      #expect(
        ranges.log.map(\.request.rangeStart) == [nil, Int64(Self.bytes.count) - 64 * 1024])
    }

    @Test("row 32: a body that ends between two frames lacks those that its first one announces")
    func announcedFrames() async throws {
      let whole = AudioStructureTests.mp3(300, announcing: 300)
      let cut = Array(whole.prefix(417 * 100))
      let failed = try await download(from: server(.untilClose, cut))
      #expect(failed.content == nil && failed.error == .incomplete)
      let found = try await download(from: server(.untilClose, cut, whole))
      #expect(found.content == whole && found.requests == 2)
    }

    @Test(
      "row 32: boxes, pages and chunks of audio show their end, whatever the feed announces",
      arguments: [nil, 7, 1_000_000] as [Int64?])
    func otherFormats(length: Int64?) async throws {
      for whole in [
        AudioStructureTests.mp4(indexFirst: true), AudioStructureTests.mp4(indexFirst: false),
        AudioStructureTests.oggPages.flatMap { $0 }, AudioStructureTests.wave,
      ] {
        let complete = try await download(from: server(.untilClose, whole), length: length)
        #expect(complete.content == whole && complete.requests == 1)
        let half = Array(whole.prefix(whole.count / 2))
        let failed = try await download(from: server(.untilClose, half), length: length)
        #expect(failed.content == nil && failed.error == .incomplete)
      }
    }

    @Test("row 32: without any mark the same end counts when it comes again")
    func unmarked() async throws {
      for whole in [Self.bytes, AudioStructureTests.flac] {
        let same = try await download(from: server(.untilClose, whole), retries: 0)
        #expect(same.content == whole && same.requests == 2)
        // Between two frames, where nothing shows that it is cut.
        let cut = Array(whole.prefix(MP3Maker.bytes(seed: 1, length: 2000).count))
        let longer = try await download(from: server(.untilClose, cut, whole))
        #expect(longer.content == whole && longer.requests == 3)
      }
    }
  }
}
