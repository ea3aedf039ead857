import LoopbackServer
import PodcastKit
import Synchronization
import TestSupport
import Testing

extension EngineTests {
  /// Hosts that have several renditions of an episode, and hosts that make a new one for each
  /// request. Whatever they do, a final file is one rendition in full.
  @Suite("Renditions of an episode") struct EngineRenditionTests {
    private static let old = MP3Maker.bytes(seed: 1, length: 400_000)
    private static let sameSize = MP3Maker.bytes(seed: 2, length: 400_000)
    private static let longer = MP3Maker.bytes(seed: 3, length: 500_000)
    private static let cut: Int64 = 250_000
    private static let overlap: Int64 = 64 * 1024

    /// How the other rendition shows that it is another one.
    enum Sign: CaseIterable, Sendable {
      case whole, etag, total, overlap

      var isSameSize: Bool { self != .total }

      var serving: FileServing {
        let bytes = self == .total ? EngineRenditionTests.longer : EngineRenditionTests.sameSize
        let version = Representation(bytes, etag: self == .overlap ? "\"first\"" : "\"new\"")
        return FileServing(
          version,
          behaviour: Behaviour {
            $0.ignoresIfRange = self != .whole
            if self == .total { $0.validators = .none }
          })
      }
    }

    /// `/r` redirects to `/old`, whose response is interrupted, and from then on to `/new`.
    private func server(
      old: FileServing, new: FileServing
    ) throws -> LoopbackServer {
      try LoopbackServer { request, connection in
        switch request.path {
        case "/r":
          let target = request.attempt == 1 ? "/old" : "/new"
          connection.respond(status: 302, fields: [Request.Field("Location", target)], body: "")
        case "/old": old.answer(request, on: connection)
        default: new.answer(request, on: connection)
        }
      }
    }

    /// Downloads `/r`: it restarts once, and then the new rendition is there in full.
    private func expectNewRendition(from server: LoopbackServer) async throws {
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/r"))
      let run = try await engine.run([plan])
      #expect(run.restarts(plan) == [.changed])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.sameSize)
      #expect(try file.sha256 == engine.sha256(file.path))
    }

    /// Serves the old version truncated, and then what the case needs.
    private func old(
      then version: Representation = Representation(old),
      _ behaviour: @escaping @Sendable (_ attempt: Int) -> Behaviour = { _ in Behaviour() }
    ) -> FileServing {
      FileServing(
        version: { $0.attempt == 1 ? Representation(Self.old) : version },
        behaviour: {
          $0.attempt == 1 ? .cut(.reset, .afterBody(Self.cut)) : behaviour($0.attempt)
        })
    }

    @Test(
      "row 39: the bytes on disk are completed from the address that they came from",
      arguments: Sign.allCases
    )
    func finishedFromOldAddress(sign: Sign) async throws {
      let server = try server(old: old(), new: sign.serving)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/r"))
      let run = try await engine.run([plan])
      #expect(run.restarts(plan) == [])
      #expect(try engine.read(#require(run.finished(plan), "\(run.kinds(plan))").path) == Self.old)
      #expect(server.log.map(\.path) == ["/r", "/old", "/r", "/new", "/old"])
      let last = try #require(server.log.last?.request)
      #expect(last.rangeStart == Self.cut - Self.overlap)
      #expect(last.all("If-Range") == ["\"first\""])
    }

    @Test(
      "row 39: if the old address refuses, the new rendition is used, reported once",
      arguments: [403, 404, 410])
    func oldAddressRefused(status: Int) async throws {
      let server = try server(old: old { _ in .answers(status) }, new: Sign.whole.serving)
      try await expectNewRendition(from: server)
    }

    @Test(
      "row 39: if the old address has changed too, one version is complete, reported once",
      arguments: [false, true])
    func oldAddressChanged(ignoresIfRange: Bool) async throws {
      let third = Representation(Self.longer, etag: "\"third\"")
      let server = try server(
        old: old(then: third) { _ in Behaviour { $0.ignoresIfRange = ignoresIfRange } },
        new: Sign.whole.serving)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/r"))
      let run = try await engine.run([plan])
      #expect(run.restarts(plan) == [.changed])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      // A complete response of it is used; a part of it cannot be.
      #expect(try engine.read(file.path) == (ignoresIfRange ? Self.sameSize : Self.longer))
      #expect(try file.sha256 == engine.sha256(file.path))
    }

    @Test("row 39: a transient failure of the old address is not a reason to restart")
    func oldAddressBreaksOff() async throws {
      let server = try server(
        old: old { $0 == 2 ? .cut(.reset, .beforeHead) : Behaviour() }, new: Sign.whole.serving)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/r"))
      let run = try await engine.run([plan])
      #expect(run.restarts(plan) == [])
      #expect(try engine.read(#require(run.finished(plan), "\(run.kinds(plan))").path) == Self.old)
    }

    /// What is left of an address that answered once.
    enum Remains: CaseIterable, Sendable { case unavailable, broken, loop }

    @Test(
      "row 39: if the old address keeps failing, the new rendition is used",
      arguments: Remains.allCases)
    func oldAddressDead(remains: Remains) async throws {
      let first = old()
      let new = Sign.whole.serving
      let server = try LoopbackServer { request, connection in
        switch (request.path, request.attempt, remains) {
        case ("/r", 1, _), ("/old", 2..., .loop):
          connection.respond(status: 302, fields: [Request.Field("Location", "/old")], body: "")
        case ("/r", _, _):
          connection.respond(status: 302, fields: [Request.Field("Location", "/new")], body: "")
        case ("/old", 2..., .unavailable): connection.respond(status: 503, fields: [], body: "")
        case ("/old", 2..., .broken): connection.reset()
        case ("/old", _, _): first.answer(request, on: connection)
        default: new.answer(request, on: connection)
        }
      }
      try await expectNewRendition(from: server)
    }

