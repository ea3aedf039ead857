import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Scanning a library's folders") struct FolderScanTests {
  private let folders: LibraryFolders
  /// A minute after all that the tests do.
  private let later = Int64((Date().timeIntervalSince1970 + 60) * 1_000_000_000)

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
    try folders.add("b", to: "Q/R")
  }

  private func changes(since known: [KnownFolder], now: Int64? = nil) -> FolderChanges {
    FolderScan(root: folders.library.root, now: now ?? later).changes(since: known)
  }

  private func known(_ changes: FolderChanges) -> [KnownFolder] {
    changes.scanned.enumerated().map { index, folder in
      KnownFolder(id: Int64(index), path: folder.path, stamp: folder.stamp)
    }
  }

  @Test("an unchanged folder is not read again") func settled() {
    let all = changes(since: [])
    #expect(all.scanned.map(\.path.text) == ["", "P", "Q", "Q/R"])
    #expect(all.scanned.map(\.episodes.count) == [0, 1, 0, 1])
    #expect(changes(since: known(all)).isEmpty)
  }

  @Test("a folder that was just changed is read again")
  func unsettled() throws {
    let status = try #require(folders.library.root.status)
    let all = changes(since: [], now: FileStamp(status).changed)
    #expect(all.scanned.allSatisfy { $0.stamp == nil })
    #expect(changes(since: known(all)).scanned.count == 4)
  }

  @Test("a time without parts of a second, or of another machine, settles after three seconds")
  func grain() throws {
    let status = try #require(folders.library.root.status)
    var stamp = FileStamp(status)
    let second: Int64 = 1_000_000_000
    func settles(after milliseconds: Int64, isLocal: Bool = true) -> Bool {
      stamp.isSettled(at: stamp.changed + milliseconds * 1_000_000, isLocal: isLocal)
    }
    (stamp.modified, stamp.changed) = (5 * second, 5 * second)
    #expect(!settles(after: 2_900))
    #expect(settles(after: 3_100))
    (stamp.modified, stamp.changed) = (5 * second + 4, 5 * second + 4)
    #expect(!settles(after: 90))
    #expect(settles(after: 110))
    #expect(!settles(after: 2_900, isLocal: false))
  }

  @Test("a stamp is equal to its own text only") func texts() throws {
    let status = try #require(folders.library.root.status)
    let file = FileStamp(status)
    var stamp = FolderStamp(folder: file, records: file)
    stamp.records?.modified = -12
    #expect(stamp.isEqual(to: stamp.text))
    for other in [
      stamp.text + "1", String(stamp.text.dropLast()), stamp.text.replacing("-12", with: "12"),
      "", "no record", stamp.text + ", 1", "\(file.text), no record",
    ] {
      #expect(!stamp.isEqual(to: other))
    }
    #expect(!stamp.isEqual(to: nil))
    #expect(FolderStamp(folder: file).isEqual(to: "\(file.text), no record"))
  }

  @Test("only changed folders are read, and missing ones are reported") func partly() throws {
    let before = known(changes(since: []))
    try folders.add("c", to: "P")
    #expect(changes(since: before).scanned.map(\.path.text) == ["P"])
    try FileManager.default.removeItem(atPath: folders.folder.path("Q/R"))
    #expect(changes(since: before).gone.map(\.id) == [3])
  }

  @Test("a folder with a new line in its record is read again, although its names are the same")
  func record() throws {
    let before = known(changes(since: []))
    let record = "P/\(FolderRecords.name)"
    let file = try FileHandle(forWritingTo: URL(filePath: folders.folder.path(record)))
    try file.seekToEnd()
    try file.write(contentsOf: Data("\n".utf8))
    try file.close()
    #expect(changes(since: before).scanned.map(\.path.text) == ["P"])
  }

  @Test("an unreadable folder is checked each time, whatever its parent's state")
  func unreadable() throws {
    let record = folders.folder.path("P/\(FolderRecords.name)")
    try FileManager.default.moveItem(atPath: record, toPath: "\(record).away")
    try FileManager.default.createDirectory(atPath: record, withIntermediateDirectories: false)
    let first = changes(since: [])
    #expect(first.unreadable.map(\.path) == ["P/\(FolderRecords.name)"])
    let second = changes(since: known(first))
    #expect(second.unreadable == first.unreadable)
    try FileManager.default.removeItem(atPath: record)
    try FileManager.default.moveItem(atPath: "\(record).away", toPath: record)
    let third = changes(since: known(first))
    #expect(third.unreadable == [] && third.episodes.all.map(\.plan.episodeKey) == ["a"])
    #expect(changes(since: known(changes(since: []))).isEmpty)
  }

  @Test("links and hidden folders are ignored") func links() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path("L"), withDestinationPath: folders.folder.path("P"))
    try folders.folder.write(
      ".hidden/\(FolderRecords.name)", try folders.folder.read("P/\(FolderRecords.name)"))
    #expect(changes(since: []).scanned.map(\.path.text) == ["", "P", "Q", "Q/R"])
  }
}
