import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension EngineTests {
  /// Files whose feed announces hashes of them (`podcast:integrity`).
  @Suite("Downloads with announced hashes") struct EngineIntegrityTests {
    private static let bytes = MP3Maker.bytes(seed: 7, length: 300_000)

    /// The bytes' hash as feeds have it.
    private func hash(_ algorithm: MediaIntegrity.Algorithm, of bytes: [UInt8] = bytes) throws
      -> String
    {
      var digest = SHA2Digest(algorithm)
      bytes.withUnsafeBytes { digest.add($0) }
      let sum = digest.finish()
      let hex = Array(try #require(sum).utf8)
      let hash = stride(from: 0, to: hex.count, by: 2).compactMap {
        UInt8(String(decoding: hex[$0..<($0 + 2)], as: UTF8.self), radix: 16)
      }
      return "\(algorithm.rawValue)-\(Data(hash).base64EncodedString())"
    }

    private func plan(
      _ engine: EngineHarness, _ server: LoopbackServer, _ integrity: String
    ) -> DownloadPlan {
      let plan = engine.plan(server.url("/a.mp3"))
      var episode = plan.episode
      episode.enclosure.integrity = integrity
      return DownloadPlan(
        key: plan.episodeKey, podcast: plan.podcast, episode: episode, file: plan.file)
    }

    @Test(
      "a file that has them is finished, also after an interruption",
      arguments: [MediaIntegrity.Algorithm.sha256, .sha384, .sha512], [true, false])
    func same(algorithm: MediaIntegrity.Algorithm, computesChecksums: Bool) async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.bytes)) { attempt in
          attempt == 1 ? .cut(.reset, .afterBody(100_000)) : Behaviour()
        }
      ])
      var engine = try EngineHarness()
      engine.options.computesChecksums = computesChecksums
      let wrong = try hash(.sha256, of: [1])
      let text =
        algorithm == .sha256
        ? try "md5-AAAA \(hash(.sha256))" : try "\(wrong) \(hash(algorithm))"
      let plan = plan(engine, server, text)
      let run = try await engine.run([plan])
      #expect(try engine.read(try #require(run.finished(plan)).path) == Self.bytes)
    }

    @Test(
      "another file fails for good, and nothing of it is kept",
      arguments: [MediaIntegrity.Algorithm.sha256, .sha384, .sha512], [true, false])
    func other(algorithm: MediaIntegrity.Algorithm, computesChecksums: Bool) async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(Self.bytes))])
      var engine = try EngineHarness()
      engine.options.computesChecksums = computesChecksums
      let plan = plan(engine, server, try hash(algorithm, of: [1, 2, 3]))
      for requests in 1...2 {
        let run = try await engine.run([plan])
        let error = try #require(run.error(plan))
        #expect(error.code == .incomplete && error.circumstance == .mismatch && error.isForGood)
        #expect(error.message.contains(algorithm.rawValue.uppercased()))
        #expect(engine.finishedFiles == [] && engine.partSize(plan) ?? 0 == 0)
        #expect(server.log.map(\.status) == Array(repeating: 200, count: requests))
      }
    }

    @Test("an episode that is downloaded again by its record must have them too")
    func repaired() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(version: { request in
          Representation(
            request.attempt == 1 ? Self.bytes : MP3Maker.bytes(seed: 8, length: 300_000))
        })
      ])
      var engine = try EngineHarness()
      let plan = plan(engine, server, try hash(.sha256))
      let path = try #require(try await engine.run([plan]).finished(plan)).path
      let recorded = try #require(
        engine.library.inventory(of: engine.library.reading()).recorded.first
      ).plan
      engine.options.isForced = true
      let error = try #require(try await engine.run([recorded]).error(recorded))
      #expect(error.code == .incomplete && error.circumstance == .mismatch)
      #expect(try engine.read(path) == Self.bytes && server.log.count == 2)
    }

    @Test("hashes that nobody knows are ignored") func unknown() async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(Self.bytes))])
      let engine = try EngineHarness()
      let plan = plan(engine, server, "blake3-AAAA sha256-AAAA")
      #expect(try await engine.run([plan]).finished(plan) != nil)
    }

    @Test("an unfinished download keeps its hashes") func recorded() throws {
      let server = try LoopbackServer(files: [:])
      let plan = plan(try EngineHarness(), server, "sha256-x")
      let line = try JSONEncoder().encode(PartialRecord(plan))
      let read = try JSONDecoder().decode(PartialRecord.self, from: line)
      #expect(read.plan.episode.enclosure.integrity == "sha256-x")
    }
  }
}
