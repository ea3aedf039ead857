import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Conflict copies of a folder's record") struct ConflictCopiesTests {
  @Test(
    "only what synchronizers make is a copy of a record",
    arguments: [
      (".podget.sync-conflict-20260101-120000-ABCDEFG.ndjson", true),
      (".podget (conflicted copy 2026-01-01 120000).ndjson", true),
      (".podget (Ada's conflicted copy 2026-01-01).ndjson", true),
      (".podget_conflict-20260101-120000.ndjson", true), (".podget.ndjson", false),
      (".podget.old.ndjson", false), (".podget.ndjson.new", false), (".podget (1).ndjson", false),
      ("podget.sync-conflict-1.ndjson", false),
    ])
  func names(name: String, isCopy: Bool) {
    #expect(FolderRecords.isConflictCopy(name) == isCopy)
  }

  private static let copy = ".podget.sync-conflict-1.ndjson"

  /// A line of an earlier version about one episode.
  private func line(
    _ kind: FolderFact.Kind, _ key: String = "a", at: String? = nil, downloadedAt: String? = nil
  ) throws -> String {
    let fact = FolderFact(
      fact: kind.rawValue, key: EpisodeKey(named: key),
      podcast: StoredPodcast(Podcast(title: "P")),
      episode: StoredEpisode(Episode(title: "E", enclosure: Enclosure(url: "u"))),
      file: EntryName("\(key).mp3"), bytes: 5, downloadedAt: downloadedAt, at: at)
    return String(decoding: try RecordEncoder.data(fact, for: "test"), as: UTF8.self)
  }

  /// What a record and a copy of it say, before and after they are merged.
  private func entries(_ own: [String], _ other: [String]) throws -> [[FolderContents.Entry]] {
    let folder = try TemporaryFolder()
    let directory = try OpenFile.folder(folder.path, creating: false)
    try folder.write(FolderRecords.name, own.joined(separator: "\n"))
    try folder.write(Self.copy, other.joined(separator: "\n"))
    let lines = try FolderRecords.read(in: directory)
    let added = FolderRecords.read([Self.copy], in: directory, besides: lines) { _ in }
    let before = FolderContents(lines + (added ?? [])).entries
    #expect(try FolderRecords.merge(Self.copy, in: directory))
    return [before, FolderContents(try FolderRecords.read(in: directory)).entries]
  }

  @Test("a merged copy's lines are added once, and unknown ones too") func absorbing() throws {
    let folder = try TemporaryFolder()
    let directory = try OpenFile.folder(folder.path, creating: false)
    let lines = try ["a", "b"].map { try line(.finished, $0) }
    try folder.write(FolderRecords.name, "one\n\(lines[0])")
    try folder.write(Self.copy, "\(lines[0])\n{\"torn\n\(lines[1])\nthree\nthree")
    #expect(try FolderRecords.merge(Self.copy, in: directory))
    #expect(
      String(decoding: try folder.read(FolderRecords.name), as: UTF8.self)
        == "one\n\(lines[0])\n{\"torn\n\(lines[1])\nthree\n")
    #expect(folder.files == [FolderRecords.name])
  }

  @Test("an older podget's copy from before a removal does not bring the episode back")
  func removed() throws {
    let own = [
      try line(.finished, downloadedAt: "2024-01-02T00:00:00Z"),
      try line(.removed, at: "2024-01-03T00:00:00Z"),
    ]
    let other = [
      try line(.finished, downloadedAt: "2024-01-01T00:00:00Z"),
      try line(.removed, at: "2024-01-01T12:00:00Z"), try line(.finished, "b"),
    ]
    for entries in try entries(own, other) {
      #expect(entries.map(\.removedAt) == ["2024-01-03T00:00:00Z", nil])
    }
  }

  @Test("an older podget's copy with a later removal and a later star counts") func later() throws {
    let own = [
      try line(.finished, downloadedAt: "2024-01-02T00:00:00Z"),
      try line(.starred, at: "2024-01-03T00:00:00Z"),
    ]
    let other = [
      own[0], try line(.unstarred, at: "2024-01-04T00:00:00Z"),
      try line(.removed, at: "2024-01-05T00:00:00Z"),
    ]
    for entries in try entries(own, other) {
      #expect(entries.map(\.removedAt) == ["2024-01-05T00:00:00Z"])
      #expect(entries.map(\.isStarred) == [false])
    }
  }

  @Test("a file without a line of podget, and one in use, are left alone") func foreign() throws {
    let folder = try TemporaryFolder()
    let directory = try OpenFile.folder(folder.path, creating: false)
    try folder.write(Self.copy, "mine\n")
    #expect(try !FolderRecords.merge(Self.copy, in: directory))
    #expect(folder.files == [Self.copy])
    try folder.write(Self.copy, try line(.finished))
    let user = try OpenFile.open(Self.copy, in: directory, flags: O_RDONLY)
    #expect(flock(user.number, LOCK_EX) == 0)
    #expect(try !FolderRecords.merge(Self.copy, in: directory))
    #expect(flock(user.number, LOCK_UN) == 0)
    #expect(folder.files == [Self.copy])
    #expect(try FolderRecords.merge(Self.copy, in: directory))
    #expect(folder.files == [FolderRecords.name])
  }

  @Test("what cannot be a copy does not hide the record") func unreadable() throws {
    let folders = try LibraryFolders()
    try folders.add("a", to: "P")
    let names = ["folder", "link", "large"].map { "P/.podget.sync-conflict-\($0).ndjson" }
    try FileManager.default.createDirectory(
      atPath: folders.folder.path(names[0]), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path(names[1]), withDestinationPath: "nowhere")
    try folders.folder.write(names[2], "")
    #expect(truncate(folders.folder.path(names[2]), 100 << 20) == 0)
    let changes = FolderScan(root: folders.library.root).changes(since: [])
    #expect(changes.episodes.all.map(\.status) == [.complete])
    #expect(changes.unreadable.isEmpty && changes.conflicts.isEmpty)
    #expect(changes.refused.map(\.path) == [names[2]])
    #expect(names.allSatisfy { folders.folder.contains($0) || $0 == names[1] })
  }
}
