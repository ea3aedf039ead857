import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension EngineTests {
  @Suite("Downloads behind redirects") struct EngineRedirectTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)

    @Test("a host that needs its cookie gets it, and no other host does") func cookies()
      async throws
    {
      let other = try LoopbackServer { request, connection in
        connection.respond(
          status: 302, fields: [Request.Field("Location", request.query["back"] ?? "")])
      }
      let file = FileServing(Representation(Self.bytes))
      let server = try LoopbackServer { request, connection in
        if request.first("Cookie") == "visitor=7", request.path == "/a.mp3" {
          return file.answer(request, on: connection)
        }
        let back = "http://\(request.first("Host") ?? "")/a.mp3"
        connection.respond(
          status: 302,
          fields: [
            Request.Field("Location", "\(other.origin)/?back=\(back)"),
            Request.Field("Set-Cookie", "visitor=7; Path=/; Domain=127.0.0.1"),
          ])
      }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(server.log.map { $0.request.first("Cookie") } == [nil, "visitor=7"])
      #expect(other.log.map { $0.request.first("Cookie") } == [nil])
    }

    /// How the unneeded body of a redirect may arrive.
    enum RedirectBody: CaseIterable, Sendable {
      case long, cut, broken, stalled
    }

    @Test("a redirect is followed, whatever its body", arguments: RedirectBody.allCases)
    func bodies(_ body: RedirectBody) async throws {
      let file = FileServing(Representation(Self.bytes))
      let server = try LoopbackServer { request, connection in
        if request.path == "/b.mp3" { return file.answer(request, on: connection) }
        let head = "HTTP/1.1 302 Found\r\nLocation: b.mp3\r\n"
        switch body {
        case .long:
          connection.write("\(head)Content-Length: 400000\r\n\r\n".utf8)
          connection.write([UInt8](repeating: 0x20, count: 400_000))
        case .cut:
          connection.write("\(head)Content-Length: 4000\r\n\r\nabc".utf8)
          connection.close()
        case .broken: connection.write("\(head)Transfer-Encoding: chunked\r\n\r\nxyz\r\n".utf8)
        case .stalled:
          connection.write("\(head)Content-Length: 4000\r\n\r\nabc".utf8)
          connection.stall()
        }
      }
      var engine = try EngineHarness()
      engine.options.retries.retries = 0
      engine.session.stallTimeout = .seconds(1)
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(server.log.map(\.request.path) == ["/a.mp3", "/b.mp3"])
    }

    @Test("a redirect to blanks and letters beyond ASCII is followed") func blanks() async throws {
      let file = FileServing(Representation(Self.bytes))
      let server = try LoopbackServer { request, connection in
        if request.path == "/b%20%C3%A4.mp3" { return file.answer(request, on: connection) }
        let origin = "http://\(request.first("Host") ?? "")"
        connection.respond(
          status: 302,
          fields: [
            Request.Field("Location", request.path == "/a.mp3" ? "/c" : "\(origin)/b \u{E4}.mp3")
          ])
      }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
    }

    @Test("a document that needs a cookie is fetched, and the next request has no cookie")
    func documents() async throws {
      let server = try LoopbackServer { request, connection in
        if request.first("Cookie") != nil { return _ = connection.respond(body: "{}") }
        connection.respond(
          status: 302, fields: [Request.Field("Location", "/"), Request.Field("Set-Cookie", "a=b")])
      }
      let session = try EngineHarness().session
      try await CurlSession.with(session) { session in
        for _ in 1...2 {
          let document = try await session.fetch(
            HTTPRequest(url: server.url("/")), maximumBytes: 10)
          #expect(String(decoding: document.body, as: UTF8.self) == "{}")
        }
      }
      #expect(server.log.map { $0.request.first("Cookie") } == [nil, "a=b", nil, "a=b"])
    }

    @Test("a host in letters beyond ASCII is found, also behind a redirect")
    func internationalNames()
      async throws
    {
      let server = try LoopbackServer(files: ["/a.mp3": FileServing(Representation(Self.bytes))])
      // Full-width letters, which IDNA makes plain ones.
      let name = "http://ｌｏｃａｌｈｏｓｔ:\(server.port)"
      let start = try LoopbackServer { _, connection in
        connection.respond(status: 302, fields: [Request.Field("Location", "\(name)/a.mp3")])
      }
      let engine = try EngineHarness()
      let plans = [
        engine.plan("\(name)/a.mp3", title: "One"), engine.plan(start.url("/"), title: "Two"),
      ]
      let run = try await engine.run(plans)
      for plan in plans {
        #expect(run.finished(plan) != nil, "\(String(describing: run.error(plan)))")
      }
      #expect(
        server.log.map { $0.request.first("Host") }
          == Array(repeating: "localhost:\(server.port)", count: 2))
    }

    @Test("a name that IDNA knows is looked up in its ASCII form") func unknownName() async throws {
      var engine = try EngineHarness()
      engine.options.retries = RetryPolicy(retries: 0)
      let plan = engine.plan("http://b\u{fc}cher.invalid/a.mp3")
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.code == .network)
      #expect(run.error(plan)?.message.contains("was not found") == true)
    }

    @Test("an address's password goes only to its origin, and into no record") func passwords()
      async throws
    {
      let file = Representation(Self.bytes)
      let other = try LoopbackServer(files: ["/a.mp3": FileServing(file)])
      let server = try LoopbackServer { request, connection in
        // To an absolute address of the same origin first, then to another origin.
        let next =
          request.path == "/1"
          ? "http://127.0.0.1:\(request.first("Host")?.split(separator: ":").last ?? "")/2"
          : "\(other.origin)/a.mp3"
        connection.respond(status: 302, fields: [Request.Field("Location", next)])
      }
      let engine = try EngineHarness()
      let plan = engine.plan("http://me:p@ss@127.0.0.1:\(server.port)/1")
      let run = try await engine.run([plan])
      #expect(run.finished(plan) != nil)
      // Base64 of "me:p@ss".
      let sent = "Basic bWU6cEBzcw=="
      #expect(server.log.map { $0.request.first("Authorization") } == [sent, sent])
      #expect(other.log.map { $0.request.first("Authorization") } == [nil])
    }

    @Test("the stored final address has no password") func finalAddress() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.bytes)) { _ in
          .cut(.reset, .afterBody(200_000))
        }
      ])
      var engine = try EngineHarness()
      engine.options.retries = RetryPolicy(retries: 0)
      let plan = engine.plan("http://me:secret@127.0.0.1:\(server.port)/a.mp3")
      let run = try await engine.run([plan])
      #expect(run.error(plan) != nil)
      let partials = try PartialFolder(library: engine.library.root)
      let record = try #require(try partials.read(plan.key))
      #expect(record.state?.finalURL == server.url("/a.mp3"))
    }

    @Test(
      "a cancel ends a download that waits for its turn at the redirect's target",
      .timeLimit(.minutes(1)))
    func cancelBetweenHops() async throws {
      let target = try LoopbackServer { _, connection in
        connection.respond(status: 503, fields: [Request.Field("Retry-After", "250")])
      }
      let isClosed = OnceFlag()
      let server = try LoopbackServer { request, connection in
        // The second episode reaches the target after the target has sent Retry-After.
        while request.path == "/b.mp3", !isClosed.isTaken,
          connection.wait(until: .now + .milliseconds(5))
        {}
        connection.respond(
          status: 302, fields: [Request.Field("Location", target.url(request.path))])
      }
      var engine = try EngineHarness()
      let clock = WatchedClock()
      engine.clock = clock
      let plans = ["a.mp3", "b.mp3"].map { engine.plan(server.url("/\($0)"), title: $0) }
      let isDone = OnceFlag()
      let run = try await engine.run(plans) { event, downloader in
        guard case .retrying = event.kind, isDone.take() else { return }
        _ = isClosed.take()
        // The retry of one, and the host that gets no request; the other was redirected to it.
        try await waitUntil("the second episode waits") {
          clock.longWaits == 2 && server.log.count { $0.status == 302 } == 2
        }
        await downloader.cancel()
      }
      #expect(plans.map { run.cancelled($0) } == [0, 0])
      #expect(target.log.count == 1 && server.log.count == 2)
    }
  }
}

/// The real clock, which counts the waits of more than a minute that have begun.
final class WatchedClock: Clock {
  typealias Instant = ContinuousClock.Instant
  private let waits = Atomic<Int>(0)

  var now: Instant { ContinuousClock.now }
  var minimumResolution: Duration { ContinuousClock().minimumResolution }
  var longWaits: Int { waits.load(ordering: .relaxed) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    if deadline - now > .seconds(60) { waits.add(1, ordering: .relaxed) }
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }
}
