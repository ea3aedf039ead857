import LoopbackServer
import PodcastKit
import TestSupport
import Testing

extension EngineTests {
  @Suite("Two downloaders on one library") struct EngineSharingTests {
    private static func server(_ count: Int, rate: Int = 0) throws -> LoopbackServer {
      var files: [String: FileServing] = [:]
      for number in 0..<count {
        files["/\(number).mp3"] = FileServing(
          Representation(MP3Maker.bytes(seed: UInt64(number), length: 40_000)),
          behaviour: Behaviour { $0.rate = rate })
      }
      return try LoopbackServer(files: files)
    }

    @Test("each episode is fetched once, and the other one learns of it")
    func once() async throws {
      let server = try Self.server(30, rate: 4_000_000)
      var engine = try EngineHarness()
      engine.options.jobs = 3
      engine.options.jobsPerHost = 3
      // Looking whether the other is done costs no time on this clock, so every moment is met.
      engine.clock = RecordedClock()
      let plans = (0..<30).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let both = engine
      async let one = both.run(plans)
      async let other = both.run(plans)
      let runs = try await [one, other]
      let odd = plans.filter { plan in
        let ends = runs.compactMap { $0.outcome(plan) }
        return ends.count { $0 == .skipped(path: plan.path, reason: .alreadyDownloaded) } != 1
          || runs.compactMap { $0.finished(plan) }.count != 1
      }
      #expect(
        odd.map(\.stem) == [], "\(odd.first.map { plan in runs.map { $0.kinds(plan) } } ?? [])")
      #expect(server.log.count == 30)
      #expect(engine.finishedFiles.count == 30)
      #expect(engine.files.count == 31, "\(engine.files)")
      #expect(engine.library.episodes().count { $0.status == .complete } == 30)
    }

    /// A server that falls silent in its first answer.
    private static func silentServer() throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(MP3Maker.bytes(seed: 0, length: 400_000))) {
          $0 == 1 ? .cut(.stall, .afterBody(300_000)) : Behaviour()
        }
      ])
    }

    @Test("without waiting, what the other fetches is left to it")
    func noWait() async throws {
      let server = try Self.silentServer()
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      var impatient = engine
      impatient.options.waitsForOthers = false
      let second = impatient
      let first = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind else { return }
        let other = try await second.run([plan])
        #expect(other.outcome(plan) == .skipped(path: plan.path, reason: .inProgressElsewhere))
        await downloader.cancel()
      }
      #expect(first.cancelled(plan) != nil)
      #expect(server.log.count == 1)
    }

    @Test("where the first one gives up, the second goes on from what it left")
    func takesOver() async throws {
      let server = try Self.silentServer()
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let first = Task {
        try await engine.run([plan]) { event, downloader in
          guard case .progress = event.kind else { return }
          try await waitUntil("a block is written") { engine.partSize(plan) ?? 0 > 200_000 }
          await downloader.cancel()
        }
      }
      try await waitUntil("the first one has begun") { server.log.count == 1 }
      let second = try await engine.run([plan])
      let received = try #require(try await first.value.cancelled(plan))
      #expect(second.resumedFrom(plan) == received)
      #expect(
        try engine.read(#require(second.finished(plan)).path)
          == MP3Maker.bytes(seed: 0, length: 400_000))
      #expect(server.log.count == 2)
    }
  }
}
