import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastTransfer

/// A library's folder that was created, and that nobody used.
@Suite struct LibraryCreationTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("new") }

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> Library {
    let library = try #require(try Library.open(path, creating: true))
    try library.requirePartialFolder()
    return library
  }

  private var exists: Bool { (try? OpenFile.folder(path, creating: false)) != nil }

  @Test func `it goes again, with podget's own folders in it`() throws {
    let library = try open()
    try folder.write("new/.podget/subscriptions.opml.lock", "")
    #expect(exists)
    library.removeIfUnused()
    #expect(!exists)
  }

  @Test func `it stays while another one works in it, and goes with the last one`() throws {
    let first = try open()
    do {
      // Another process, which found a folder that was created a moment ago.
      let second = try open()
      first.removeIfUnused()
      #expect(exists)
      second.removeIfUnused()
      #expect(exists)
    }
    first.removeIfUnused()
    #expect(!exists)
  }

  @Test(arguments: ["new/a.mp3", "new/.podget/partial/a.json", "new/.podget/subscriptions.opml"])
  func `it stays if anything is in it`(file: String) throws {
    let library = try open()
    try folder.write(file, "mine")
    library.removeIfUnused()
    #expect(folder.contains(file))
  }

  @Test func `a folder that was there stays`() throws {
    _ = try open()
    let library = try open()
    library.removeIfUnused()
    #expect(exists)
  }
}
