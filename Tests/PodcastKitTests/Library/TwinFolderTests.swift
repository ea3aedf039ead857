import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// Folders whose names are one text in two Unicode forms, as copies from a Mac next to the originals.
@Suite("Folders in both Unicode forms") struct TwinFolderTests {
  private let folders: LibraryFolders
  private let composed = "Caf\u{E9}"
  private let decomposed = "Cafe\u{301}"

  init() throws {
    folders = try LibraryFolders()
    for (key, folder) in [("a", composed), ("b", decomposed)] {
      // By hand: podget accepts one form for the other if only one exists.
      try #require(mkdir(folders.folder.path(folder), 0o755) == 0)
      try folders.add(key, to: folder, isThere: false)
      let path = folders.folder.path("\(folder)/\(key).mp3")
      try #require(
        FileManager.default.createFile(atPath: path, contents: Data(repeating: 1, count: 5)))
    }
  }

  private func facts(_ path: String) throws -> [String] {
    let folder = try OpenFile.folder(path, in: folders.library.root, creating: false)
    return try FolderRecords.read(in: folder).map { "\($0.fact) \($0.key?.text.prefix(2) ?? "")" }
  }

  private func entries(_ path: String) throws -> [String] {
    try OpenFile.folder(path, in: folders.library.root, creating: false).entries()
      .filter { !$0.hasPrefix(".") }
  }

  @Test("stars and removals are recorded where the episode is") func records() throws {
    let episodes = folders.recorded
    #expect(episodes.map(\.status) == [.complete, .complete])
    _ = try folders.library.mark(.starred(true), of: episodes, at: Date())
    #expect(try facts(composed).filter { $0.hasPrefix("starred") } == ["starred 61"])
    #expect(try facts(decomposed).filter { $0.hasPrefix("starred") } == ["starred 62"])
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: true, keptUntil: nil, now: Date())
    #expect(remover.remove(folders.recorded) == [.removed, .removed])
    #expect(try facts(composed).last == "removed 61")
    #expect(try facts(decomposed).last == "removed 62")
    #expect(try entries(composed).isEmpty && entries(decomposed).isEmpty)
  }

  @Test("one folder with two spellings of its path is one") func one() throws {
    let library = try LibraryFolders()
    try library.add("a", to: decomposed)
    var mover = FileMover(library.library, library.recorded)
    let move = FileMove(
      key: EpisodeKey(named: "a"), from: try #require(RelativePath("\(decomposed)/a.mp3")),
      to: try #require(RelativePath("\(composed)/b.mp3")))
    #expect(mover.perform([move]).isEmpty)
    #expect(library.recorded.map(\.status) == [.complete])
    #expect(library.recorded.map(\.plan.stem) == ["b"])
  }

  @Test("files move out of both, and from one to the other") func moves() throws {
    func move(_ key: String, _ from: String, _ to: String) throws -> FileMove {
      FileMove(
        key: EpisodeKey(named: key), from: try #require(RelativePath("\(from)/\(key).mp3")),
        to: try #require(RelativePath("\(to)/\(key).mp3")))
    }
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform([try move("a", composed, decomposed)]).isEmpty)
    #expect(try facts(decomposed).contains("finished 61"))
    #expect(mover.perform([try move("a", decomposed, composed)]).isEmpty)
    var other = FileMover(folders.library, folders.recorded)
    let both = [try move("a", composed, "Q"), try move("b", decomposed, "Q")]
    #expect(other.perform(both).isEmpty)
    #expect(try entries("Q").count == 2)
  }
}