    private final class Changes: Sendable {
      let count = Mutex(0)
    }

    /// Serves another version from the second request on. The third request for a file comes when its
    /// change is known.
    private func changing(_ changes: Changes) -> FileServing {
      FileServing(
        version: {
          if $0.attempt == 3 { changes.count.withLock { $0 += 1 } }
          return $0.attempt == 1
            ? Representation(Self.old) : Representation(Self.sameSize, etag: "\"second\"")
        },
        behaviour: {
          $0.attempt == 1
            ? .cut(.reset, .afterBody(Self.cut)) : Behaviour { $0.ignoresIfRange = true }
        })
    }

    /// A host that changes two files, and holds the third one until both changes are known; and that
    /// third file.
    private func changingHost() throws -> (server: LoopbackServer, held: FileServing) {
      let changes = Changes()
      let changing = changing(changes)
      var held = old()
      held.isHeld = { _ in changes.count.withLock { $0 < 2 } }
      let files = ["/1.mp3": changing, "/2.mp3": changing, "/3.mp3": held]
      return (try LoopbackServer(files: files), held)
    }

    @Test("row 12: a host that changed two files gets no more range requests")
    func changingFiles() async throws {
      let (server, _) = try changingHost()
      var engine = try EngineHarness()
      engine.options.jobsPerHost = 3
      let plans = (1...3).map { engine.plan(server.url("/\($0).mp3"), title: "Episode \($0)") }
      let run = try await engine.run(plans)
      for (plan, bytes) in zip(plans, [Self.sameSize, Self.sameSize, Self.old]) {
        let file = try #require(run.finished(plan), "\(run.kinds(plan))")
        #expect(try engine.read(file.path) == bytes)
        #expect(run.restarts(plan) == [.changed])
      }
      let start = Self.cut - Self.overlap
      #expect(server.log(for: "/2.mp3").map(\.request.rangeStart) == [nil, start, nil])
      #expect(server.log(for: "/3.mp3").map(\.request.rangeStart) == [nil, nil])
      #expect(server.log(for: "/3.mp3").flatMap { $0.request.all("If-Range") } == [])
    }

    @Test("row 12: what hosts behind a tracker do is their own")
    func changingHostBehindTracker() async throws {
      let (inserting, held) = try changingHost()
      let plain = try LoopbackServer(files: ["/4.mp3": held])
      let tracker = try LoopbackServer { request, connection in
        let host = request.path == "/4.mp3" ? plain : inserting
        let target = Request.Field("Location", host.url(request.path))
        connection.respond(status: 302, fields: [target], body: "")
      }
      var engine = try EngineHarness()
      engine.options.jobsPerHost = 4
      let plans = (1...4).map { engine.plan(tracker.url("/\($0).mp3"), title: "Episode \($0)") }
      let run = try await engine.run(plans)
      for plan in plans { #expect(run.finished(plan) != nil, "\(run.kinds(plan))") }
      // The host that changed two files gets no more range requests, and the other one does.
      #expect(plans.map { run.restarts($0) } == [[.changed], [.changed], [.changed], []])
      let start = Self.cut - Self.overlap
      #expect(inserting.log(for: "/3.mp3").map(\.request.rangeStart) == [nil, nil])
      #expect(plain.log.map(\.request.rangeStart) == [nil, start])
    }

    @Test(
      "rows 12 and 30: a host that inserts advertisements gives one rendition in the end",
      arguments: Behaviour.Validators.allCases, [false, true])
    func inserted(validators: Behaviour.Validators, isSameLength: Bool) async throws {
      for ignoresIfRange in [false, true] {
        let episode = Self.old
        // Each request's advertisement is before the place of the cut.
        let rendition: @Sendable (Int) -> [UInt8] = { number in
          let length: Int64 = isSameLength ? 60_000 : 60_000 + Int64(number) * 5000
          let advertisement = MP3Maker.bytes(seed: UInt64(100 + number), length: length)
          return Array(episode[..<50_000]) + advertisement.prefix(Int(length))
            + episode[50_000...]
        }
        let server = try LoopbackServer(files: [
          "/a.mp3": FileServing(
            version: { request in
              Representation(
                rendition(request.attempt), etag: "\"r\(request.attempt)\"",
                lastModified: "Thu, 16 Feb 2023 16:00:1\(request.attempt % 10) GMT")
            },
            behaviour: { request in
              Behaviour {
                $0.validators = validators
                $0.ignoresIfRange = ignoresIfRange
                if request.attempt < 4 { ($0.cut, $0.cutPoint) = (.reset, .afterBody(Self.cut)) }
              }
            })
        ])
        let engine = try EngineHarness()
        let plan = engine.plan(server.url("/a.mp3"))
        let run = try await engine.run([plan])
        let file = try #require(run.finished(plan), "\(run.kinds(plan))")
        let found = try engine.read(file.path)
        let count = server.log.count
        #expect(
          (1...count).contains { rendition($0) == found }, "\(validators), \(run.kinds(plan))")
        #expect(try file.sha256 == engine.sha256(file.path))
        #expect(!run.restarts(plan).isEmpty)
      }
    }
  }
}
