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

  @Test("a merged copy's lines are added once, and unknown ones too") func absorbing() throws {
    let folder = try TemporaryFolder()
    let directory = try OpenFile.folder(folder.path, creating: false)
    let copy = ".podget.sync-conflict-1.ndjson"
    try folder.write(FolderRecords.name, "one\ntwo")
    try folder.write(copy, "two\n{\"torn\nthree\nthree")
    try FolderRecords.merge(copy, in: directory)
    #expect(
      String(decoding: try folder.read(FolderRecords.name), as: UTF8.self)
        == "one\ntwo\n{\"torn\nthree\n")
    #expect(folder.files == [FolderRecords.name])
  }
}
