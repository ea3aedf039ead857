import LoopbackServer
import PodcastModel
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

extension EngineTests {
  @Suite("Limits of a run") struct EngineLimitTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 60_000)

    /// A server with so many files; its responses wait until so many have been requested.
    private func server(
      _ count: Int, together: Int = 1, rate: Int = 600_000
    ) throws -> LoopbackServer {
      let version = Representation(Self.bytes)
      let asked = Asked()
      var serving = FileServing(
        version: { _ in
          asked.count.withLock { $0 += 1 }
          return version
        },
        behaviour: { _ in Behaviour { $0.rate = rate } })
      serving.isHeld = { _ in asked.count.withLock { $0 < together } }
      return try LoopbackServer(
        files: Dictionary(uniqueKeysWithValues: (0..<count).map { ("/\($0).mp3", serving) }))
    }

    private func plans(_ engine: EngineHarness, _ server: LoopbackServer, _ count: Int)
      -> [DownloadPlan]
    {
      (0..<count).map { engine.plan(server.url("/\($0).mp3"), title: "\(server.port) \($0)") }
    }

    @Test("never more transfers than allowed", arguments: [(1, 1), (4, 2), (2, 4), (3, 3)])
    func jobs(jobs: Int, perHost: Int) async throws {
      let server = try server(8, together: min(jobs, perHost))
      var engine = try EngineHarness()
      engine.options.jobs = jobs
      engine.options.jobsPerHost = perHost
      let plans = plans(engine, server, 8)
      let run = try await engine.run(plans)
      #expect(plans.allSatisfy { run.finished($0) != nil })
      #expect(server.peakConcurrency == min(jobs, perHost))
    }

    @Test("the limit of a host leaves room for others")
    func hosts() async throws {
      let servers = try (0..<3).map { _ in try server(4) }
      var engine = try EngineHarness()
      engine.options.jobs = 3
      engine.options.jobsPerHost = 1
      let plans = servers.flatMap { self.plans(engine, $0, 4) }
      let run = try await engine.run(plans)
      #expect(plans.allSatisfy { run.finished($0) != nil })
      #expect(servers.map(\.peakConcurrency) == [1, 1, 1])
    }

    @Test("hosts take turns") func turns() async throws {
      let servers = try (0..<3).map { _ in try server(3, rate: 0) }
      var engine = try EngineHarness()
      engine.options.jobs = 1
      let plans = servers.flatMap { self.plans(engine, $0, 3) }
      let order = Mutex<[String]>([])
      let run = try await engine.run(plans) { event, _ in
        if case .started = event.kind { order.withLock { $0.append(event.plan.stem) } }
      }
      #expect(plans.allSatisfy { run.finished($0) != nil })
      #expect(
        order.withLock { $0 }
          == (0..<3).flatMap { number in servers.map { "\($0.port) \(number)" } })
    }

    @Test("a closed host behind a tracker keeps no other host idle", .timeLimit(.minutes(5)))
    func closedBehindTracker() async throws {
      let closed = try LoopbackServer { _, connection in
        connection.respond(
          status: 429, fields: [Request.Field("Retry-After", "250")], body: "")
      }
      let open = try server(3, rate: 0)
      let tracker = try LoopbackServer { request, connection in
        let target = request.path.hasPrefix("/closed") ? closed.url("/") : open.url(request.path)
        connection.respond(status: 302, fields: [Request.Field("Location", target)], body: "")
      }
      var engine = try EngineHarness()
      engine.options.jobs = 2
      let shut = (0..<24).map { engine.plan(tracker.url("/closed/\($0)"), title: "closed \($0)") }
      let free = (0..<3).map { engine.plan(tracker.url("/\($0).mp3"), title: "\($0)") }
      let finished = Mutex(0)
      let run = try await engine.run(shut + free) { event, downloader in
        guard case .finished = event.kind else { return }
        let isLast = finished.withLock { count in
          count += 1
          return count == free.count
        }
        if isLast { await downloader.cancel() }
      }
      #expect(free.allSatisfy { run.finished($0) != nil })
      #expect(shut.allSatisfy { run.cancelled($0) == 0 })
      #expect(closed.log.count <= 2)
    }

    @Test("the limit applies to a redirect's host as well")
    func redirected() async throws {
      let target = try server(8, together: 2)
      let source = try LoopbackServer { request, connection in
        let field = Request.Field("Location", target.url(request.path))
        connection.respond(status: 302, fields: [field], body: "")
      }
      var engine = try EngineHarness()
      engine.options.jobs = 6
      engine.options.jobsPerHost = 2
      let plans = plans(engine, source, 8)
      let run = try await engine.run(plans)
      #expect(plans.allSatisfy { run.finished($0) != nil })
      #expect(target.peakConcurrency == 2)
      #expect(source.peakConcurrency <= 2)
      #expect(source.log.count == 8)
      #expect(target.log.count == 8)
    }

    @Test("connections are reused")
    func reuse() async throws {
      let server = try server(20, rate: 0)
      var engine = try EngineHarness()
      engine.options.jobs = 4
      engine.options.jobsPerHost = 4
      let plans = plans(engine, server, 20)
      let run = try await engine.run(plans)
      #expect(plans.allSatisfy { run.finished($0) != nil })
      #expect(server.log.count == 20)
      #expect(Set(server.log.map(\.request.connection)).count <= 6)
      #expect(Set(server.log.map(\.path)).count == 20)
    }

    @Test("every plan is reported and recorded before the first transfer begins")
    func plannedFirst() async throws {
      let server = try server(6)
      let engine = try EngineHarness()
      let plans = plans(engine, server, 6)
      let run = try await engine.run(plans)
      let planned = run.events.prefix(6).map(\.kind)
      #expect(planned == Array(repeating: .planned(total: nil), count: 6))
      #expect(run.events.prefix(6).map(\.plan) == plans)
    }

    @Test("two hundred small episodes")
    func many() async throws {
      let server = try server(200, rate: 0)
      var engine = try EngineHarness()
      engine.options.jobsPerHost = 4
      let plans = plans(engine, server, 200)
      let run = try await engine.run(plans)
      #expect(plans.count { run.finished($0) != nil } == 200)
      #expect(engine.finishedFiles.count == 200)
      #expect(engine.library.episodes().count { $0.status == .complete } == 200)
      #expect(server.log.count == 200)
    }
  }
}

/// How often something was asked for.
private final class Asked: Sendable {
  let count = Mutex(0)
}
