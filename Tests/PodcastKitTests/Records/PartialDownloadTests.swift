import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("An unfinished episode on the disk") struct PartialDownloadTests {
  private let folder: TemporaryFolder
  private let library: Library
  private let partials: PartialFolder
  private let disk = DiskPool(threads: 1)
  private let plan = DownloadPlan(
    key: "key", podcast: Podcast(id: 1, title: "P"),
    episode: Episode(guid: "g", title: "T", enclosure: Enclosure(url: "https://a.example/b")),
    folder: "P", stem: "T", announcedExtension: "mp3")

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path("library"), creating: true))
    partials = try PartialFolder(library: library.root)
  }

  private static func head(_ etag: String, length: Int64 = 9) -> ResponseHead {
    ResponseHead(
      status: 200,
      fields: [
        HTTPField("ETag", "\"\(etag)\""), HTTPField("Content-Length", String(length)),
      ])
  }

  private static func begin(
    _ etag: String, total: Int64 = 9, in partial: inout PartialDownload
  ) throws {
    try partial.begin(head(etag, length: total), from: "https://a.example/b", total: total)
  }

  private func open() throws -> Lane<PartialDownload> {
    let committer = Committer(library: library, partials: partials) { Date() }
    let end = ContinuousClock.now + .seconds(60)
    while true {
      let opening = try PartialDownload.open(
        plan, in: library, partials, committer, isForced: false, computesChecksum: true,
        flag: CancelFlag())
      switch consume opening {
      case .opened(let partial): return Lane(partial, on: disk)
      // A program that another test starts has all locks until it runs.
      case .taken where .now < end: usleep(1000)
      default: throw PodgetError(.disk, "It should be there to begin.")
      }
    }
  }

  private func recorded() throws -> PartialRecord? { try partials.read(plan.key) }

  private static func append(
    _ bytes: some Sequence<UInt8>, to partial: inout PartialDownload
  ) throws {
    try Array(bytes).withUnsafeBytes { try partial.append($0) }
  }

  @Test("the state of one run is there in the next one")
  func continues() throws {
    let first = try open()
    try first.use { partial in
      try Self.begin("1", in: &partial)
      try Self.append("ID3abc".utf8, to: &partial)
      try partial.suspend(nil, at: Date())
    }
    #expect(try recorded()?.state?.durableLength == 6)
    #expect(try recorded()?.state?.proofs?.map(\.length) == [6])
    try withExtendedLifetime(first) {
      let committer = Committer(library: library, partials: partials) { Date() }
      let opening = try PartialDownload.open(
        plan, in: library, partials, committer, isForced: false, computesChecksum: true,
        flag: CancelFlag())
      guard case .taken = opening else { throw PodgetError(.disk, "It should be locked.") }
    }
  }

  @Test(
    "only what the user cannot change is a failure for good",
    arguments: [
      (401, false), (407, false), (403, true), (404, true), (410, true), (451, true), (400, true),
    ])
  func failures(status: Int, isForGood: Bool) throws {
    let error = PodgetError(.httpStatus, "No.", httpStatus: status)
    let (first, second) = (Date(timeIntervalSince1970: 1000), Date(timeIntervalSince1970: 2000))
    for time in [first, second] {
      try open().use { partial in
        try Self.begin("1", in: &partial)
        try partial.suspend(error, at: time)
      }
    }
    let unfinished = try #require(library.unfinished().first)
    #expect(unfinished.failure == (isForGood ? .httpStatus : nil))
    #expect(unfinished.failingSince == first && unfinished.failedAt == second)
    try open().use { try $0.suspend(nil, at: second) }
    #expect(library.unfinished().first?.failedAt == nil)
  }

  @Test("a finished file has the checksum of all runs together")
  func checksum() throws {
    let bytes = MP3Maker.bytes(seed: 1, length: 20_000)
    let total = Int64(bytes.count)
    try open().use { partial in
      try Self.begin("1", total: total, in: &partial)
      try Self.append(bytes[..<7_000], to: &partial)
      try partial.suspend(nil, at: Date())
    }
    let order = try open().use { partial -> Committer.Order? in
      #expect(partial.held.count == 7_000 && partial.held.total == total)
      try Self.append(bytes[7_000...], to: &partial)
      guard case .ready(let order) = try partial.finish() else { return nil }
      return order
    }
    try folder.write("reference", bytes)
    let reference = try PartFile.open(folder.path("reference"), in: library.root)?.sha256()
    #expect(order??.bytes == total)
    #expect(order??.sha256 == reference)
  }

  @Test("a text is no episode, and nothing of it is kept") func text() throws {
    try open().use { partial in
      try Self.begin("1", in: &partial)
      try Self.append("<html></h".utf8, to: &partial)
      guard case .notAudio = try partial.finish() else {
        throw PodgetError(.disk, "It should be refused.")
      }
    }
    #expect(!folder.files.contains { $0.hasSuffix(".part") })
  }

  @Test("a failed sync counts until a version does not depend on the lost bytes")
  func sticky() throws {
    let partial = try open()
    try partial.use { partial in
      try Self.begin("1", in: &partial)
      try Self.append(MP3Maker.bytes(seed: 1, length: 9_000), to: &partial)
      #expect(throws: DiskError.self) {
        try partial.log.syncing { () throws(DiskError) in throw DiskError(EIO, "sync", "key.part") }
      }
      #expect(partial.log.hasFailedSync)
      #expect(try recorded()?.state?.bootID == nil)
      let checkpoint = partial.checkpoint()
      #expect(checkpoint == nil)
      let finish = Result { () throws(DiskError) in try partial.finish() }
      #expect(throws: DiskError.self) { try finish.get() }

      // It shares its beginning with the bytes that may be lost.
      try Self.begin("2", in: &partial)
      #expect(partial.log.hasFailedSync)
      #expect(try recorded()?.state?.bootID == nil)

      try partial.cut(to: 0)
      try Self.begin("1", in: &partial)
      #expect(!partial.log.hasFailedSync)
      #expect(try recorded()?.state?.bootID != nil)
    }
  }

  @Test("a checkpoint confirms nothing after a failed sync") func lateCheckpoint() throws {
    let partial = try open()
    let late = try partial.use { partial in
      try Self.begin("1", in: &partial)
      try Self.append("ID3abcdef".utf8, to: &partial)
      return partial.checkpoint()
    }
    partial.use { partial in
      try? partial.log.syncing { () throws(DiskError) in throw DiskError(EIO, "sync", "key.part") }
    }
    try (late ?? nil)?.write()
    #expect(try recorded()?.state?.durableLength == 0)
  }

  @Test("late work does not recreate a removed record") func removed() throws {
    let partial = try open()
    let checkpoint = try partial.use { partial in
      try Self.begin("1", in: &partial)
      try Self.append("ID3".utf8, to: &partial)
      return partial.checkpoint()
    }
    partial.use { $0.log.remove() }
    try (checkpoint ?? nil)?.write()
    try partial.use { try Self.begin("2", in: &$0) }
    #expect(try recorded() == nil)
  }

  @Test("facts about one version count for no other")
  func checkpoints() throws {
    let partial = try open()
    let late = try partial.use { partial in
      try Self.begin("1", in: &partial)
      try Self.append("ID3abcdef".utf8, to: &partial)
      return partial.checkpoint()
    }
    try partial.use { partial in
      try partial.cut(to: 0)
      try Self.begin("2", in: &partial)
      try Self.append("ID3".utf8, to: &partial)
    }
    try (late ?? nil)?.write()
    #expect(try recorded()?.state?.durableLength == 0)
    #expect(try recorded()?.state?.proofs?.isEmpty != false)
    let present = partial.use { $0.checkpoint() }
    try (present ?? nil)?.write()
    #expect(try recorded()?.state?.durableLength == 3)
    #expect(try recorded()?.state?.proofs?.map(\.length) == [3])
  }

  @Test("lines that change a record, complete, torn and wrong")
  func lines() throws {
    let name = "library/.podget/partial/\(plan.key).json"
    let partial = try open()
    try partial.use { try Self.begin("1", in: &$0) }
    let good = String(decoding: try folder.read(name), as: UTF8.self)
    let state = try #require(try recorded()?.state)
    // A torn line is ignored, and the lines after it are read.
    try folder.write(
      name, good + "{\"state\":{\"gene" + "\n{\"finalName\":\"T (2).mp3\"}\n\0\0\0\n")
    #expect(try recorded()?.state == state)
    #expect(try recorded()?.finalName?.text == "T (2).mp3")
    // Of an added line only its length reached the disk, and none of its bytes.
    let first = String(good.prefix { $0 != "\n" })
    let added = String(good.dropFirst(first.count))
    try folder.write(name, first + String(repeating: "\0", count: 90) + added)
    #expect(try recorded()?.plan == plan)
    #expect(try recorded()?.state == state)
    // What podget never writes is rejected, as in the first line.
    for line in [
      #"{"finalName":"../evil.mp3"}"#, #"{"checkpoint":{"generation":1,"durableLength":-1}}"#,
    ] {
      try folder.write(name, good + line + "\n")
      #expect(throws: DiskError.self, "\(line)") { try recorded() }
    }
  }
}
