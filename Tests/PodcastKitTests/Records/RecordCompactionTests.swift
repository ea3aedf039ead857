import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Compacting a folder's record") struct RecordCompactionTests {
  private static let podcast = StoredPodcast(Podcast(title: "P"))
  private let folder: TemporaryFolder
  private let directory: OpenFile

  init() throws {
    folder = try TemporaryFolder()
    directory = try OpenFile.folder(folder.path, creating: false)
  }

  private static func fact(
    _ kind: FolderFact.Kind, _ key: String, at: String? = nil
  ) -> FolderFact {
    FolderFact(
      fact: kind.rawValue, key: EpisodeKey(named: key), podcast: podcast,
      episode: StoredEpisode(Episode(title: key, enclosure: Enclosure(url: "u"))),
      file: EntryName(checked: "\(key).mp3"), bytes: 5, at: at)
  }

  private static func line(_ fact: FolderFact) throws -> String {
    String(decoding: try JSONEncoder().encode(fact), as: UTF8.self)
  }

  private func compacted(_ lines: [String]) -> [String]? {
    RecordCompaction.compacted(Data((lines.joined(separator: "\n") + "\n").utf8)).map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private var names: [String] { folder.files }

  @Test("superseded lines are removed; the others stay as they were written")
  func needless() throws {
    let lines = try [
      Self.line(Self.fact(.finished, "a")), Self.line(Self.fact(.starred, "a")),
      Self.line(Self.fact(.unstarred, "a")), Self.line(Self.fact(.removed, "a", at: "1")),
      Self.line(Self.fact(.finished, "a")), Self.line(Self.fact(.starred, "a")),
      Self.line(Self.fact(.removed, "b")), Self.line(Self.fact(.finished, "b")),
      Self.line(Self.fact(.starred, "b")), Self.line(Self.fact(.starred, "b")),
      Self.line(Self.fact(.removed, "b", at: "2")),
    ]
    #expect(compacted(lines) == [4, 5, 7, 9, 10].map { lines[$0] })
  }

  @Test("kinds, versions and fields of a newer podget and unreadable lines stay")
  func unknown() throws {
    let needless = try (0..<20).map { _ in try Self.line(Self.fact(.starred, "a")) }
    let newer = try Self.line(Self.fact(.starred, "a"))
      .replacing("\"version\":2", with: "\"version\":4")
    let kept = try [
      Self.line(FolderFact(fact: "dreamed", key: "a", podcast: Self.podcast)),
      "{\"fact\":\"fini", newer,
      try Self.line(Self.fact(.finished, "a")).replacing("{\"", with: "{\"mood\":\"good\",\""),
    ]
    let last = try Self.line(Self.fact(.starred, "a"))
    #expect(compacted(kept + needless + [last]) == kept + [last])
  }

  @Test("the line that names a podcast's image stays, whatever is said of the podcast after it")
  func cover() throws {
    let podcast = StoredPodcast(Podcast(title: "Show"))
    let image = EpisodeFile(role: "cover", path: "cover.jpg", bytes: 3, sha256: nil)
    let named = try Self.line(FolderFact(cover: image, of: podcast, at: "2024-01-02T03:04:05Z"))
    let other = try Self.line(FolderFact(fact: "podcast", podcast: podcast))
    #expect(compacted([named] + Array(repeating: other, count: 9)) == [named, other])
  }

  @Test("a line that is too long to be read supersedes no other")
  func tooLong() throws {
    let star = try Self.line(Self.fact(.starred, "a"))
    // More than the long line has, since a record shrinks only where it becomes half as long.
    let needless = Array(repeating: star, count: (2 << 20) / star.utf8.count)
    let file = try Self.line(Self.fact(.finished, "a"))
    let spaces = String(repeating: " ", count: 1 << 20)
    let long = file.replacing("{\"", with: "{\(spaces)\"", maxReplacements: 1)
    let isRight = compacted([file] + needless + [long]) == [file, star, long]
    #expect(isRight)
  }

  @Test("while half of the bytes are current, nothing is done") func unpaid() throws {
    let star = try Self.line(Self.fact(.starred, "a"))
    let file = try Self.line(Self.fact(.finished, "a"))
    #expect(compacted([file, star, star, star]) == nil)
    #expect(compacted([file, star, star, star, star]) == [file, star])
    #expect(compacted([]) == nil)
    var long = Self.fact(.finished, "a")
    long.episode?.guid = String(repeating: "g", count: 1_000)
    let only = try Self.line(long)
    #expect(compacted([only, star, star, star, star]) == nil)
  }

  @Test("a record is checked when it passes a power of two")
  func due() {
    func isDue(_ size: Int64, after before: Int64) -> Bool {
      RecordCompaction.isDue(size, after: before, smallest: 100)
    }
    #expect(!isDue(99, after: 0))
    #expect(isDue(100, after: 99))
    #expect(!isDue(199, after: 100))
    #expect(isDue(200, after: 199))
    #expect(!isDue(399, after: 200))
    #expect(isDue(1_000, after: 399))
    #expect(!isDue(100, after: 200))
    #expect(isDue(.max, after: 0))
    #expect(!isDue(.max, after: .max - 1))
  }

  @Test(
    "all checks together read no more than a few times what is written",
    arguments: [0, 1, 10, 100, 1_000])
  func looks(needed percent: Int) {
    // This many of a thousand lines count; the others are superseded immediately.
    let (line, lines) = (Int64(300), 200_000)
    var (size, counting, read) = (Int64(0), Int64(0), Int64(0))
    for number in 0..<lines {
      let before = size
      size += line
      if number % 1_000 < percent { counting += line }
      guard RecordCompaction.isDue(size, after: before) else { continue }
      read += size
      if size - counting > size / 2 { size = counting }
      #expect(size <= max(2 * counting, RecordCompaction.smallestSize))
    }
    #expect(read <= 4 * line * Int64(lines))
    #expect(size <= max(4 * counting, RecordCompaction.smallestSize))
  }

  @Test("a growing record is compacted, and means the same")
  func growing() throws {
    try FolderRecords.append([Self.fact(.finished, "a")], in: directory)
    for _ in 0..<200 {
      try FolderRecords.append([Self.fact(.unstarred, "a")], in: directory, compactingFrom: 2000)
      try FolderRecords.append([Self.fact(.starred, "a")], in: directory, compactingFrom: 2000)
    }
    #expect(try folder.read(FolderRecords.name).count < 4000)
    let entry = try #require(FolderContents(try FolderRecords.read(in: directory)).entry("a"))
    #expect(entry.isStarred && entry.file == "a.mp3")
    #expect(names == [FolderRecords.name])
  }

  @Test("files that a kill left next to the record are removed")
  func killed() throws {
    try folder.write("\(FolderRecords.name).new", "half a li")
    for _ in 0..<40 {
      try FolderRecords.append([Self.fact(.starred, "a")], in: directory, compactingFrom: 1000)
    }
    #expect(names == [FolderRecords.name])
  }

  @Test("the file keeps its permissions") func permissions() throws {
    try FolderRecords.append([Self.fact(.finished, "a")], in: directory)
    chmod(folder.path(FolderRecords.name), 0o664)
    for _ in 0..<40 {
      try FolderRecords.append([Self.fact(.starred, "a")], in: directory, compactingFrom: 1000)
    }
    let attributes = try FileManager.default.attributesOfItem(
      atPath: folder.path(FolderRecords.name))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o664)
    #expect(try folder.read(FolderRecords.name).count < 2000)
  }

  @Test(
    "a record of root belongs to the owner of its folder, and a shorter one to that of the record")
  func owner() throws {
    guard geteuid() == 0 else { return }
    let folder = try TemporaryFolder()
    let directory = try OpenFile.folder(folder.path, creating: false)
    func owner() throws -> [UInt32?] {
      var status = stat()
      try #require(stat(folder.path(FolderRecords.name), &status) == 0)
      return [status.st_uid, status.st_gid]
    }
    #expect(chown(folder.path, 12_345, 12_346) == 0)
    let entry = FolderContents.Entry(
      key: EpisodeKey(named: "a"), podcast: StoredPodcast(Podcast(title: "P")),
      episode: StoredEpisode(Episode(title: "E", enclosure: Enclosure(url: "u"))), file: "a.mp3")
    let fact = FolderFact(.finished, entry, at: Date())
    try FolderRecords.append([fact], in: directory)
    #expect(try owner() == [12_345, 12_346])
    #expect(chown(folder.path(FolderRecords.name), 12_347, 12_348) == 0)
    for _ in 0..<20 { try FolderRecords.append([fact], in: directory, compactingFrom: 1) }
    #expect(try folder.read(FolderRecords.name).split(separator: 0x0A).count < 20)
    #expect(try owner() == [12_347, 12_348])
  }

  @Test("writers at the same time lose nothing to a compaction")
  func concurrent() async throws {
    let directory = directory
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            try FolderRecords.append(
              [Self.fact(.finished, "\(writer) \(number)")], in: directory, compactingFrom: 500)
            for kind in [FolderFact.Kind.starred, .unstarred, .starred] {
              try FolderRecords.append(
                [Self.fact(kind, "\(writer) 0")], in: directory, compactingFrom: 500)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let facts = try FolderRecords.read(in: directory)
    #expect(FolderContents(facts).entries.count { $0.file != nil } == 200)
    #expect(facts.count < 600)
  }

  @Test("a record near the maximum size is checked more often") func nearLimit() {
    let limit = FolderRecords.maximumBytes
    let step: Int64 = 1 << 20
    var looks = 0
    for size in stride(from: limit / 2 + step, through: limit - step, by: Int(step)) {
      if RecordCompaction.isDue(size, after: size - step) { looks += 1 }
    }
    #expect(looks == 7)
  }
}
