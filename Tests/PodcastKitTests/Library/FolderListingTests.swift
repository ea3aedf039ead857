import Glibc
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// The names of a large folder are the same, whether one processor lists them or two.
@Suite struct FolderListingTests {
  private let folder: TemporaryFolder
  private let opened: OpenFile

  init() throws {
    folder = try TemporaryFolder()
    opened = try OpenFile.folder(folder.path, creating: false)
  }

  /// Creates empty files, and folders among them.
  private func fill(_ numbers: some Sequence<Int>) throws {
    for number in numbers {
      if number % 5000 == 0 {
        try #require(mkdir(folder.path("folder \(number)"), 0o755) == 0)
      } else {
        let file = open(folder.path("file \(number)"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        try #require(file >= 0)
        close(file)
      }
    }
  }

  private func expectSame(_ middle: Int64?, _ comment: Comment) throws {
    let one = try FolderListing(opened)
    let two = try FolderListing(opened, middle: middle)
    #expect(two.names == one.names, comment)
    #expect(two.subfolders.sorted() == one.subfolders.sorted(), comment)
    #expect(two.hasCopies == one.hasCopies && two.hasLinks == one.hasLinks, comment)
  }

  @Test func `two halves are the whole`() throws {
    try fill(1...40_000)
    let first = try FolderListing(opened)
    let middle = try #require(first.middle)
    #expect(first.names.count == 40_000 && first.subfolders.count == 8)
    try expectSame(middle, "as it was")
    #expect(try FolderListing(opened, middle: middle).middle != nil)

    try folder.write(".podget.sync-conflict-20260101-120000-ABCDEFG.ndjson", "")
    try #require(symlink("file 1", folder.path("link")) == 0)
    try fill(40_001...41_000)
    try expectSame(middle, "with a copy, a link and more files")
    #expect(try FolderListing(opened, middle: middle).hasCopies)

    for number in 1..<20_000 where number % 5000 != 0 { unlink(folder.path("file \(number)")) }
    try expectSame(middle, "after many have gone")
    for place in [-1, 0, 1, 12_345, Int64.max, .min] { try expectSame(place, "at \(place)") }
  }

  @Test func `a small folder has no middle`() throws {
    try fill(1...100)
    #expect(try FolderListing(opened).middle == nil)
  }
}
