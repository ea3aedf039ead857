import Dispatch
import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Records in step with their files") struct RecordKeeperTests {
  private let library: TemporaryFolder
  private let partials: PartialFolder
  private let keeper: RecordKeeper

  init() throws {
    library = try TemporaryFolder()
    partials = try PartialFolder(library: try FileDescriptor.folder(library.path, creating: false))
    var record = PartialRecord(
      DownloadPlan(
        key: "key", podcast: Podcast(id: 1, title: "P"),
        episode: Episode(guid: "g", title: "T", enclosure: Enclosure(url: "https://a.example/b")),
        folder: "P", stem: "T", announcedExtension: "mp3"))
    record.state = ResumeState(
      generation: 1, validator: Validator(), total: nil, durableLength: 5, bootID: "boot", inode: 1)
    keeper = RecordKeeper(record, in: partials)
  }

  /// Keeps a thread in the middle of an update until it is let go.
  private func busyUpdate(_ body: () async throws -> Void) async throws {
    let (hold, isThere) = (DispatchSemaphore(value: 0), OnceFlag())
    let keeper = keeper
    async let update: Void = withCheckedContinuation { continuation in
      Thread {
        try? keeper.update(.whole) { record in
          _ = isThere.take()
          hold.wait()
          record.state?.durableLength = 6
          return true
        }
        continuation.resume()
      }.start()
    }
    try await waitUntil("the update is under way") { isThere.isTaken }
    do {
      try await body()
    } catch {
      hold.signal()
      throw error
    }
    hold.signal()
    await update
  }

  @Test("whoever only wants to know does not wait for file work")
  func reading() async throws {
    let keeper = keeper
    try await busyUpdate {
      let isRead = OnceFlag()
      Thread {
        if !keeper.hasFailedSync, keeper.current.state?.durableLength == 5 { _ = isRead.take() }
      }.start()
      try await waitUntil("the record is read", timeout: .seconds(20)) { isRead.isTaken }
    }
    #expect(keeper.current.state?.durableLength == 6)
    #expect(try partials.read(EpisodeKey(named: "key").text)?.state?.durableLength == 6)
  }

  @Test("what asks a writer for its bytes does not wait for file work either")
  func readingBytes() async throws {
    let part = try #require(try partials.openPart("key"))
    let keeper = keeper
    let writer = PartWriter(
      part: part, keeper: keeper, held: HeldBytes(), hasher: nil, pool: BlockPool(limit: 2),
      disk: DiskQueue(lanes: 1), send: { _ in })
    writer.begin(HTTPRequest(url: "http://a.example/b"), announcedRestart: false, keepsHeld: false)
    try await busyUpdate {
      let isInStep = OnceFlag()
      Thread {
        _ = writer.receive(head: .whole(length: 300_000, etag: "a"))
        _ = isInStep.take()
        // Here the record is to name the new version, and its lane is taken.
        MP3Maker.bytes(seed: 1, length: 300_000).withUnsafeBytes { _ = writer.receive(body: $0) }
      }.start()
      try await waitUntil("the body is there") { isInStep.isTaken }
      let isRead = OnceFlag()
      Thread { if writer.held.count == 0 { _ = isRead.take() } }.start()
      try await waitUntil("the count is read", timeout: .seconds(20)) { isRead.isTaken }
    }
    try await waitUntil("the body is written") { writer.held.count > 0 }
  }

  @Test("a failed sync sticks until a new version begins, whatever is written meanwhile")
  func sticky() throws {
    #expect(throws: DiskError.self) {
      try keeper.syncing { () throws(DiskError) in throw DiskError(EIO, "sync", "key.part") }
    }
    #expect(keeper.hasFailedSync)
    #expect(try partials.read(EpisodeKey(named: "key").text)?.state?.bootID == nil)
    try keeper.update(.none) { record in
      record.episode.url = "https://b.example/"
      return true
    }
    #expect(keeper.hasFailedSync)
    try keeper.update(.none) { record in
      record.state?.generation = 2
      record.state?.bootID = nil
      return true
    }
    // The new version shares its beginning with the bytes that may be lost.
    #expect(keeper.hasFailedSync)
    try keeper.update(.none) { record in
      record.state?.generation = 3
      record.state?.bootID = "boot"
      return true
    }
    #expect(!keeper.hasFailedSync)
  }

  @Test("a record that was removed does not come back by late work") func removed() throws {
    try keeper.update(.none) { record in
      record.state?.durableLength = 7
      return true
    }
    keeper.remove()
    try keeper.update(.whole) { record in
      record.state?.durableLength = 8
      return true
    }
    try? keeper.syncing { () throws(DiskError) in throw DiskError(EIO, "sync", "it") }
    #expect(try partials.read(EpisodeKey(named: "key").text) == nil)
  }

  @Test("the length of one version is never noted for the next one")
  func checkpoints() async throws {
    let part = try #require(try partials.openPart("key"))
    let writer = PartWriter(
      part: part, keeper: keeper, held: HeldBytes(), hasher: nil, pool: BlockPool(limit: 2),
      disk: DiskQueue(lanes: 1), send: { _ in })
    let isOver = OnceFlag()
    async let checkpoints: Void = withCheckedContinuation { continuation in
      Thread {
        while !isOver.isTaken { try? writer.checkpoint() }
        continuation.resume()
      }.start()
    }
    for round in 1...60 as ClosedRange<UInt64> {
      // A long version and a short one in turn, of which nothing is the same.
      let length: Int64 = round.isMultiple(of: 2) ? 6_000 : 700_000
      let bytes = MP3Maker.bytes(seed: round, length: length).prefix(Int(length))
      writer.begin(
        HTTPRequest(url: "http://a.example/b"), announcedRestart: false, keepsHeld: false)
      #expect(writer.receive(head: .whole(length: length, etag: "\(round)")))
      #expect(bytes.withUnsafeBytes { writer.receive(body: $0) })
      let report = writer.end(isComplete: false)
      #expect(report.held == length)
      let durable = keeper.current.state?.durableLength ?? 0
      #expect(durable <= length, "round \(round)")
    }
    _ = isOver.take()
    await checkpoints
    #expect(keeper.current.state?.durableLength ?? 0 <= 6_000)
  }
}

extension ResponseHead {
  /// The head of a good answer with a whole file.
  fileprivate static func whole(length: Int64, etag: String) -> ResponseHead {
    ResponseHead(
      status: 200,
      fields: [
        HTTPField("Content-Length", String(length)), HTTPField("Content-Type", "audio/mpeg"),
        HTTPField("ETag", "\"\(etag)\""),
      ])
  }
}
