import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Folders whose names differ in case") struct FolderSpellingTests {
  @Test("processes that create one at once create one folder", arguments: 0..<20)
  func atOnce(round: Int) throws {
    let folder = try TemporaryFolder()
    let names = ["News", "NEWS", "news", "nEWS"]
    let opened = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: names.count) { number in
      // Each with its own descriptor, as processes have.
      guard let library = try? OpenFile.folder(folder.path, creating: false),
        (try? OpenFile.folder(names[number], in: library, creating: true)) != nil
      else { return }
      opened.withLock { $0 += 1 }
    }
    #expect(opened.withLock { $0 } == names.count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).count == 1)
  }

  @Test("an existing folder is opened by its own name first") func existing() throws {
    let folder = try TemporaryFolder()
    let library = try OpenFile.folder(folder.path, creating: false)
    for name in ["News", "NEWS"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: false)
    }
    for (name, path) in [("News", "News"), ("NEWS", "NEWS"), ("news", "NEWS")] {
      let opened = try OpenFile.folder(name, in: library, creating: true)
      #expect(try opened.isSameFolder(as: OpenFile.folder(path, in: library, creating: false)))
      let wanted = try #require(RelativePath(name))
      #expect(FolderSpelling.path(of: opened, openedAs: wanted, in: library) == path)
    }
    #expect(throws: DiskError.self) { try OpenFile.folder("nEWS", in: library, creating: false) }
  }
}
