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

    @Test("each episode is downloaded once, and the other process notices it")
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

    /// A server that stalls in its first response.
    private static func silentServer() throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(MP3Maker.bytes(seed: 0, length: 400_000))) {
          $0 == 1 ? .cut(.stall, .afterBody(300_000)) : Behaviour()
        }
      ])
    }

    @Test("without waiting, an episode of the other downloader is skipped")
    func noWait() async throws {
      let server = try Self.silentServer()
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      var impatient = engine
      impatient.options.waitsForOthers = false
      let second = impatient
      let isTried = Mutex(false)
      let first = try await engine.run([plan]) { event, downloader in
        // After the first time it is cancelled.
        guard case .progress = event.kind,
          !isTried.withLock({ tried in
            defer { tried = true }
            return tried
          })
        else { return }
        let other = try await second.run([plan])
        #expect(other.outcome(plan) == .skipped(path: plan.path, reason: .inProgressElsewhere))
        await downloader.cancel()
      }
      #expect(first.cancelled(plan) != nil)
      #expect(server.log.count == 1)
    }

    @Test("another downloader's episode takes no slot from the next one", .timeLimit(.minutes(5)))
    func slots() async throws {
      let server = try Self.server(2)
      var engine = try EngineHarness()
      engine.options.jobs = 1
      engine.options.jobsPerHost = 1
      let plans = (0..<2).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let lock = try PartialFolder(library: engine.library.root).openPart(plans[0].key)
      let run = try await engine.run(plans) { event, downloader in
        guard case .finished = event.kind else { return }
        await downloader.cancel()
      }
      withExtendedLifetime(lock) {}
      #expect(run.finished(plans[1]) != nil)
      #expect(run.cancelled(plans[0]) == 0)
    }

    @Test("many episodes of a stopped podget do not keep others waiting", .timeLimit(.minutes(5)))
    func manyLocks() async throws {
      let server = try Self.server(20)
      var engine = try EngineHarness()
      engine.options.jobs = 1
      let plans = (0..<20).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let partials = try PartialFolder(library: engine.library.root)
      let locks = try plans.prefix(16).map { try partials.openPart($0.key) }
      let finished = Mutex(0)
      let run = try await engine.run(plans) { event, downloader in
        guard case .finished = event.kind else { return }
        let isLast = finished.withLock { count in
          count += 1
          return count == 4
        }
        if isLast { await downloader.cancel() }
      }
      withExtendedLifetime(locks) {}
      #expect(plans.suffix(4).allSatisfy { run.finished($0) != nil })
      #expect(plans.prefix(16).allSatisfy { run.cancelled($0) == 0 })
    }

    @Test(
      "while a run is paused, other runs may take what it has not started", .timeLimit(.minutes(5)))
    func pausedRun() async throws {
      let server = try Self.server(2, rate: 20_000)
      var engine = try EngineHarness()
      engine.options.jobs = 1
      engine.options.jobsPerHost = 1
      let plans = (0..<2).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let partials = try PartialFolder(library: engine.library.root)
      let name = "library/.podget/partial/\(plans[1].key).part"
      let harness = engine
      let isPaused = OnceFlag()
      let run = try await engine.run(plans) { event, downloader in
        guard case .progress = event.kind, isPaused.take() else { return }
        try await waitUntil("the next one is opened") { harness.folder.contains(name) }
        await downloader.pause()
        var lock: PartFile?
        try await waitUntil("the next one is free") {
          lock = try? partials.openPart(plans[1].key)
          return lock != nil
        }
        lock?.remove()
        await downloader.resume()
      }
      for plan in plans { #expect(run.finished(plan) != nil, "\(run.kinds(plan))") }
    }

    @Test("a plan does not change the record of a running download")
    func runningRecord() async throws {
      let server = try Self.silentServer()
      var engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let harness = engine
      _ = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind else { return }
        try await waitUntil("a block is written") { harness.partSize(plan) ?? 0 > 200_000 }
        await downloader.cancel()
      }
      let record = "library/.podget/partial/\(plan.key).json"
      let before = try engine.folder.read(record)
      // The disk's thread may close the file a moment after the run.
      var held: PartFile?
      try await waitUntil("the part file is free") {
        held = try? PartialFolder(library: harness.library.root).openPart(plan.key)
        return held != nil
      }
      let lock = try #require(held)
      engine.options.waitsForOthers = false
      let edited = engine.plan(server.url("/a.mp3"), length: 5)
      let run = try await engine.run([edited])
      withExtendedLifetime(lock) {}
      #expect(run.outcome(edited) == .skipped(path: plan.path, reason: .inProgressElsewhere))
      #expect(try engine.folder.read(record) == before)
    }

    @Test(
      "a plan does not change the first version of a download that has just begun",
      arguments: [true, false])
    func beginsMeanwhile(stillRuns: Bool) async throws {
      let engine = try EngineHarness()
      let plan = engine.plan("http://127.0.0.1:1/a.mp3")
      let edited = engine.plan("http://127.0.0.1:1/a.mp3", length: 5)
      let partials = try PartialFolder(library: engine.library.root)
      try partials.write(PartialRecord(plan), .none)
      var begun = PartialRecord(plan)
      begun.state = ResumeState(
        generation: 1, validator: Validator(), total: 5, durableLength: 0, bootID: nil, inode: 1)
      let record = begun
      let lock = Mutex<PartFile?>(nil)
      var recorder = PlanRecorder(context(of: engine, partials)) { _ in }
      recorder.whenRead = {
        lock.withLock { $0 = try? partials.openPart(plan.key) }
        try? partials.write(record, .none)
        if !stillRuns { lock.withLock { $0 = nil } }
      }
      let known = KnownEpisodes(engine.library, isRecording: false)
      #expect(await recorder.record([edited], known).plans == [edited])
      let found = try #require(try partials.read(plan.key))
      #expect(found.state == record.state)
      #expect((found == record) == stillRuns)
      #expect(partials.partSize(plan.key) == (stillRuns ? 0 : nil))
    }

    /// What the downloads of a run share, for one that downloads nothing.
    private func context(of engine: EngineHarness, _ partials: PartialFolder) -> DownloadContext {
      let clock = RecordedClock()
      return DownloadContext(
        library: engine.library, partials: partials, transport: ScriptedTransport([:]),
        options: engine.options, gate: HostGate(.init(total: 1, perHost: 1), clock: clock),
        committer: Committer(library: engine.library, partials: partials, now: engine.now),
        disk: DiskPool(threads: 1), blocks: BlockPool(writers: 1), clock: clock, now: engine.now,
        refresh: nil, subscribed: SubscribedSettings())
    }

    @Test("a file that --force has replaced gets its own record after a kill")
    func replacedAndKilled() async throws {
      let server = try Self.server(1)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/0.mp3"))
      let first = try #require(try await engine.run([plan]).finished(plan))
      // The state after a kill between the rename and the line in the folder's record.
      let other = MP3Maker.bytes(seed: 7, length: 50_000)
      try engine.folder.write("library/\(first.path)", other)
      let replaced = try #require(try PartFile.opened(first.path, in: engine.library.root))
      var record = PartialRecord(plan)
      record.replaces = RelativePath(first.path)
      record.state = ResumeState(
        generation: 1, validator: Validator(), total: try replaced.size(),
        durableLength: try replaced.size(), bootID: nil, inode: try replaced.inode())
      try PartialFolder(library: engine.library.root).write(record, .whole)

      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try file.path == first.path && file.sha256 == engine.sha256(first.path))
      #expect(engine.library.episodes().map(\.sha256) == [file.sha256])
      #expect(server.log.count == 1)
    }

    @Test("if the first one fails, the second one continues its bytes")
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
