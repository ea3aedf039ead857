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
  /// A writer for an episode whose disk has one thread, which received the head of an answer.
  private struct Receiver {
    let engine: EngineHarness
    let plan: DownloadPlan
    let writer: BodyWriter
    let disk = DiskPool(threads: 1)
    let blocks: BlockPool
    let control = TransferControl()
    let looks = AsyncStream.makeStream(of: Void.self)

    init(computesChecksum: Bool, length: Int, writers: Int = 4) throws {
      blocks = BlockPool(writers: writers)
      engine = try EngineHarness()
      plan = engine.plan("https://a.example/b.mp3")
      let partials = try PartialFolder(library: engine.library.root)
      try partials.write(PartialRecord(plan), .none)
      let committer = Committer(library: engine.library, partials: partials, now: engine.now)
      let opening = try PartialDownload.open(
        plan, in: engine.library, partials, committer, isForced: false,
        computesChecksum: computesChecksum, flag: CancelFlag())
      guard case .opened(let partial) = consume opening else { throw NotOpen() }
      writer = BodyWriter(partial, resumesByOverlap: false, disk: disk, blocks: blocks)
      control.attach { [looks] in looks.continuation.yield() }
      writer.begin(
        HTTPRequest(url: plan.episode.enclosure.url), announcedRestart: false, keepsHeld: false,
        BodyWriter.Listener(send: { _ in }, save: { _ in }, control: control))
      #expect(
        writer.receive(
          head: ResponseHead(
            status: 200, fields: [HTTPField("Content-Length", String(length))])))
    }

    struct NotOpen: Error {}
  }

  @Test("without a checksum blocks are written at once, but for the first and the last")
  func writesAtOnce() async throws {
    let bytes = MP3Maker.bytes(seed: 1, length: Int64(12 * Block.size))
    let receiver = try Receiver(computesChecksum: false, length: bytes.count)
    let (engine, plan, writer) = (receiver.engine, receiver.plan, receiver.writer)
    #expect(bytes[..<Block.size].withUnsafeBytes { writer.receive(body: $0) })
    // The thread of the disk has decided what the body is.
    await receiver.disk.perform {}
    let isFree = DispatchSemaphore(value: 0)
    receiver.disk.start { isFree.wait() }
    for start in stride(from: Block.size, to: bytes.count, by: Block.size) {
      let piece = bytes[start..<min(start + Block.size, bytes.count)]
      #expect(piece.withUnsafeBytes { writer.receive(body: $0) })
      #expect(engine.partSize(plan) == Int64(piece.endIndex))
      #expect(!writer.isFull)
    }
    isFree.signal()
    let report = await writer.end(.complete)
    #expect(report.reachedEnd && report.held == Int64(bytes.count) && report.interruption == nil)
    #expect(!receiver.blocks.isShort)
  }

  @Test(
    "while the disk is busy the transport's thread takes some blocks, and then it is told to wait",
    arguments: [(writers: 1, taken: 6), (writers: 4, taken: 8)])
  func busyDisk(writers: Int, taken: Int) async throws {
    let bytes = MP3Maker.bytes(seed: 1, length: Int64(12 * Block.size))
    let receiver = try Receiver(computesChecksum: true, length: bytes.count, writers: writers)
    let (engine, plan, writer) = (receiver.engine, receiver.plan, receiver.writer)
    let (control, disk, blocks, looks) = (
      receiver.control, receiver.disk, receiver.blocks, receiver.looks
    )

    let isFree = DispatchSemaphore(value: 0)
    disk.start { isFree.wait() }
    var sent = 0
    while !writer.isFull, sent < bytes.count {
      let isTaken = bytes[sent..<sent + Block.size].withUnsafeBytes { writer.receive(body: $0) }
      #expect(isTaken)
      sent += Block.size
    }
    #expect(sent == taken * Block.size)
    isFree.signal()
    for await _ in looks.stream { break }
    #expect(control.wish == .run)
    #expect(bytes[sent...].withUnsafeBytes { writer.receive(body: $0) })
    let report = await writer.end(.complete)
    #expect(report.reachedEnd && report.held == Int64(bytes.count) && report.interruption == nil)
    #expect(engine.partSize(plan) == Int64(bytes.count))
    #expect(!blocks.isShort)
  }

  @Test("a transfer that waited goes on when little is left to write, not for each block")
  func rest() async throws {
    let bytes = MP3Maker.bytes(seed: 1, length: Int64(12 * Block.size))
    let receiver = try Receiver(computesChecksum: true, length: bytes.count)
    let (engine, plan, writer) = (receiver.engine, receiver.plan, receiver.writer)
    // What is on the disk when the transfer is told to look: then the disk's thread goes on.
    let (written, look) = AsyncStream.makeStream(of: Int64.self)
    receiver.control.attach { look.yield(engine.partSize(plan) ?? 0) }
    let isFree = DispatchSemaphore(value: 0)
    receiver.disk.start { isFree.wait() }
    var sent = 0
    while !writer.isFull, sent < bytes.count {
      let isTaken = bytes[sent..<sent + Block.size].withUnsafeBytes { writer.receive(body: $0) }
      #expect(isTaken)
      sent += Block.size
    }
    isFree.signal()
    var looks = written.makeAsyncIterator()
    #expect(await looks.next() ?? 0 >= Int64(sent - Block.size))
    #expect(!writer.isFull)
    _ = await writer.end(.aborted)
  }
}
