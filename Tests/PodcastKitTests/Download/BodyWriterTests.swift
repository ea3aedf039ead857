import Dispatch
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("The writer of a body") struct BodyWriterTests {
  @Test(
    "while the disk is busy the transport's thread takes some blocks, and then it is told to wait")
  func busyDisk() async throws {
    let engine = try EngineHarness()
    let plan = engine.plan("https://a.example/b.mp3")
    let partials = try PartialFolder(library: engine.library.root)
    try partials.write(PartialRecord(plan), .none)
    let committer = Committer(library: engine.library, partials: partials, now: engine.now)
    let (disk, blocks) = (DiskPool(threads: 1), BlockPool(writers: 1))
    let opening = try PartialDownload.open(
      plan, in: engine.library, partials, committer, isForced: false, computesChecksum: true,
      flag: CancelFlag())
    guard case .opened(let partial) = consume opening else {
      Issue.record("It is not open.")
      return
    }
    let writer = BodyWriter(partial, resumesByOverlap: false, disk: disk, blocks: blocks)
    let looks = AsyncStream.makeStream(of: Void.self)
    let control = TransferControl()
    control.attach { looks.continuation.yield() }
    writer.begin(
      HTTPRequest(url: plan.episode.enclosure.url), announcedRestart: false, keepsHeld: false,
      BodyWriter.Listener(send: { _ in }, save: { _ in }, control: control))
    let bytes = MP3Maker.bytes(seed: 1, length: Int64(12 * Block.size))
    #expect(
      writer.receive(
        head: ResponseHead(
          status: 200, fields: [HTTPField("Content-Length", String(bytes.count))])))

    let isFree = DispatchSemaphore(value: 0)
    disk.start { isFree.wait() }
    var sent = 0
    while !writer.isFull, sent < bytes.count {
      let isTaken = bytes[sent..<sent + Block.size].withUnsafeBytes { writer.receive(body: $0) }
      #expect(isTaken)
      sent += Block.size
    }
    #expect(sent == 8 * Block.size)
    isFree.signal()
    for await _ in looks.stream { break }
    #expect(control.wish == .run)
    #expect(bytes[sent...].withUnsafeBytes { writer.receive(body: $0) })
    let report = await writer.end(.complete)
    #expect(report.reachedEnd && report.held == Int64(bytes.count) && report.interruption == nil)
    #expect(engine.partSize(plan) == Int64(bytes.count))
    #expect(!blocks.isShort)
  }
}
