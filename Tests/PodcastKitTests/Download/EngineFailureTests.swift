import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

extension EngineTests {
  /// The rows are those of the table of server behaviours in the engine's design notes.
  @Suite("Downloads that fail, or nearly") struct EngineFailureTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)
    private static let overlap: Int64 = 64 * 1024

    private func server(
      _ behaviour: @escaping @Sendable (_ attempt: Int) -> Behaviour
    ) throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.bytes), behaviour: behaviour)
      ])
    }

    @Test("one bad episode does not stop the others")
    func amongOthers() async throws {
      let page = "<!DOCTYPE html><html><body>Not here, sorry.</body></html>"
      let html = Representation(Array(page.utf8), contentType: "audio/mpeg")
      var files: [String: FileServing] = [
        "/gone.mp3": FileServing(Representation([]), behaviour: .answers(410)),
        "/page.mp3": FileServing(html),
        "/silent.mp3": FileServing(
          Representation(Self.bytes), behaviour: .cut(.stall, .afterBody(90_000))),
        "/reset.mp3": FileServing(Representation(Self.bytes), behaviour: .cut(.reset, .beforeHead)),
        "/head.mp3": FileServing(Representation(Self.bytes), behaviour: .cut(.close, .insideHead)),
        "/loop.mp3": FileServing(Representation([]), behaviour: .redirects(to: "/loop.mp3")),
        "/ftp.mp3": FileServing(
          Representation([]), behaviour: .redirects(to: "ftp://127.0.0.1/a.mp3")),
        "/file.mp3": FileServing(
          Representation([]), behaviour: .redirects(to: "file:///etc/passwd")),
        "/nowhere.mp3": FileServing(Representation([]), behaviour: .answers(302)),
        "/empty.mp3": FileServing(Representation([])),
        "/none.mp3": FileServing(Representation([]), behaviour: .answers(204)),
        "/longer.mp3": FileServing(
          Representation(Self.bytes), behaviour: Behaviour { $0.contentLength = 400_000 }),
      ]
      for number in 0..<4 {
        files["/good\(number).mp3"] = FileServing(Representation(Self.bytes))
      }
      let server = try LoopbackServer(files: files)
      var engine = try EngineHarness()
      engine.session.stallTimeout = .seconds(3)
      engine.options.retries.retries = 0
      let closed = try RawClient.unusedPort()
      let expected: [(url: String, code: PodgetError.Code)] = [
        (server.url("/missing.mp3"), .httpStatus), (server.url("/gone.mp3"), .httpStatus),
        (server.url("/page.mp3"), .notAudio), (server.url("/silent.mp3"), .timeout),
        (server.url("/reset.mp3"), .network), (server.url("/head.mp3"), .network),
        ("http://127.0.0.1:\(closed)/a.mp3", .network), (server.url("/loop.mp3"), .redirect),
        (server.url("/ftp.mp3"), .redirect), (server.url("/file.mp3"), .redirect),
        (server.url("/nowhere.mp3"), .redirect), (server.url("/empty.mp3"), .emptyBody),
        (server.url("/none.mp3"), .emptyBody), (server.url("/longer.mp3"), .network),
        ("no address", .network), ("ftp://127.0.0.1/a.mp3", .network),
      ]
      let bad = expected.map { engine.plan($0.url, title: "Bad \($0.url.hashValue)") }
      let good = (0..<4).map { engine.plan(server.url("/good\($0).mp3"), title: "Good \($0)") }
      let run = try await engine.run(bad + good)
      for (plan, (url, code)) in zip(bad, expected) {
        let error = run.error(plan)
        #expect(error?.code == code, "\(url): \(run.kinds(plan))")
        #expect(error?.message.last == ".", "\(url)")
      }
      for plan in good {
        #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      }
      #expect(engine.finishedFiles.count == 4)
      // Ten redirects are followed, and the eleventh is not.
      #expect(server.log(for: "/loop.mp3").count == 11)
      #expect(engine.partSize(bad[3]) == 90_000)
    }

    @Test(
      "rows 41 to 43: a refused request is not retried",
      arguments: [400, 401, 403, 404, 407, 410, 451])
    func refused(status: Int) async throws {
      let server = try server { _ in .answers(status, body: "<html>no</html>") }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.httpStatus == status)
      #expect(server.log.count == 1)
      #expect(engine.finishedFiles == [])
      // It failed permanently, so `resume` ignores it; a login may be given later.
      let lacksLogin = [401, 407].contains(status)
      #expect(engine.library.unfinished().map(\.failure) == [lacksLogin ? nil : .httpStatus])
    }

    @Test("row 41: a later 404 keeps the received bytes, and another run continues them")
    func laterRefused() async throws {
      let server = try server {
        switch $0 {
        case 1: .cut(.reset, .afterBody(150_000))
        case 2: .answers(404)
        default: Behaviour()
        }
      }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.httpStatus == 404)
      #expect(engine.partSize(plan) == 150_000)
      let run = try await engine.run([plan])
      #expect(run.resumedFrom(plan) == 150_000)
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(server.log.last?.request.rangeStart == 150_000 - Self.overlap)
    }

    @Test(
      "row 44: transient failures are retried", arguments: [408, 425, 429, 500, 502, 503, 504, 520])
    func transient(status: Int) async throws {
      let server = try server { $0 < 3 ? .answers(status) : Behaviour() }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.finished(plan) != nil)
      #expect(run.retries(plan).map(\.attempt) == [2, 3])
      #expect(run.retries(plan).map(\.reason) == [.httpStatus, .httpStatus])
    }

    @Test("row 44: so many retries and no more", arguments: [0, 1, 3])
    func retries(count: Int) async throws {
      let server = try server { _ in .answers(503) }
      var engine = try EngineHarness()
      engine.options.retries.retries = count
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.httpStatus == 503)
      #expect(run.retries(plan).count == count)
      #expect(server.log.count == count + 1)
    }

    @Test("row 33: progress resets the count of attempts")
    func progress() async throws {
      let server = try server { _ in .cut(.reset, .afterBody(90_000)) }
      var engine = try EngineHarness()
      engine.options.retries.retries = 1
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      // Each attempt brings about 24 kB beyond the overlap, which is more than 5 %.
      #expect(
        try engine.read(#require(run.finished(plan), "\(run.kinds(plan))").path) == Self.bytes)
      #expect(server.log.count > 5)
      for (place, entry) in server.log.enumerated().dropFirst() {
        let held = 90_000 + Int64(place - 1) * (90_000 - Self.overlap)
        #expect(entry.request.rangeStart == held - Self.overlap)
      }
    }

    @Test("row 33: twenty attempts are the maximum, whatever they receive")
    func twenty() async throws {
      let server = try server { _ in .cut(.reset, .beforeHead) }
      var engine = try EngineHarness()
      engine.options.retries = RetryPolicy(
        retries: 1000, baseDelay: .microseconds(1), maximumDelay: .microseconds(1))
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.code == .network)
      #expect(server.log.count == 20)
    }

    @Test("rows 5 and 33: parts with very few bytes are counted")
    func smallParts() async throws {
      let file = MP3Maker(seed: 1, approximateSize: 8 << 20)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(file)) {
          $0 == 1
            ? .cut(.reset, .afterBody(2 << 20)) : Behaviour { $0.rangeLimit = 64 * 1024 + 60_000 }
        }
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.error(plan)?.code == .incomplete)
      #expect(server.log.count == 4)
      let kept: Int64 = (2 << 20) + 3 * 60_000
      #expect(engine.partSize(plan) == kept)
    }

    @Test("rows 5 and 33: parts with enough bytes are requested as long as there are some")
    func largeParts() async throws {
      let file = MP3Maker(seed: 1, approximateSize: 3 << 20)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(file)) {
          $0 == 1 ? .cut(.reset, .afterBody(100_000)) : Behaviour { $0.rangeLimit = 128 * 1024 }
        }
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.finished(plan)?.bytes == file.size, "\(run.kinds(plan))")
      #expect(server.log.count > 40)
      #expect(run.retries(plan).map(\.attempt) == [2])
    }

    @Test("row 33: a connection that breaks every 300 KB brings thirty times as much in one run")
    func breaking() async throws {
      let file = MP3Maker(seed: 1, approximateSize: 30 * 300_000)
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(file), behaviour: .cut(.reset, .afterBody(300_000)))
      ])
      var engine = try EngineHarness()
      engine.options.retries.retries = 1
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.finished(plan)?.bytes == file.size, "\(run.kinds(plan))")
      // Each break is followed by the first retry's wait.
      #expect(run.retries(plan).count == server.log.count - 1 && server.log.count > 30)
      #expect(run.retries(plan).allSatisfy { $0.attempt == 2 })
    }

    @Test("row 33: a server that begins again, or changes the file, is asked twenty times")
    func noEnd() async throws {
      let file = MP3Maker(seed: 1, approximateSize: 4 << 20)
      // A little further each time.
      let repeating = FileServing(Representation(file)) { attempt in
        Behaviour {
          $0.ignoresRange = true
          $0.cut = .reset
          $0.cutPoint = .afterBody(Int64(attempt) * 100_000)
        }
      }
      let changing = (0..<2).map { version in
        FileServing(
          Representation(
            MP3Maker(seed: UInt64(version), approximateSize: 4 << 20), etag: "\"\(version)\""),
          behaviour: .cut(.reset, .afterBody(300_000)))
      }
      let server = try LoopbackServer { request, connection in
        let version = changing[request.attempt % 2]
        (request.path == "/repeats" ? repeating : version).answer(request, on: connection)
      }
      var engine = try EngineHarness()
      engine.options.retries.retries = 1000
      let plans = ["/repeats", "/changes"].map { engine.plan(server.url($0), title: $0) }
      let run = try await engine.run(plans)
      for plan in plans { #expect(run.error(plan) != nil, "\(run.kinds(plan))") }
      // The first one receives nothing that was there already.
      #expect(server.log(for: "/repeats").count <= 22)
      #expect(server.log(for: "/changes").count <= 21)
    }

    @Test("rows 36 and F6: an interrupted head is not an empty file")
    func insideHead() async throws {
      let server = try server { $0 == 1 ? .cut(.close, .insideHead) : Behaviour() }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.retries(plan).map(\.reason) == [.network])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
    }

    @Test(
      "row 38: every kind of redirect is followed, with range and condition",
      arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
      let server = try LoopbackServer(files: [
        "/r": FileServing(Representation([]), behaviour: .redirects(to: "/b", status: status)),
        "/b": FileServing(
          Representation([]), behaviour: .redirects(to: "a.mp3?x=1", status: status)),
        "/a.mp3": FileServing(Representation(Self.bytes)) {
          $0 == 1 ? .cut(.reset, .afterBody(100_000)) : Behaviour()
        },
      ])
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/r"))
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(server.log.map(\.path) == ["/r", "/b", "/a.mp3", "/r", "/b", "/a.mp3"])
      for entry in server.log.suffix(3) {
        #expect(entry.request.rangeStart == 100_000 - Self.overlap)
        #expect(entry.request.all("If-Range") == ["\"first\""])
      }
    }

    @Test("row 40: after a signed address has expired, the original one is used again")
    func signed() async throws {
      let bytes = Self.bytes
      let server = try LoopbackServer { request, connection in
        switch request.path {
        case "/r":
          // The second answer still names the old address, as a cache would.
          let target = request.attempt < 3 ? "/s1" : "/s2"
          connection.respond(status: 302, fields: [Request.Field("Location", target)], body: "")
        case "/s1":
          FileServing(Representation(bytes)) {
            $0 == 1 ? .cut(.reset, .afterBody(120_000)) : .answers(403)
          }.answer(request, on: connection)
        default: FileServing(Representation(bytes)).answer(request, on: connection)
        }
      }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/r"))
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan), "\(run.kinds(plan))").path) == bytes)
      #expect(server.log.map(\.path) == ["/r", "/s1", "/r", "/s1", "/r", "/s2"])
      #expect(server.log.last?.request.rangeStart == 120_000 - Self.overlap)
    }

    @Test("a refused address is looked up once", arguments: [403, 404])
    func refresh(status: Int) async throws {
      let bytes = Self.bytes
      let server = try LoopbackServer(files: [
        "/old.mp3": FileServing(Representation([]), behaviour: .answers(status)),
        "/new.mp3": FileServing(Representation(bytes)),
      ])
      var engine = try EngineHarness()
      engine.refresh = { _ in server.url("/new.mp3") }
      let plan = engine.plan(server.url("/old.mp3"))
      let run = try await engine.run([plan])
      #expect(try engine.read(#require(run.finished(plan)).path) == bytes)
      #expect(server.log.map(\.path) == ["/old.mp3", "/new.mp3"])
      engine.refresh = { _ in server.url("/old.mp3?again") }
      let other = engine.plan(server.url("/old.mp3"), title: "Other")
      #expect(try await engine.run([other]).error(other)?.httpStatus == status)
      #expect(server.log.count == 4)
    }

    @Test(
      "row 49: pages, XML, JSON and text never become episodes",
      arguments: [
        "<!DOCTYPE html><html>", "<?xml version=\"1.0\"?><Error/>", "{\"error\":\"no\"}",
        "Not found\n",
      ])
    func notAudio(content: String) async throws {
      let body = Array((content + String(repeating: " \n", count: 3000)).utf8)
      for length in [content.utf8.count, body.count] {
        let server = try LoopbackServer(files: [
          "/a.mp3": FileServing(Representation(Array(body.prefix(length))))
        ])
        let engine = try EngineHarness()
        let plan = engine.plan(server.url("/a.mp3"))
        #expect(try await engine.run([plan]).error(plan)?.code == .notAudio)
        #expect(server.log.count == 1)
        #expect(engine.finishedFiles == [])
        #expect(engine.partSize(plan) == nil)
      }
    }

    @Test("row 50: a portal's page does not cost any bytes on disk")
    func portal() async throws {
      let page = Array("<html><body>Please log in</body></html>".utf8)
      let portal = try LoopbackServer(files: [
        "/login": FileServing(Representation(page, etag: "\"p\"", contentType: "text/html"))
      ])
      let state = Portal(isCaught: true)
      let server = try LoopbackServer { request, connection in
        if request.attempt == 1 {
          FileServing(Representation(Self.bytes), behaviour: .cut(.reset, .afterBody(200_000)))
            .answer(request, on: connection)
        } else if state.isCaught {
          let field = Request.Field("Location", portal.url("/login"))
          connection.respond(status: 302, fields: [field], body: "")
        } else {
          FileServing(Representation(Self.bytes)).answer(request, on: connection)
        }
      }
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).error(plan)?.code == .notAudio)
      #expect(engine.partSize(plan) == 200_000)
      state.isCaught = false
      let run = try await engine.run([plan])
      #expect(run.resumedFrom(plan) == 200_000)
      #expect(run.restarts(plan) == [])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(server.log.last?.request.rangeStart == 200_000 - Self.overlap)
    }

    @Test("rows 52 and F21: a stalled transfer is aborted and continued")
    func stall() async throws {
      let server = try server { $0 == 1 ? .cut(.stall, .afterBody(200_000)) : Behaviour() }
      var engine = try EngineHarness()
      engine.session.stallTimeout = .seconds(1)
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.retries(plan).map(\.reason) == [.timeout])
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(server.log.last?.request.rangeStart == 200_000 - Self.overlap)
    }

    @Test("row 52: a slow stream of bytes is not a stall")
    func trickle() async throws {
      let bytes = Array(Self.bytes.prefix(8000))
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(bytes), behaviour: Behaviour { $0.rate = 2000 })
      ])
      var engine = try EngineHarness()
      engine.session.stallTimeout = .seconds(3)
      let plan = engine.plan(server.url("/a.mp3"))
      #expect(try await engine.run([plan]).finished(plan) != nil)
      #expect(server.log.count == 1)
    }

    @Test("rows 44 and F22: Retry-After is honored")
    func retryAfter() async throws {
      let server = try server {
        $0 == 1 ? .answers(503, fields: [Request.Field("Retry-After", "1")]) : Behaviour()
      }
      var engine = try EngineHarness()
      let clock = RecordedClock()
      engine.clock = clock
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.finished(plan) != nil)
      #expect(run.retries(plan).map(\.delay) == [.seconds(1)])
      #expect(clock.waits.contains(.seconds(1)))
    }

    @Test(
      "rows 44 and F22: beyond five minutes it fails and names the time",
      arguments: ["301", "99999999999999999999", "Fri, 01 Mar 2024 12:05:01 GMT"])
    func retryAfterTooLong(value: String) async throws {
      let fields = [
        Request.Field("Retry-After", value),
        Request.Field("Date", "Fri, 01 Mar 2024 12:00:00 GMT"),
      ]
      let server = try server { _ in .answers(429, fields: fields) }
      var engine = try EngineHarness()
      let now = Date(timeIntervalSince1970: 1_709_294_400)
      engine.now = { now }
      let plan = engine.plan(server.url("/a.mp3"))
      let error = try #require(try await engine.run([plan]).error(plan))
      #expect(error.httpStatus == 429)
      if value.count < 20 || value.hasPrefix("Fri") {
        #expect(error.message.contains("2024-03-01T12:05:01Z"))
      }
      #expect(server.log.count == 1)
    }

    @Test("rows 44 and F22: a date of a server whose clock is ten minutes ahead is waited for")
    func retryAfterByServerClock() async throws {
      let fields = [
        Request.Field("Retry-After", "Fri, 01 Mar 2024 12:10:02 GMT"),
        Request.Field("Date", "Fri, 01 Mar 2024 12:10:00 GMT"),
      ]
      let server = try server { $0 == 1 ? .answers(503, fields: fields) : Behaviour() }
      var engine = try EngineHarness()
      engine.clock = RecordedClock()
      let now = Date(timeIntervalSince1970: 1_709_294_400)
      engine.now = { now }
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan])
      #expect(run.finished(plan) != nil)
      #expect(run.retries(plan).map(\.delay) == [.seconds(2)])
    }

    /// A server of so many files that refuses each at first, and when on the clock it was asked.
    private func refusing(
      _ count: Int, _ status: Int, _ value: String, clock: any Clock<Duration>
    ) throws -> (server: LoopbackServer, moments: Moments) {
      let moments = Moments(clock)
      let files = (0..<count).map {
        let serving = FileServing(Representation(Self.bytes)) { attempt in
          moments.note()
          return attempt == 1
            ? .answers(status, fields: [Request.Field("Retry-After", value)]) : Behaviour()
        }
        return ("/\($0).mp3", serving)
      }
      return (try LoopbackServer(files: Dictionary(uniqueKeysWithValues: files)), moments)
    }

    @Test("rows 44 and F22: a Retry-After applies to the other episodes of the host too")
    func retryAfterForAll() async throws {
      let clock = SteppedClock()
      let (server, moments) = try refusing(2, 429, "4", clock: clock)
      var engine = try EngineHarness()
      engine.clock = clock
      engine.options.jobs = 1
      let plans = (0..<2).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let run = try await engine.run(plans) { event, _ in
        guard case .retrying = event.kind else { return }
        // The episode that is tried again, and the gate before its host.
        try await waitUntil("two wait") { clock.sleepers >= 2 }
        clock.advance(by: .seconds(4))
      }
      #expect(plans.allSatisfy { run.finished($0) != nil })
      #expect(moments.all.dropFirst().allSatisfy { $0 >= .seconds(4) }, "\(moments.all)")
      #expect(plans.flatMap { run.retries($0) }.map(\.delay).allSatisfy { $0 >= .seconds(4) })
    }

    @Test("row 44: a host is not asked even after the episode with its Retry-After was cancelled")
    func retryAfterOfTheLastAttempt() async throws {
      let clock = RecordedClock()
      let (server, moments) = try refusing(4, 503, "4", clock: clock)
      var engine = try EngineHarness()
      engine.clock = clock
      engine.options.jobs = 1
      engine.options.retries.retries = 0
      let plans = (0..<4).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let run = try await engine.run(plans)
      #expect(plans.map { run.error($0)?.httpStatus } == [503, 503, 503, 503])
      #expect(moments.all == [.zero, .seconds(4), .seconds(8), .seconds(12)])
    }

    @Test("row 44: the Retry-After of a redirect's target is honored too")
    func retryAfterBehindRedirect() async throws {
      let clock = RecordedClock()
      let (target, moments) = try refusing(6, 429, "4", clock: clock)
      let source = try LoopbackServer { request, connection in
        let field = Request.Field("Location", target.url(request.path))
        connection.respond(status: 302, fields: [field], body: "")
      }
      var engine = try EngineHarness()
      engine.clock = clock
      engine.options.jobs = 6
      engine.options.jobsPerHost = 1
      engine.options.retries.retries = 0
      let plans = (0..<6).map { engine.plan(source.url("/\($0).mp3"), title: "\($0)") }
      let run = try await engine.run(plans)
      #expect(plans.allSatisfy { run.error($0)?.httpStatus == 429 })
      // This clock also adds how long those that wait for the target keep their slots.
      let all = moments.all
      #expect(all.count == 6)
      #expect(zip(all, all.dropFirst()).allSatisfy { $1 - $0 >= .seconds(4) }, "\(all)")
    }

    @Test("row 44: beyond five minutes the other episodes of the host fail without asking it")
    func retryAfterTooLongForAll() async throws {
      let (server, _) = try refusing(6, 429, "3600", clock: ContinuousClock())
      let other = try self.server { _ in Behaviour() }
      var engine = try EngineHarness()
      let now = Date(timeIntervalSince1970: 1_709_294_400)
      engine.now = { now }
      engine.options.jobs = 2
      engine.options.jobsPerHost = 1
      let plans = (0..<6).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let elsewhere = engine.plan(other.url("/a.mp3"), title: "elsewhere")
      let run = try await engine.run(plans + [elsewhere])
      for plan in plans {
        #expect(run.error(plan)?.code == .httpStatus)
        #expect(run.error(plan)?.message.contains("rate-limited until 2024-03-01T1") == true)
      }
      #expect(run.finished(elsewhere) != nil)
      #expect(server.log.count == 1)
    }
  }
}

/// When, on a clock, a server was asked.
private final class Moments: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let state = Mutex<[Duration]>([])

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
  }

  var all: [Duration] { state.withLock { $0 } }

  func note() { state.withLock { $0.append(elapsed()) } }
}

/// Lets a test change what its server's threads see.
private final class Portal: Sendable {
  private let state: Mutex<Bool>

  init(isCaught: Bool) { state = Mutex(isCaught) }

  var isCaught: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
