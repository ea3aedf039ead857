import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Records of unfinished downloads") struct PartialFolderTests {
  private let library: TemporaryFolder
  private let partials: PartialFolder
  private static let a = EpisodeKey(named: "a").text
  private static let b = EpisodeKey(named: "b").text
  private static let c = EpisodeKey(named: "c").text

  init() throws {
    library = try TemporaryFolder()
    partials = try PartialFolder(
      library: try OpenFile.folder(library.path, creating: false))
  }

  private func record(_ key: String) -> PartialRecord {
    var record = PartialRecord(
      DownloadPlan(
        key: key,
        podcast: Podcast(
          id: 1, title: "P", author: "A", feedURL: "https://a.example/f", artworkURL: "x"),
        episode: Episode(
          id: 2, guid: "g", title: "Ü", date: Date(timeIntervalSince1970: 1_676_563_217),
          duration: .seconds(61),
          enclosure: Enclosure(
            url: "https://a.example/b%2Fc.mp3", length: 9, mimeType: "audio/mpeg",
            fileExtension: "mp3"), season: 3, number: 4, kind: .bonus, artworkURL: "y"),
        folder: "P", stem: "S", announcedExtension: "mp3"))
    record.state = ResumeState(
      generation: 2, validator: Validator(etag: "\"a\"", lastModified: "b", date: "c"), total: 10,
      contentType: "audio/mpeg", durableLength: 5, bootID: "boot", inode: 77)
    record.failure = .httpStatus
    return record
  }

  @Test(
    "a record comes back as it was, and so does its plan",
    arguments: [PartialFolder.Durability.none, .contents, .whole])
  func roundTrip(durability: PartialFolder.Durability) throws {
    try partials.write(record("a"), durability)
    let read = try #require(try partials.read(Self.a))
    #expect(read == record("a"))
    #expect(read.plan == record("a").plan)
    #expect(library.files == [".podget/partial/\(Self.a).json"])
  }

  @Test("the last one written counts, and no other file remains")
  func overwritten() throws {
    var newer = record("a")
    newer.state?.generation = 3
    try partials.write(record("a"), .none)
    try partials.write(newer, .none)
    #expect(try partials.read(Self.a) == newer)
    #expect(library.files == [".podget/partial/\(Self.a).json"])
  }

  @Test("a record that would not be read again is not written; the old one stays")
  func tooLarge() throws {
    try partials.write(record("a"), .none)
    var large = record("a")
    large.episode.title = String(repeating: "a", count: 1 << 20)
    let error = #expect(throws: DiskError.self) { try partials.write(large, .none) }
    #expect(error?.number == EFBIG)
    #expect(try partials.read(Self.a) == record("a"))
    #expect(library.files == [".podget/partial/\(Self.a).json"])
  }

  @Test("a damaged record is ignored", arguments: ["", "{", "[]", "{}", "\0\0\0"])
  func damaged(content: String) throws {
    try library.write(".podget/partial/\(Self.a).json", content)
    #expect(try partials.read(Self.a) == nil)
    #expect(partials.all().isEmpty)
  }

  @Test("a record under another episode's name is ignored")
  func misplaced() throws {
    try partials.write(record("a"), .none)
    try FileManager.default.copyItem(
      atPath: library.path(".podget/partial/\(Self.a).json"),
      toPath: library.path(".podget/partial/\(Self.b).json"))
    #expect(throws: DiskError.self) { try partials.read(Self.b) }
    #expect(partials.all().map(\.key) == ["a"])
  }

  @Test("all records are listed, without removed ones")
  func all() throws {
    for key in ["c", "a", "b"] { try partials.write(record(key), .none) }
    try library.write(".podget/partial/\(Self.a).part", "bytes")
    #expect(partials.all().map(\.key) == ["a", "b", "c"])
    #expect(partials.partSize(Self.a) == 5)
    #expect(partials.partSize("b") == nil)
    partials.removeRecord(Self.a)
    partials.removeRecord(Self.b)
    #expect(library.files == [".podget/partial/\(Self.a).part", ".podget/partial/\(Self.c).json"])
    partials.removeRecord("never was")
  }

  @Test("space that a killed process had reserved is released, and not that of a running one")
  func reservations() throws {
    for key in ["a", "b"] { try partials.write(record(key), .none) }
    var killed = try partials.openPart("a")
    let running = try partials.openPart("b")
    for part in [try #require(killed), try #require(running)] {
      try part.write([UInt8](repeating: 7, count: 10), at: 0)
      try part.reserve(8 << 20)
    }
    killed = nil
    partials.sweep()
    #expect(partials.folder.status(of: "a.part")?.hasReservation == false)
    #expect(partials.folder.status(of: "b.part")?.hasReservation == true)
    #expect(partials.partSize("a") == 10)
  }

  @Test(
    "a damaged record is reported and stays, what a kill or a power failure left goes",
    arguments: [
      ("garbage{", "bytes", true), ("{\"key\":\"", "bytes", true), ("garbage{", nil, false),
      ("garbage{", "", false), ("", "bytes", false), ("\0\0\0", "bytes", false),
    ])
  func damaged(content: String, part: String?, isReported: Bool) throws {
    try library.write(".podget/partial/\(Self.a).json", content)
    if let part { try library.write(".podget/partial/\(Self.a).part", part) }
    #expect(
      partials.contents().refused.map(\.path)
        == (isReported ? [".podget/partial/\(Self.a).json"] : []))
    partials.sweep()
    #expect(library.files.isEmpty == !isReported)
    try partials.write(record("a"), .none)
    #expect(partials.contents().refused.isEmpty && partials.all().map(\.key) == ["a"])
  }

  @Test("the library reports unfinished downloads, and lists those with bytes")
  func unfinished() throws {
    try partials.write(record("a"), .none)
    try partials.write(record("b"), .none)
    try library.write(".podget/partial/\(Self.a).part", "bytes")
    let found = try #require(try Library.open(library.path, creating: false))
    #expect(found.unfinished().map(\.plan.episodeKey) == ["a", "b"])
    #expect(found.unfinished().map(\.failure) == [.httpStatus, .httpStatus])
    let episodes = found.episodes()
    #expect(episodes.map(\.plan.episodeKey) == ["a"])
    #expect(episodes.map(\.status) == [.partial])
    #expect(episodes.map(\.bytes) == [5])
    #expect(episodes.map(\.total) == [10])
    #expect(episodes.map(\.path) == ["P/S.mp3"])
  }
}
