import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastTransfer

extension EngineTests {
  @Suite("Downloads that are paused and cancelled") struct EnginePauseTests {
    private static let overlap: Int64 = 64 * 1024
    private static let bytes = MP3Maker.bytes(seed: 1, length: 600_000)

    private func slowServer(
      _ bytes: [UInt8] = bytes, validators: Behaviour.Validators = .all, rate: Int = 2_000_000
    ) throws -> LoopbackServer {
      let behaviour = Behaviour {
        $0.rate = rate
        $0.validators = validators
      }
      return try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(bytes), behaviour: behaviour)
      ])
    }

    /// A server that stalls after so many bytes, and is correct at the next request.
    private func silentServer(after count: Int64 = 300_000) throws -> LoopbackServer {
      try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.bytes)) {
          $0 == 1 ? .cut(.stall, .afterBody(count)) : Behaviour()
        }
      ])
    }

    /// A server whose responses stop after their first MiB until the test continues them.
    private func heldServer(
      _ file: MP3Maker, validators: Behaviour.Validators = .all
    ) throws -> (server: LoopbackServer, hold: OnceFlag) {
      let hold = OnceFlag()
      var serving = FileServing(
        Representation(file), behaviour: Behaviour { $0.validators = validators })
      serving.isHeld = { offset in offset >= 1 << 20 && !hold.isTaken }
      return (try LoopbackServer(files: ["/a.mp3": serving]), hold)
    }

    @Test("a pause reads nothing, and resuming continues over the same connection")
    func pause() async throws {
      // More than the kernel's buffers hold, so that a server that nobody reads from must stop.
      let file = MP3Maker(seed: 1, approximateSize: 32 << 20)
      let (server, hold) = try heldServer(file)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let run = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind, isDone.take() else { return }
        await downloader.pause()
        _ = hold.take()
        var before: Int64 = -1
        try await waitUntil("the server stops sending") {
          defer { before = server.log[0].bytesSent }
          return before == server.log[0].bytesSent
        }
        #expect(before < file.size)
        await downloader.resume()
      }
      let kinds = run.kinds(plan)
      let paused = try #require(kinds.firstIndex(of: .paused))
      let resumed = try #require(kinds.firstIndex(of: .resumed))
      // At most what was under way when the pause came.
      #expect(resumed - paused <= 2)
      #expect(kinds.count { $0 == .paused || $0 == .resumed } == 2)
      #expect(
        try engine.read(#require(run.finished(plan)).path).elementsEqual(
          file.bytes(in: 0..<file.size)))
      #expect(server.log.count == 1)
    }

    @Test("a long pause closes the connection and continues with a range")
    func longPause() async throws {
      let server = try silentServer()
      var engine = try EngineHarness()
      engine.options.pauseGrace = .milliseconds(1)
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let harness = engine
      let run = try await harness.run([plan]) { event, downloader in
        guard case .progress = event.kind, isDone.take() else { return }
        try await waitUntil("a block is written") { harness.partSize(plan) ?? 0 > 200_000 }
        await downloader.pause()
        try await waitUntil("the connection is let go") { server.openConnections == 0 }
        await downloader.resume()
      }
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(run.restarts(plan) == [])
      #expect(run.retries(plan).isEmpty)
      #expect(server.log.count == 2)
      #expect(server.log.last?.request.first("If-Range") == "\"first\"")
    }

    @Test("row 33: long pauses are not attempts")
    func longPauses() async throws {
      let pauses = 22
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.bytes)) { attempt in
          switch attempt {
          case 1: .cut(.stall, .afterBody(300_000))
          case ...pauses: .cut(.stall, .beforeHead)
          case pauses + 1: .cut(.reset, .beforeHead)
          default: Behaviour()
          }
        }
      ])
      var engine = try EngineHarness()
      engine.options.pauseGrace = .milliseconds(1)
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let harness = engine
      let run = try await harness.run([plan]) { event, downloader in
        guard case .progress = event.kind, isDone.take() else { return }
        try await waitUntil("a block is written") { harness.partSize(plan) ?? 0 > 200_000 }
        for pause in 1...pauses {
          try await waitUntil("it is asked again") { server.log.count == pause }
          await downloader.pause()
          try await waitUntil("the connection is let go") { server.openConnections == 0 }
          await downloader.resume()
        }
      }
      #expect(run.retries(plan).map(\.attempt) == [2])
      #expect(
        try engine.read(#require(run.finished(plan), "\(run.kinds(plan).suffix(3))").path)
          == Self.bytes)
    }

    @Test("without a validator a long pause keeps its connection")
    func longPauseWithoutValidator() async throws {
      let file = MP3Maker(seed: 1, approximateSize: 24 << 20)
      let (server, hold) = try heldServer(file, validators: .none)
      var engine = try EngineHarness()
      // On this clock the pause is long immediately.
      engine.clock = RecordedClock()
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let run = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind, isDone.take() else { return }
        await downloader.pause()
        _ = hold.take()
        for _ in 0..<1000 { await Task.yield() }
        await downloader.resume()
      }
      #expect(run.kinds(plan).contains(.paused))
      #expect(run.finished(plan)?.bytes == file.size)
      #expect(run.restarts(plan) == [])
      #expect(server.log.count == 1)
    }

    @Test(
      "a pause just after the last byte costs no further request",
      arguments: [.all, .none] as [Behaviour.Validators])
    func pauseAtTheEnd(validators: Behaviour.Validators) async throws {
      let server = try slowServer(validators: validators, rate: 0)
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await CurlSession.with(engine.session) { session in
        let end = PausedEnd()
        let isDone = OnceFlag()
        let transport = HookedTransport(session) {
          if isDone.take() { await end.downloader?.pause() }
        }
        return try await engine.run([plan], over: transport) { event, downloader in
          end.downloader = downloader
          guard event.kind == .paused else { return }
          try await waitUntil("the last block is written") {
            engine.partSize(plan) == Int64(Self.bytes.count)
          }
          for _ in 0..<200 { await Task.yield() }
          await downloader.resume()
        }
      }
      #expect(try engine.read(#require(run.finished(plan)).path) == Self.bytes)
      #expect(run.kinds(plan).contains(.paused))
      #expect(server.log.count == 1)
      #expect(run.restarts(plan) == [])
    }

    @Test("row 56: cancelled in the middle, and continued by another downloader")
    func cancelAndContinue() async throws {
      let server = try silentServer()
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      let first = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind else { return }
        try await waitUntil("a block is written") { engine.partSize(plan) ?? 0 > 200_000 }
        await downloader.cancel()
      }
      let received = try #require(first.cancelled(plan), "\(first.kinds(plan))")
      #expect(received > 200_000)
      #expect(engine.partSize(plan) == received)
      #expect(engine.finishedFiles == [])
      #expect(engine.library.unfinished().map(\.plan) == [plan])
      #expect(engine.library.episodes().map(\.status) == [.partial])

      let second = try await engine.run([plan])
      #expect(second.kinds(plan).first == .planned(total: Int64(Self.bytes.count)))
      #expect(second.resumedFrom(plan) == received)
      let file = try #require(second.finished(plan))
      #expect(try engine.read(file.path) == Self.bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
      #expect(server.log.last?.request.rangeStart == received - Self.overlap)
      #expect(server.log.count == 2)
      #expect(engine.library.unfinished().isEmpty)
    }

    @Test(
      "cancelled at any moment, the received bytes are kept and the rest is downloaded later",
      arguments: 0..<12
    )
    func cancelAnywhere(moment: Int) async throws {
      var files: [String: FileServing] = [:]
      for number in 0..<5 {
        files["/\(number).mp3"] = FileServing(
          Representation(MP3Maker.bytes(seed: UInt64(number), length: 150_000)),
          behaviour: Behaviour { $0.rate = 3_000_000 })
      }
      let server = try LoopbackServer(files: files)
      let engine = try EngineHarness()
      let plans = (0..<5).map { engine.plan(server.url("/\($0).mp3"), title: "\($0)") }
      let counter = EventCounter()
      let first = try await engine.run(plans) { _, downloader in
        if counter.next() == moment * 2 { await downloader.cancel() }
      }
      for plan in plans {
        let received = first.cancelled(plan)
        #expect(received != nil || first.finished(plan) != nil, "\(first.kinds(plan))")
        if let received { #expect(engine.partSize(plan) ?? 0 == received) }
      }
      let second = try await engine.run(plans)
      for (number, plan) in plans.enumerated() {
        #expect(second.finished(plan) != nil || second.outcome(plan)?.isSkip == true)
        let bytes = try engine.read("Show/\(number).mp3")
        #expect(bytes == MP3Maker.bytes(seed: UInt64(number), length: 150_000))
      }
      #expect(engine.finishedFiles.count == 5)
    }

    @Test("cancelling the task cancels the download")
    func taskCancellation() async throws {
      let server = try silentServer()
      let engine = try EngineHarness()
      let plan = engine.plan(server.url("/a.mp3"))
      try await CurlSession.with(engine.session) { session in
        let downloader = try Downloader(
          library: engine.library, transport: session, options: engine.options)
        let task = Task { await downloader.run([plan]) }
        var last: DownloadEvent.Kind?
        for await event in downloader.events {
          last = event.kind
          if case .progress = event.kind { task.cancel() }
        }
        await task.value
        guard case .cancelled(let received) = last else {
          Issue.record("\(String(describing: last))")
          return
        }
        #expect(engine.partSize(plan) ?? 0 == received)
      }
    }

    @Test("a cancelled retry does not wait")
    func cancelledDelay() async throws {
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(Representation(Self.bytes), behaviour: .answers(503))
      ])
      var engine = try EngineHarness()
      engine.options.retries.baseDelay = .seconds(3600)
      engine.options.retries.maximumDelay = .seconds(3600)
      let plan = engine.plan(server.url("/a.mp3"))
      let run = try await engine.run([plan]) { event, downloader in
        if case .retrying = event.kind { await downloader.cancel() }
      }
      #expect(run.cancelled(plan) == 0)
      #expect(server.log.count == 1)
    }

    @Test("a stall is not counted while paused")
    func pausedStall() async throws {
      let file = MP3Maker(seed: 1, approximateSize: 16 << 20)
      let (server, hold) = try heldServer(file)
      var engine = try EngineHarness()
      engine.session.stallTimeout = .seconds(3)
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let run = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind, isDone.take() else { return }
        await downloader.pause()
        _ = hold.take()
        let start = ContinuousClock.now
        try await waitUntil("more than the stall timeout passes") {
          .now - start > .milliseconds(3300)
        }
        await downloader.resume()
      }
      #expect(run.finished(plan)?.bytes == file.size)
      #expect(run.retries(plan).isEmpty)
      #expect(server.log.count == 1)
    }

    @Test("random pauses and resumes do not change the result", arguments: 0..<6)
    func randomPauses(seed: UInt64) async throws {
      let server = try slowServer(rate: 4_000_000)
      var engine = try EngineHarness()
      engine.options.pauseGrace = seed % 2 == 0 ? .milliseconds(1) : .seconds(10)
      let plan = engine.plan(server.url("/a.mp3"))
      let counter = EventCounter()
      let run = try await engine.run([plan]) { event, downloader in
        var random = SeededGenerator(seed: seed << 32 | UInt64(counter.next()))
        guard !event.kind.isTerminal, Bool.random(using: &random) else { return }
        await downloader.pause()
        for _ in 0..<Int.random(in: 0..<50, using: &random) { await Task.yield() }
        await downloader.resume()
      }
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.bytes)
      #expect(try file.sha256 == engine.sha256(file.path))
    }
  }
}

/// True the first time only.
final class OnceFlag: Sendable {
  private let state = Mutex(false)

  var isTaken: Bool { state.withLock { $0 } }

  func take() -> Bool {
    state.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }
}

/// Counts from zero.
private final class EventCounter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

/// Gives a transport the downloader that uses it.
private final class PausedEnd: Sendable {
  private let state = Mutex<Downloader?>(nil)

  var downloader: Downloader? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// Does something between the end of a transfer and the moment the engine learns of it.
private struct HookedTransport: Transport {
  private let base: any Transport
  private let afterwards: @Sendable () async -> Void

  init(_ base: any Transport, afterwards: @escaping @Sendable () async -> Void) {
    self.base = base
    self.afterwards = afterwards
  }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let end = await base.perform(request, receiver: receiver, control: control)
    await afterwards()
    return end
  }
}
