import Foundation
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Part files") struct PartFileTests {
  private let folder: TemporaryFolder
  private let directory: OpenFile

  init() throws {
    folder = try TemporaryFolder()
    directory = try OpenFile.folder(folder.path, creating: false)
  }

  private func write(_ text: String, to part: PartFile, at offset: Int64 = 0) throws {
    try Array(text.utf8).withUnsafeBytes { bytes in try part.write(bytes, at: offset) }
  }

  @Test("a second owner is refused until the first releases the lock")
  func lock() throws {
    var first = try PartFile.open("a.part", in: directory)
    #expect(first != nil)
    #expect(try PartFile.open("a.part", in: directory) == nil)
    #expect(try PartFile.open("b.part", in: directory) != nil)
    first = nil
    #expect(try PartFile.open("a.part", in: directory) != nil)
  }

  @Test("written bytes are read back, and a short file returns what it has")
  func bytes() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    try write("hello", to: part)
    try write("LO!", to: part, at: 3)
    #expect(try part.bytes(100, at: 0) == Array("helLO!".utf8))
    #expect(try part.bytes(2, at: 5) == Array("!".utf8))
    #expect(try part.bytes(2, at: 6).isEmpty)
    #expect(try part.size() == 6)
  }

  @Test("reserved space does not change the size")
  func reserve() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    try write("hello", to: part)
    try part.reserve(1 << 20)
    #expect(try part.size() == 5)
    try part.truncate(to: 2)
    #expect(try folder.read("a.part") == Array("he".utf8))
  }

  @Test("more space than any disk has is refused as full, and nothing stays reserved")
  func noRoom() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    try write("hello", to: part)
    do {
      try part.reserve(1 << 60)
      Issue.record("There cannot be an exbibyte here.")
    } catch {
      #expect(error.isFull || error.number == EFBIG)
    }
    #expect(try part.size() == 5)
  }

  /// The size of a file on disk, by its blocks.
  private func allocated(_ name: String) throws -> Int64 {
    var status = stat()
    try #require(stat(folder.path(name), &status) == 0)
    return Int64(status.st_blocks) * 512
  }

  @Test("space is reserved in steps, whatever length is announced, and released")
  func steps() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    try write("hello", to: part)
    let step = PartFile.reservationStep
    #expect(try part.reserve(3 * step) == step)
    #expect(part.hasReservation)
    #expect((step...(step + 1 << 20)).contains(try allocated("a.part")))
    #expect(try part.reserve(3 * step, after: step) == 2 * step)
    #expect(try part.reserve(3 * step, after: .max - 1) == 3 * step)
    part.release()
    #expect(!part.hasReservation)
    #expect(try allocated("a.part") < 1 << 16)
    #expect(try part.size() == 5)
    #expect(try part.bytes(9, at: 0) == Array("hello".utf8))
  }

  @Test("a file that does not fit on the disk is refused before anything is reserved")
  func noRoomInAll() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    for length in [1 << 50, .max] as [Int64] {
      let error = #expect(throws: DiskError.self) { try part.reserve(length) }
      #expect(error?.isFull == true)
      #expect(!part.hasReservation)
    }
  }

  @Test(
    "times that no file system supports are ignored",
    arguments: [.nan, .infinity, -.infinity, 1e300, -1e18, 253_402_300_800, -62_167_219_201.0])
  func oddTime(seconds: Double) throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    #expect(!part.setModificationTime(seconds))
  }

  @Test("times of long ago and far ahead are set as near as the file system can")
  func farTime() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    for seconds in [-62_000_000_000, -1, -0.5, 253_402_300_799, 0.999_999_999_9] {
      part.setModificationTime(seconds)
    }
    // Nanoseconds since 1970 cannot represent the year 9999; that must not trap.
    part.setModificationTime(253_402_300_799)
    #expect(part.file.status != nil)
  }

  @Test("the final name is set once, and never replaces another file")
  func rename() throws {
    try folder.write("taken.mp3", "foreign")
    let part = try #require(try PartFile.open("a.part", in: directory))
    try write("hello", to: part)
    #expect(try part.place(as: "taken.mp3", in: directory, replacing: false) == .taken)
    #expect(try folder.read("taken.mp3") == Array("foreign".utf8))
    #expect(folder.contains("a.part"))
    #expect(try part.place(as: "free.mp3", in: directory, replacing: false) == .renamed)
    #expect(folder.files == ["free.mp3", "taken.mp3"])
    #expect(try folder.read("free.mp3") == Array("hello".utf8))
  }

  @Test("replacing on purpose replaces")
  func replace() throws {
    try folder.write("old.mp3", "old")
    let part = try #require(try PartFile.open("a.part", in: directory))
    try write("new", to: part)
    #expect(try part.place(as: "old.mp3", in: directory, replacing: true) == .renamed)
    #expect(folder.files == ["old.mp3"])
    #expect(try folder.read("old.mp3") == Array("new".utf8))
  }

  @Test("a link in its place is not followed")
  func link() throws {
    try folder.write("victim", "mine")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("a.part"), withDestinationPath: "victim")
    #expect(throws: DiskError.self) { try PartFile.open("a.part", in: directory) }
    #expect(try folder.read("victim") == Array("mine".utf8))
  }

  @Test("the modification time is set to the second and below", arguments: [0, 1_676_563_217.25])
  func time(seconds: Double) throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    part.setModificationTime(seconds)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("a.part"))
    let date = try #require(attributes[.modificationDate] as? Date)
    #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
  }

  @Test("the checksum is that of the complete file")
  func checksum() throws {
    let part = try #require(try PartFile.open("a.part", in: directory))
    #expect(
      try part.sha256() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    try write("abc", to: part)
    #expect(
      try part.sha256() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
