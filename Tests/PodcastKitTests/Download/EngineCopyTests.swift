import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension EngineTests {
  /// Libraries that were copied while a download was unfinished: the files have other inodes.
  @Suite("Downloads in copied libraries") struct EngineCopyTests {
    private static let first = MP3Maker.bytes(seed: 1, length: 600_000)
    private static let second = MP3Maker.bytes(seed: 2, length: 600_000)
    private static let cut: Int64 = 400_000
    private static let overlap: Int64 = 64 * 1024

    private func server() throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.first)) {
          $0 == 1 ? .cut(.close, .afterBody(Self.cut)) : Behaviour()
        }
      ])
    }

    /// A library with an interrupted download.
    private func cutDownload(
      _ server: LoopbackServer, _ change: (inout DownloadOptions) -> Void = { _ in }
    ) async throws -> (engine: EngineHarness, plan: DownloadPlan) {
      var engine = try EngineHarness()
      change(&engine.options)
      let retries = engine.options.retries
      engine.options.retries.retries = 0
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan) != nil)
      #expect(engine.partSize(plan) == Self.cut)
      engine.options.retries = retries
      return (engine, plan)
    }

    private func part(_ plan: DownloadPlan) -> String { "library/.podget/partial/\(plan.key).part" }

    /// Gives the part file other bytes and another inode.
    private func replacePart(
      _ engine: EngineHarness, _ plan: DownloadPlan, by bytes: some Sequence<UInt8>
    ) throws {
      try engine.folder.write("copy", Array(bytes))
      let path = engine.folder.path(part(plan))
      try FileManager.default.moveItem(atPath: path, toPath: engine.folder.path("before"))
      try FileManager.default.moveItem(atPath: engine.folder.path("copy"), toPath: path)
    }

    @Test("a copy continues where the record says that bytes were durable")
    func copied() async throws {
      let server = try server()
      let (engine, plan) = try await cutDownload(server)
      try replacePart(engine, plan, by: Self.first[..<Int(Self.cut)])
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(run.resumedFrom(plan) == Self.cut)
      #expect(run.restarts(plan) == [])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.cut - Self.overlap])
    }

    @Test("bytes received after the record was copied are downloaded again, and no others")
    func longer() async throws {
      let server = try server()
      let (engine, plan) = try await cutDownload(server)
      // What follows the proven bytes may be anything.
      try replacePart(engine, plan, by: Self.first[..<Int(Self.cut)] + Self.second[500_000...])
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.cut - Self.overlap])
    }

    @Test("the record of one version with the bytes of another restarts, and is reported")
    func otherVersion() async throws {
      let server = try server()
      let (engine, plan) = try await cutDownload(server)
      // The end is the same, so that no overlap can show it.
      let end = Int(Self.cut - Self.overlap)
      let mixed = Self.second[..<end] + Self.first[end..<Int(Self.cut)]
      try replacePart(engine, plan, by: mixed)
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(run.resumedFrom(plan) == 0)
      #expect(run.restarts(plan) == [.noValidator])
      #expect(server.log.map(\.request.rangeStart) == [nil, nil])
    }

    @Test("an inode that is equal by chance, on another machine, proves nothing")
    func sameInode() async throws {
      let server = try server()
      let (engine, plan) = try await cutDownload(server)
      let end = Int(Self.cut - Self.overlap)
      let file = try FileHandle(forUpdating: URL(filePath: engine.folder.path(part(plan))))
      try file.write(contentsOf: Data(Self.second[..<end]))
      try file.close()
      let partials = try PartialFolder(library: engine.library.root)
      var record = try #require(try partials.read(plan.key))
      record.state?.bootID = "of another machine"
      try partials.write(record, .whole)
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(server.log.map(\.request.rangeStart) == [nil, nil])
    }

    @Test(
      "after its disk was removed, only the durable length of a part counts",
      arguments: [(",disk 0,mount 0", 100_000), ("", Self.cut)])
    func unplugged(attachment: String, trusted: Int64) async throws {
      let server = try server()
      let (engine, plan) = try await cutDownload(server)
      let partials = try PartialFolder(library: engine.library.root)
      var record = try #require(try partials.read(plan.key))
      let runID = try #require(record.state?.bootID)
      let bootID = try #require(runID.split(separator: ",").first)
      // A record without an attachment is one of an earlier podget.
      record.state?.bootID = bootID + attachment
      record.state?.durableLength = 100_000
      try partials.write(record, .whole)
      let run = try await engine.run([plan])
      #expect(run.resumedFrom(plan) == trusted)
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(server.log.map(\.request.rangeStart) == [nil, trusted - Self.overlap])
    }

    @Test("a copied file is known by its own inode from then on")
    func twice() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.first)) {
          $0 < 3 ? .cut(.close, .afterBody($0 == 1 ? Self.cut : 100_000)) : Behaviour()
        }
      ])
      let (engine, plan) = try await cutDownload(server)
      try replacePart(engine, plan, by: Self.first[..<Int(Self.cut)])
      var again = engine
      again.options.retries.retries = 0
      #expect(try await again.run([plan]).error(plan) != nil)
      let held = Self.cut - Self.overlap + 100_000
      #expect(engine.partSize(plan) == held)
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(run.resumedFrom(plan) == held)
    }

    @Test("without checksums nothing proves a copy; it restarts, and this is reported")
    func withoutChecksums() async throws {
      let server = try server()
      let (engine, plan) = try await cutDownload(server) { $0.computesChecksums = false }
      try replacePart(engine, plan, by: Self.first[..<Int(Self.cut)])
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(run.restarts(plan) == [.noValidator])
    }

    @Test("the longest matching proof counts, and one that fails ends the proven part")
    func proofs() throws {
      let engine = try EngineHarness()
      let bytes = [UInt8]("hello, world".utf8)
      func proof(_ length: Int, of bytes: [UInt8]) throws -> PrefixProof {
        try engine.folder.write("prefix", Array(bytes[..<length]))
        let part = try #require(
          try PartFile.open(engine.folder.path("prefix"), in: engine.library.root))
        return PrefixProof(length: Int64(length), sha256: try part.sha256())
      }
      try engine.folder.write("library/a.part", Array(bytes[..<9]))
      let part = try #require(try PartFile.open("a.part", in: engine.library.root))
      let good = try [3, 7, 12].map { try proof($0, of: bytes) }
      #expect(try part.provenLength(good) == 7)
      #expect(try part.provenLength(good.reversed()) == 7)
      let wrong = try proof(7, of: Array("HELLO, WORLD".utf8))
      #expect(try part.provenLength([good[0], wrong]) == 3)
      let odd = [-1, 0, .max].map { PrefixProof(length: $0, sha256: "") }
      #expect(try part.provenLength(odd) == 0)
      #expect(try part.provenLength([]) == 0)
    }
  }
}
