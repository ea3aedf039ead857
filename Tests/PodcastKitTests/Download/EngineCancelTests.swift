import Glibc
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastTransfer

extension EngineTests {
  @Suite("A cancel in each phase of a run", .timeLimit(.minutes(5))) struct EngineCancelTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 300_000)

    private func server() throws -> LoopbackServer {
      try LoopbackServer(files: ["/a.mp3": FileServing(Representation(Self.bytes))])
    }

    @Test("while plans are recorded, the rest is left unrecorded") func recording() async throws {
      let server = try server()
      let engine = try EngineHarness()
      let plans = (1...5000).map { engine.plan(server.url("/a.mp3"), title: "Number \($0)") }
      let isDone = OnceFlag()
      let run = try await engine.run(plans) { _, downloader in
        if isDone.take() { await downloader.cancel() }
      }
      #expect(plans.allSatisfy { run.cancelled($0) == 0 })
      #expect(engine.files.count { $0.hasSuffix(".json") } < plans.count)
      #expect(server.log.isEmpty)
    }

    @Test("before the run begins, nothing is recorded or requested") func before() async throws {
      let server = try server()
      let engine = try EngineHarness()
      let plans = (1...100).map { engine.plan(server.url("/a.mp3"), title: "Number \($0)") }
      let run = try await CurlSession.with(engine.session) { session in
        let downloader = try Downloader(library: engine.library, transport: session)
        await downloader.cancel()
        await downloader.run(plans)
        var run = EngineRun()
        for await event in downloader.events { run.append(event) }
        return run
      }
      #expect(
        plans.allSatisfy { run.kinds($0) == [.cancelled(received: 0)] })
      #expect(engine.files.isEmpty && server.log.isEmpty)
    }

    @Test("of one episode while all are paused, it does not come again") func puttingBack()
      async throws
    {
      let (a, b) = ("https://a.example/a.mp3", "https://b.example/b.mp3")
      for round in 0..<100 {
        var engine = try EngineHarness()
        engine.options.jobs = 1
        let (one, two) = (engine.plan(a, title: "A"), engine.plan(b, title: "B"))
        let transport = ScriptedTransport([
          a: [.endless, .endless], b: [ScriptedTransport.Answer(body: [1, 2, 3])],
        ])
        let isFirst = OnceFlag()
        let hands = Mutex<Task<Void, Never>?>(nil)
        let run = try await engine.run([one, two], over: transport) { event, downloader in
          guard case .started = event.kind, event.plan.key == one.key, isFirst.take() else {
            return
          }
          let task = Task {
            while await downloader.download(two.key) == nil { await Task.yield() }
            async let pausing: Void = downloader.pause()
            // Each round cancels at another moment of the way back.
            for _ in 0..<(round % 50) { await Task.yield() }
            await downloader.cancel([two.key])
            await pausing
            await downloader.resume()
            await downloader.cancel([one.key])
          }
          hands.withLock { $0 = task }
        }
        await hands.withLock { $0 }?.value
        #expect(run.cancelled(two) != nil, "round \(round): \(run.kinds(two))")
      }
    }

    @Test("while a better address is looked for") func refreshing() async throws {
      var engine = try EngineHarness()
      let isAsked = OnceFlag()
      engine.refresh = { _ in
        _ = isAsked.take()
        try? await ContinuousClock().sleep(for: .seconds(1000))
        return nil
      }
      let server = try LoopbackServer(files: [:])
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let run = try await engine.run([plan]) { event, downloader in
        guard case .started = event.kind, isDone.take() else { return }
        try await waitUntil("another address is looked for") { isAsked.isTaken }
        await downloader.cancel()
      }
      #expect(run.cancelled(plan) == 0)
    }

    @Test("while another process has the lock of the folder's record") func lockedRecord()
      async throws
    {
      let server = try server()
      let engine = try EngineHarness()
      try engine.folder.write("library/Show/\(FolderRecords.name)", [])
      let record = try OpenFile.open(
        engine.folder.path("library/Show/\(FolderRecords.name)"), flags: O_RDWR)
      #expect(flock(record.number, LOCK_EX) == 0)
      let plan = engine.plan(server.url("/a.mp3"))
      let isDone = OnceFlag()
      let harness = engine
      let run = try await engine.run([plan]) { event, downloader in
        guard case .started = event.kind, isDone.take() else { return }
        // With its final name it waits for the record.
        try await waitUntil("the file has its name") { harness.finishedFiles.count == 1 }
        await downloader.cancel()
      }
      #expect(run.cancelled(plan) == Int64(Self.bytes.count))
      flock(record.number, LOCK_UN)
      let again = try await engine.run([plan])
      #expect(try engine.read(#require(again.finished(plan)).path) == Self.bytes)
      #expect(server.log.count == 1)
    }
  }
}

@Suite("File work that is cancelled") struct CancelledFileWorkTests {
  private func part(_ folder: TemporaryFolder) throws -> (part: PartFile, folder: OpenFile) {
    let directory = try OpenFile.folder(folder.path, creating: false)
    let part = try #require(try PartFile.open("a.part", in: directory))
    try part.write([1, 2, 3], at: 0)
    return (part, directory)
  }

  @Test("hashing stops") func hashing() throws {
    let part = try part(TemporaryFolder()).part
    let error = #expect(throws: DiskError.self) { try part.sha256 { true } }
    #expect(error?.isCancelled == true)
  }

  @Test("a comparison with a file of the same name stops, and both stay") func comparing() throws {
    let folder = try TemporaryFolder()
    let (part, directory) = try part(folder)
    try folder.write("a.mp3", [1, 2, 3])
    let error = #expect(throws: DiskError.self) {
      try part.place(as: "a.mp3", in: directory, replacing: false, isCancelled: { true })
    }
    #expect(error?.isCancelled == true)
    #expect(folder.files.sorted() == ["a.mp3", "a.part"])
  }

  @Test("a copy to another file system stops and leaves nothing there") func copying() throws {
    let (part, directory) = try part(TemporaryFolder())
    var name = Array("/dev/shm/podget-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { try Test.cancel("There is no /dev/shm.") }
    let path = String(decoding: name.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    defer { rmdir(path) }
    let other = try OpenFile.folder(path, creating: false)
    var (here, there) = (stat(), stat())
    fstat(directory.number, &here)
    fstat(other.number, &there)
    guard here.st_dev != there.st_dev else { try Test.cancel("They are one file system.") }
    let error = #expect(throws: DiskError.self) {
      try part.place(as: "a.mp3", in: other, replacing: false, isCancelled: { true })
    }
    #expect(error?.isCancelled == true)
    #expect(other.entries() == [])
    #expect(try part.size() == 3)
    #expect(try part.place(as: "a.mp3", in: other, replacing: false) == .copied)
    unlinkat(other.number, "a.mp3", 0)
  }
}
