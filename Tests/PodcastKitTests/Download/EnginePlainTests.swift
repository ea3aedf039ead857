import Foundation
import LoopbackServer
import PodcastKit
import TestSupport
import Testing

extension EngineTests {
  @Suite("Downloads from a server that behaves") struct EnginePlainTests {
    private let bytes = MP3Maker.bytes(seed: 1, length: 300_000, title: "One")

    @Test("one episode takes one GET, and all of it is right")
    func one() async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(bytes))])
      let engine = try EngineHarness()
      let date = Date(timeIntervalSince1970: 1_676_563_217)
      let plan = engine.plan(server.url("/a.mp3"), date: date)
      let run = try await engine.run([plan])

      let file = try #require(run.finished(plan))
      #expect(file.path == "Show/Episode.mp3")
      #expect(file.bytes == Int64(bytes.count))
      #expect(try engine.read(file.path) == bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
      #expect(engine.files == ["Show/.podget.ndjson", "Show/Episode.mp3"])
      let attributes = try FileManager.default.attributesOfItem(
        atPath: engine.folder.path("library/Show/Episode.mp3"))
      #expect(attributes[.modificationDate] as? Date == date)

      let request = try #require(server.log.first?.request)
      #expect(server.log.count == 1)
      #expect(request.method == "GET")
      #expect(request.all("Accept-Encoding") == ["identity"])
      #expect(request.all("Range") == [])
      #expect(request.all("If-Range") == [])
      #expect(request.first("User-Agent") == "podget-test")

      let local = engine.library.episodes()
      #expect(local.map(\.plan.key) == [plan.key])
      #expect(local.map(\.status) == [.complete])
      #expect(local.map(\.sha256) == [file.sha256])
      #expect(engine.library.unfinished().isEmpty)
    }

    @Test("a complete episode is skipped without a request, and downloaded again only with --force")
    func again() async throws {
      let other = MP3Maker.bytes(seed: 2, length: 200_000)
      let (first, second) = (bytes, other)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(version: {
          $0.attempt == 1
            ? Representation(first) : Representation(second, etag: "\"second\"")
        })
      ])
      var engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).finished(plan) != nil)

      let skipped = try await engine.run([plan])
      #expect(
        skipped.kinds(plan) == [
          .skipped(path: "Show/Episode.mp3", reason: .alreadyDownloaded)
        ])
      #expect(server.log.count == 1)

      engine.options.isForced = true
      let forced = try await engine.run([plan])
      #expect(forced.finished(plan)?.bytes == Int64(other.count))
      #expect(try engine.read("Show/Episode.mp3") == other)
      #expect(engine.finishedFiles == ["Show/Episode.mp3"])
      #expect(engine.library.episodes().map(\.total) == [Int64(other.count)])
    }

    @Test("a forced download that fails leaves the old file")
    func forcedFailure() async throws {
      let bytes = bytes
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(bytes)) { $0 == 1 ? Behaviour() : .answers(404) }
      ])
      var engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).finished(plan) != nil)
      engine.options.isForced = true
      #expect(try await engine.run([plan]).error(plan)?.httpStatus == 404)
      #expect(try engine.read("Show/Episode.mp3") == bytes)
      #expect(engine.finishedFiles == ["Show/Episode.mp3"])
    }

    @Test("a repeated plan counts once")
    func twice() async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(bytes))])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan, plan]).finished(plan) != nil)
      #expect(server.log.count == 1)
      #expect(try await engine.run([]).events.isEmpty)
    }

    @Test("a foreign file in the way keeps its name, and the episode gets a suffix")
    func foreign() async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(bytes))])
      let engine = try EngineHarness()
      try engine.folder.write("library/Show/Episode.mp3", "mine")
      let plan = engine.plan(server.url("/a.mp3"))
      let file = try #require(try await engine.run([plan]).finished(plan))
      #expect(file.path == "Show/Episode [\(plan.key.prefix(6))].mp3")
      #expect(try engine.read(file.path) == bytes)
      #expect(try engine.read("Show/Episode.mp3") == Array("mine".utf8))
      #expect(engine.library.episodes().map(\.path) == [file.path])
      #expect(try await engine.run([plan]).outcome(plan)?.isSkip == true)
    }

    @Test("the bytes decide the extension")
    func fileExtension() async throws {
      let m4a = Array("\0\0\0\u{20}ftypM4A \0\0\0\0".utf8) + [UInt8](repeating: 7, count: 9000)
      let strange = (0..<9000).map { UInt8(truncatingIfNeeded: $0 * 7 | 0x80) }
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(m4a)), "/b.mp3": FileServing(Representation(strange)),
      ])
      let engine = try EngineHarness()
      let audio = engine.plan(server.url("/a.mp3"), title: "A")
      let unknown = engine.plan(server.url("/b.mp3"), title: "B")
      let run = try await engine.run([audio, unknown])
      #expect(["Show/A.m4a", "Show/A.mp4"].contains(run.finished(audio)?.path))
      #expect(run.finished(unknown)?.path == "Show/B.mp3")
      #expect(try await engine.run([audio, unknown]).outcome(audio)?.isSkip == true)
      #expect(server.log.count == 2)
    }

    @Test("row 32: a chunked body without a length is complete at its last chunk")
    func chunked() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(bytes), behaviour: Behaviour { $0.framing = .chunked })
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let file = try #require(try await engine.run([plan]).finished(plan))
      #expect(try engine.read(file.path) == bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
    }

    @Test("row 32: without length or chunks, complete audio is accepted and truncated audio is not")
    func untilClose() async throws {
      let open = Behaviour { $0.framing = .untilClose }
      let cut = Behaviour {
        $0.framing = .untilClose
        $0.ignoresRange = true
        $0.cut = .close
        $0.cutPoint = .afterBody(100_000)
      }
      let server = try LoopbackServer(files: [
        "/whole.mp3": FileServing(Representation(bytes), behaviour: open),
        "/cut.mp3": FileServing(Representation(bytes), behaviour: cut),
        "/announced.mp3": FileServing(Representation(bytes), behaviour: cut),
      ])
      let engine = try EngineHarness()
      let whole = engine.plan(server.url("/whole.mp3"), title: "A")
      let short = engine.plan(server.url("/cut.mp3"), title: "B")
      let announced = engine.plan(
        server.url("/announced.mp3"), title: "C", length: Int64(bytes.count))
      let run = try await engine.run([whole, short, announced])
      #expect(try engine.read(#require(run.finished(whole)).path) == bytes)
      #expect(run.error(short)?.code == .incomplete)
      #expect(run.error(announced)?.code == .incomplete)
      #expect(engine.finishedFiles == ["Show/A.mp3"])
    }

    @Test(
      "row 51: a wrong announced length is not an error", arguments: [0, 1, 299_999, 9_000_000])
    func announcedLength(length: Int64) async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(bytes))])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"), length: length)
      #expect(try await engine.run([plan]).finished(plan)?.bytes == Int64(bytes.count))
    }

    @Test("without checksums there is none")
    func noChecksum() async throws {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(bytes))])
      var engine = try EngineHarness()
      engine.options.computesChecksums = false
      let plan = engine.plan(server.url("/a.mp3"))
      let file = try #require(try await engine.run([plan]).finished(plan))
      #expect(file.sha256 == nil)
      #expect(try engine.read(file.path) == bytes)
    }

    @Test("a long file, through many blocks and a checkpoint")
    func long() async throws {
      let file = MP3Maker(seed: 3, approximateSize: 20 << 20)
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(file))])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let finished = try #require(try await engine.run([plan]).finished(plan))
      #expect(try engine.read(finished.path).elementsEqual(file.bytes(in: 0..<file.size)))
      #expect(try finished.sha256 == engine.sha256(finished.path))
    }
  }
}

extension DownloadEvent.Kind {
  var isSkip: Bool { if case .skipped = self { true } else { false } }
}
