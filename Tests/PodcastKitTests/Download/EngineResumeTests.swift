import Foundation
import LoopbackServer
import PodcastTransfer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel

extension EngineTests {
  /// The rows are those of the table of server behaviours in the engine's design notes. In each test
  /// the first response is interrupted, and what follows must bring one complete version.
  @Suite("Interrupted downloads") struct EngineResumeTests {
    private static let first = MP3Maker.bytes(seed: 1, length: 400_000)
    private static let sameSize = MP3Maker.bytes(seed: 2, length: 400_000)
    private static let longer = MP3Maker.bytes(seed: 3, length: 500_000)
    private static let cut: Int64 = 250_000
    private static let overlap: Int64 = 64 * 1024

    /// Serves the first version truncated, and then what the case needs.
    private func server(
      then version: Representation = Representation(first), cut: Behaviour.Cut = .reset,
      _ behaviour: @escaping @Sendable (_ attempt: Int) -> Behaviour = { _ in Behaviour() }
    ) throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(
          version: { $0.attempt == 1 ? Representation(Self.first) : version },
          behaviour: {
            $0.attempt == 1 ? .cut(cut, .afterBody(Self.cut)) : behaviour($0.attempt)
          })
      ])
    }

    /// Runs one download and returns its run after checking the file against one version.
    private func download(
      from server: LoopbackServer, expecting bytes: [UInt8], byOverlap: Bool = false
    ) async throws -> [RestartReason] {
      var engine = try EngineHarness()
      engine.options.resumesByOverlap = byOverlap
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == bytes)
      #expect(file.bytes == Int64(bytes.count))
      #expect(try file.sha256 == engine.sha256(file.path))
      #expect(engine.files == ["Show/.podget.ndjson", "Show/Episode.mp3"])
      return run.restarts(plan)
    }

    @Test(
      "a validator that no record holds is as none, and the next run goes on",
      arguments: ["\"a\tb\"", "\"\u{7F}\"", "\"\(String(repeating: "e", count: 100_000))\""],
      [true, false])
    func strangeValidators(text: String, isTag: Bool) async throws {
      let (tag, date) = isTag ? (text, Representation.longAgo) : (nil, text)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(Self.first, etag: tag, lastModified: date, contentType: text)
        ) { $0 < 3 ? .cut(.reset, .afterBody(Int64(150_000 * $0))) : Behaviour() }
      ])
      var engine = try EngineHarness()
      engine.options.retries.retries = 0
      let plan = engine.plan(server.url("/a.mp3"))
      for _ in 1...2 { #expect(try await engine.run([plan]).error(plan)?.code == .network) }
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.first)
      #expect(run.restarts(plan) == [.noValidator])
      #expect(server.log.last?.request.first("If-Range") == nil)
    }

    @Test(
      "rows 1, 27, 33, F1, F2 and R1: the rest is requested with an overlap",
      arguments: [.reset, .close] as [Behaviour.Cut])
    func row1(cut: Behaviour.Cut) async throws {
      let server = try server(cut: cut)
      #expect(try await download(from: server, expecting: Self.first) == [])
      #expect(server.log.count == 2)
      let request = try #require(server.log.last?.request)
      #expect(request.rangeStart == Self.cut - Self.overlap)
      #expect(request.all("If-Range") == ["\"first\""])
      #expect(request.all("Accept-Encoding") == ["identity"])
      #expect(server.log.map(\.status) == [200, 206])
    }

    @Test("row 29: a date a second old is as good as a strong entity tag")
    func date() async throws {
      let version = Representation(Self.first)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(version) { attempt in
          Behaviour {
            $0.validators = .lastModifiedOnly
            if attempt == 1 { ($0.cut, $0.cutPoint) = (.close, .afterBody(Self.cut)) }
          }
        }
      ])
      #expect(try await download(from: server, expecting: Self.first) == [])
      #expect(server.log.last?.request.all("If-Range") == [Representation.longAgo])
      #expect(server.log.map(\.status) == [200, 206])
    }

    @Test("rows 2 and R2: an earlier start is compared further")
    func row2() async throws {
      let server = try server { _ in Behaviour { $0.rangeShift = -100_000 } }
      #expect(try await download(from: server, expecting: Self.first) == [])
      #expect(server.log.count == 2)
    }

    @Test("row 4: a gap restarts, and nothing is lost")
    func row4() async throws {
      let server = try server { attempt in
        Behaviour { if attempt == 2 { $0.rangeShift = 70_000 } }
      }
      #expect(try await download(from: server, expecting: Self.first) == [.rangeProtocol])
    }

    @Test("rows 5 and R6: the rest may arrive in parts")
    func row5() async throws {
      let server = try server { _ in Behaviour { $0.rangeLimit = 100_000 } }
      #expect(try await download(from: server, expecting: Self.first) == [])
      #expect(server.log.count > 3)
    }

    @Test("rows 6 and R3: another total is another version")
    func row6() async throws {
      let server = try server(then: Representation(Self.longer)) { _ in
        Behaviour {
          $0.ignoresIfRange = true
          $0.validators = .none
        }
      }
      #expect(try await download(from: server, expecting: Self.longer) == [.changed])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.cut - Self.overlap, nil])
    }

    @Test(
      "rows 8, R4 and R5: a 206 without its range",
      arguments: [nil, "bananas", "bytes */9"])
    func row8(text: String?) async throws {
      let server = try server { attempt in
        Behaviour { if attempt == 2 { $0.contentRange = text.map { .text($0) } ?? .missing } }
      }
      #expect(try await download(from: server, expecting: Self.first) == [.rangeProtocol])
    }

    @Test("row 10: another entity tag is another version, even where If-Range is ignored")
    func row10() async throws {
      let server = try server(then: Representation(Self.sameSize, etag: "\"second\"")) { _ in
        Behaviour { $0.ignoresIfRange = true }
      }
      #expect(try await download(from: server, expecting: Self.sameSize) == [.changed])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.cut - Self.overlap, nil])
    }

    @Test("row 11: a part without a validator is accepted by total and overlap")
    func row11() async throws {
      let server = try server { _ in
        Behaviour {
          $0.ignoresIfRange = true
          $0.validators = .none
        }
      }
      #expect(try await download(from: server, expecting: Self.first) == [])
      #expect(server.log.count == 2)
    }

    @Test("row 12: other bytes under the same validator are detected in the overlap")
    func row12() async throws {
      let server = try server(then: Representation(Self.sameSize))
      #expect(try await download(from: server, expecting: Self.sameSize) == [.overlapDiffers])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.cut - Self.overlap, nil])
    }

    @Test("rows 13 and F16: a part that was not requested is not a beginning")
    func row13() async throws {
      let engine = try EngineHarness()
      let bytes = Self.first
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(bytes)) { attempt in
          Behaviour {
            guard attempt == 1 else { return }
            $0.status = 206
            $0.contentRange = .text("bytes 0-\(bytes.count - 1)/\(bytes.count)")
          }
        }
      ])
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.retries(plan).map(\.reason) == [.rangeProtocol])
      #expect(try engine.read(#require(run.finished(plan)).path) == bytes)
    }

    @Test("row 17: a complete answer of another version replaces, in the same request")
    func row17() async throws {
      for version in [Self.sameSize, Self.longer] {
        let server = try server(then: Representation(version, etag: "\"second\""))
        #expect(try await download(from: server, expecting: version) == [.changed])
        #expect(server.log.map(\.status) == [200, 200])
      }
    }

    @Test("row 17: the new version may share its beginning with the old one")
    func row17Shared() async throws {
      let version = Array(Self.first[..<120_000]) + Self.longer[120_000...]
      let server = try server(then: Representation(version, etag: "\"second\""))
      #expect(try await download(from: server, expecting: version) == [.changed])
      #expect(server.log.count == 2)
    }

    @Test("row 17: an interrupted new version is continued as the new one")
    func row17Cut() async throws {
      let server = try server(then: Representation(Self.longer, etag: "\"second\"")) { attempt in
        attempt == 2 ? .cut(.close, .afterBody(150_000)) : Behaviour()
      }
      #expect(try await download(from: server, expecting: Self.longer) == [.changed])
      #expect(server.log.map(\.request.rangeStart)[2] == 150_000 - Self.overlap)
      #expect(server.log.last?.request.all("If-Range") == ["\"second\""])
    }

    @Test("rows 18 and R9: a server that ignores ranges restarts the file, and this is reported")
    func row18() async throws {
      let server = try server { _ in Behaviour { $0.ignoresRange = true } }
      #expect(try await download(from: server, expecting: Self.first) == [.rangeIgnored])
      #expect(server.log.map(\.status) == [200, 200])
    }

    @Test("row 18: the same version without a length, truncated, loses no bytes on disk")
    func row18UntilClose() async throws {
      let server = try server { attempt in
        Behaviour {
          guard attempt == 2 else { return }
          $0.ignoresRange = true
          $0.framing = .untilClose
          ($0.cut, $0.cutPoint) = (.close, .afterBody(100_000))
        }
      }
      _ = try await download(from: server, expecting: Self.first)
      #expect(server.log.last?.request.rangeStart == Self.cut - Self.overlap)
    }

    @Test(
      "rows 19, 20 and R10: a length up to that on disk completes nothing", arguments: [0, 60_000])
    func row19(shorter: Int) async throws {
      let version = Array(Self.sameSize.prefix(Int(Self.cut) - shorter))
      let server = try server(then: Representation(version, etag: "\"second\""))
      #expect(try await download(from: server, expecting: version) == [.changed])
    }

    // Some servers keep the entity tag of a file that they replace.
    @Test(
      "row 20: a new version that is a beginning of the old one is cut to its length",
      arguments: ["\"second\"", "\"first\""])
    func row20(etag: String) async throws {
      let version = Array(Self.first.prefix(Int(Self.cut) - 50_000))
      let server = try server(then: Representation(version, etag: etag))
      #expect(try await download(from: server, expecting: version) == [.changed])
    }

    @Test("rows 24 and R14: 416 without a Content-Range proves nothing")
    func row24() async throws {
      let server = try server { $0 == 2 ? .answers(416) : Behaviour() }
      #expect(try await download(from: server, expecting: Self.first) == [.rangeProtocol])
      #expect(server.log.map(\.status) == [200, 416, 200])
    }

    @Test("row 23: a file that shrank below the range restarts")
    func row23() async throws {
      let version = Array(Self.sameSize.prefix(100_000))
      let server = try server(then: Representation(version)) { _ in
        Behaviour { $0.ignoresIfRange = true }
      }
      #expect(try await download(from: server, expecting: version) == [.changed])
      #expect(server.log.map(\.status) == [200, 416, 200])
    }

    @Test(
      "row 28: a weak entity tag restarts",
      arguments: [.weakETag, .weakETagOnly, .none] as [Behaviour.Validators])
    func row28(validators: Behaviour.Validators) async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.first)) { attempt in
          Behaviour {
            $0.validators = validators
            if attempt == 1 { ($0.cut, $0.cutPoint) = (.reset, .afterBody(Self.cut)) }
          }
        }
      ])
      #expect(try await download(from: server, expecting: Self.first) == [.noValidator])
      #expect(server.log.map(\.request.rangeStart) == [nil, nil])
      #expect(server.log.flatMap { $0.request.all("If-Range") } == [])
    }

    @Test(
      "rows 28 and 30: by overlap it continues",
      arguments: [.weakETag, .weakETagOnly, .none] as [Behaviour.Validators])
    func row30(validators: Behaviour.Validators) async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.first)) { attempt in
          Behaviour {
            $0.validators = validators
            if attempt == 1 { ($0.cut, $0.cutPoint) = (.reset, .afterBody(Self.cut)) }
          }
        }
      ])
      #expect(try await download(from: server, expecting: Self.first, byOverlap: true) == [])
      #expect(server.log.map(\.request.rangeStart) == [nil, Self.cut - Self.overlap])
      #expect(server.log.flatMap { $0.request.all("If-Range") } == [])
    }

    @Test("row 28: by overlap, different weak entity tags are not joined")
    func row28Spliced() async throws {
      // Only the beginning differs, as with another advertisement of the same length.
      let version = Array(Self.sameSize[..<100_000]) + Self.first[100_000...]
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          version: {
            $0.attempt == 1
              ? Representation(Self.first) : Representation(version, etag: "\"second\"")
          },
          behaviour: { request in
            Behaviour {
              $0.validators = .weakETagOnly
              if request.attempt == 1 { ($0.cut, $0.cutPoint) = (.reset, .afterBody(Self.cut)) }
            }
          })
      ])
      _ = try await download(from: server, expecting: version, byOverlap: true)
    }

    @Test(
      "a server that sends another file for each request gives one of them",
      arguments: [false, true])
    func everyRequestAnother(byOverlap: Bool) async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          version: {
            Representation(
              MP3Maker.bytes(seed: UInt64($0.attempt), length: 300_000 + Int64($0.attempt) * 5000),
              etag: nil, lastModified: nil)
          },
          behaviour: { $0.attempt < 4 ? .cut(.reset, .afterBody(150_000)) : Behaviour() })
      ])
      let bytes = MP3Maker.bytes(seed: 4, length: 320_000)
      var engine = try EngineHarness()
      engine.options.resumesByOverlap = byOverlap
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      let found = try engine.read(file.path)
      let renditions = (1...server.log.count).map {
        MP3Maker.bytes(seed: UInt64($0), length: 300_000 + Int64($0) * 5000)
      }
      #expect(renditions.contains(found))
      #expect(byOverlap || found == bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
    }

    @Test("row 31: an unknown length is read from the part")
    func row31() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.first)) { attempt in
          Behaviour {
            $0.framing = .chunked
            if attempt == 1 { ($0.cut, $0.cutPoint) = (.close, .afterBody(Self.cut)) }
          }
        }
      ])
      #expect(try await download(from: server, expecting: Self.first) == [])
      #expect(server.log.map(\.status) == [200, 206])
    }

    @Test("a file too short for an overlap is requested from its beginning")
    func short() async throws {
      let bytes = Array(Self.first.prefix(50_000))
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(bytes)) {
          $0 == 1 ? .cut(.reset, .afterBody(30_000)) : Behaviour()
        }
      ])
      #expect(try await download(from: server, expecting: bytes) == [])
      #expect(server.log.map(\.request.rangeStart) == [nil, 0])
    }

    @Test("row 6: where the first answer had no length, two parts must agree about it")
    func learnsTotal() async throws {
      let engine = try EngineHarness()
      let other = Array(Self.first[..<300_000]) + MP3Maker.bytes(seed: 4, length: 200_000)
      let url = "https://a.example/b.mp3"
      let plan = engine.plan(url)
      let tag = HTTPField("ETag", "\"x\"")
      func part(_ bytes: [UInt8], _ range: Range<Int>, cause: TransferEnd.Cause = .complete)
        -> ScriptedTransport.Answer
      {
        let field = "bytes \(range.lowerBound)-\(bytes.count - 1)/\(bytes.count)"
        var answer = ScriptedTransport.Answer(
          status: 206, fields: [tag, HTTPField("Content-Range", field)], body: Array(bytes[range]))
        answer.cause = cause
        return answer
      }
      var first = ScriptedTransport.Answer(
        fields: [tag, HTTPField("Transfer-Encoding", "chunked")],
        body: Array(Self.first[..<150_000]))
      first.cause = .network("cut")
      let transport = ScriptedTransport([
        url: [
          first, part(Self.first, 84_464..<250_000, cause: .network("cut")),
          part(other, 184_464..<other.count),
          ScriptedTransport.Answer(
            fields: [tag, HTTPField("Content-Length", "\(other.count)")], body: other),
        ]
      ])
      let run = try await engine.run([plan], over: transport)
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(run.restarts(plan) == [.changed])
      #expect(try engine.read(file.path) == other)
    }
  }
}
