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
      .timeLimit(.minutes(5)))
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

    /// A tracker whose answers lead to addresses of another server that expire, and what was asked.
    private final class Signing: Sendable {
      struct State {
        var issued = 0
        var used = 0
        /// For each address, what had been issued and used when it was made.
        var made: [String: (issued: Int, used: Int)] = [:]
      }

      let state = Mutex(State())
      let isValid: @Sendable (_ issuedSince: Int, _ usedSince: Int) -> Bool

      init(where isValid: @escaping @Sendable (Int, Int) -> Bool) { self.isValid = isValid }

      func sign(_ path: String) -> String {
        state.withLock { state in
          state.issued += 1
          let address = "\(path)?s=\(state.issued)"
          state.made[address] = (state.issued, state.used)
          return address
        }
      }

      func accepts(_ address: String) -> Bool {
        state.withLock { state in
          defer { state.used += 1 }
          guard let made = state.made[address] else { return false }
          return isValid(state.issued - made.issued, state.used - made.used)
        }
      }

      var issued: Int { state.withLock { $0.issued } }

      func tracker(of target: LoopbackServer) throws -> LoopbackServer {
        try LoopbackServer { request, connection in
          let address = target.origin + self.sign(request.path)
          connection.respond(status: 302, fields: [Request.Field("Location", address)])
        }
      }
    }

    @Test("row 40: a signed address is used before others are asked for") func signedInQueue()
      async throws
    {
      let signing = Signing { issuedSince, _ in issuedSince <= 4 }
      let file = FileServing(
        Representation(Self.bytes), behaviour: Behaviour { $0.rate = 6_000_000 })
      let target = try LoopbackServer { request, connection in
        guard signing.accepts(request.target) else {
          connection.respond(status: 403)
          return
        }
        file.answer(request, on: connection)
      }
      let tracker = try signing.tracker(of: target)
      let engine = try EngineHarness()
      let plans = (0..<24).map { engine.plan(tracker.url("/\($0).mp3"), title: "\($0)") }
      let run = try await engine.run(plans)
      #expect(plans.compactMap { run.error($0)?.message } == [])
      #expect(tracker.log.count == 24 && target.log.count == 24)
      #expect(target.peakConcurrency <= 2 && tracker.peakConcurrency <= 2)
    }

    @Test("row 40: the place at the host of an expired address is kept for the new one")
    func keptPlace() async throws {
      // Valid only for the very next request, and not beyond a transfer.
      let signing = Signing { _, usedSince in usedSince == 0 }
      let file = FileServing(Representation(Self.bytes))
      let target = try LoopbackServer { request, connection in
        guard signing.accepts(request.target) else {
          connection.respond(status: 403)
          return
        }
        let end = ContinuousClock.now + patience
        while signing.issued < 3, ContinuousClock.now < end {
          guard connection.wait(until: .now + .milliseconds(1)) else { return }
        }
        signing.state.withLock { $0.used += 1 }
        file.answer(request, on: connection)
      }
      let tracker = try signing.tracker(of: target)
      var engine = try EngineHarness()
      engine.options.jobs = 3
      engine.options.jobsPerHost = 1
      engine.options.retries.retries = 0
      let plans = (0..<3).map { engine.plan(tracker.url("/\($0).mp3"), title: "\($0)") }
      let run = try await engine.run(plans)
      #expect(plans.compactMap { run.error($0)?.message } == [])
      #expect(tracker.log.count == 5 && target.log.count == 5)
      #expect(target.peakConcurrency == 1 && tracker.peakConcurrency == 1)
    }

    @Test(
      "rows 40 to 43: a refusal after a redirect is retried, and a later run tries it again",
      arguments: [400, 401, 403, 404, 410])
    func refusedAfterRedirect(status: Int) async throws {
      let works = Mutex(false)
      let file = FileServing(Representation(Self.bytes))
      let server = try LoopbackServer { request, connection in
        if request.path == "/a.mp3" {
          connection.respond(status: 302, fields: [Request.Field("Location", "/b.mp3")])
        } else if works.withLock({ $0 }) {
          file.answer(request, on: connection)
        } else {
          connection.respond(status: status)
        }
      }
      var engine = try EngineHarness()
      engine.options.retries.retries = 1
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.httpStatus == status)
      #expect(run.retries(plan).map(\.attempt) == [2])
      // Twice in each of two attempts.
      #expect(server.log.map(\.path) == (0..<4).flatMap { _ in ["/a.mp3", "/b.mp3"] })
      let unfinished = try #require(engine.library.unfinished().first)
      #expect(unfinished.failure == nil)
      // A sync does not try it each time.
      #expect(unfinished.failedAt != nil && unfinished.failingSince != nil)
      works.withLock { $0 = true }
      #expect(try await engine.run([plan]).finished(plan) != nil)
      #expect(server.log.count == 10)
    }

    @Test("a new address is looked up where a redirect led to a refusal") func lookedUp()
      async throws
    {
      let server = try LoopbackServer(files: [
        "/old.mp3": FileServing(Representation([]), behaviour: .redirects(to: "/gone.mp3")),
        "/new.mp3": FileServing(Representation(Self.bytes)),
      ])
      var engine = try EngineHarness()
      engine.refresh = { _ in server.url("/new.mp3") }
      let plan = engine.plan(server.url("/old.mp3"))
      #expect(try await engine.run([plan]).finished(plan) != nil)
      #expect(
        server.log.map(\.path) == ["/old.mp3", "/gone.mp3", "/old.mp3", "/gone.mp3", "/new.mp3"])
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
