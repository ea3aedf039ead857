import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastTransfer

@Suite("Libraries that are created") struct LibraryCreationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("an unused one is removed, but never another folder that has its name by then")
  func moved() throws {
    let library = try #require(try Library.open(folder.path("library"), creating: true))
    try library.requirePartialFolder()
    try FileManager.default.moveItem(
      atPath: folder.path("library"), toPath: folder.path("elsewhere"))
    try FileManager.default.createDirectory(
      atPath: folder.path("library"), withIntermediateDirectories: false)
    library.removeIfUnused()
    #expect(folder.contains("library") && folder.contains("elsewhere/.podget/partial"))
    try FileManager.default.removeItem(atPath: folder.path("library"))
    library.removeIfUnused()
    #expect(folder.contains("elsewhere/.podget/partial"))
    let other = try #require(try Library.open(folder.path("library"), creating: true))
    other.removeIfUnused()
    #expect(!folder.contains("library"))
  }
}
