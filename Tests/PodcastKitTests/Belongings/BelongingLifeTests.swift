import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Files beside an episode share its life") struct BelongingLifeTests {
  private let folders: LibraryFolders
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let day = 86_400.0

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
    try folders.add("a.vtt", beside: "a", "WEBVTT a")
    try folders.add("a.dream", role: "something new", beside: "a", "of a")
  }

  private func perform(_ key: String, from: String, to: String) throws -> [EpisodeKey: PodgetError]
  {
    var mover = FileMover(folders.library, folders.recorded)
    return mover.perform([
      FileMove(
        key: EpisodeKey(named: key), from: try #require(RelativePath(from)),
        to: try #require(RelativePath(to)))
    ])
  }

  private func remove(days: Double?) {
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: days.map { now + $0 * day },
      now: now)
    #expect(remover.remove(folders.recorded).allSatisfy { $0 == .removed })
  }

  @Test("the index knows how much is beside an episode, and its paths are found") func found()
    throws
  {
    #expect(folders.indexed == folders.recorded)
    #expect(folders.recorded.map(\.otherBytes) == [12])
    let files = folders.library.belongings(of: folders.recorded)[EpisodeKey(named: "a").text]
    #expect(files?.map(\.path) == ["P/a.vtt", "P/a.dream"])
    #expect(files?.map(\.kind) == [.transcript, nil] && files?.map(\.bytes) == [8, 4])
    let first = try #require(files?.first)
    #expect(folders.library.contents(of: first) == Array("WEBVTT a".utf8))
  }

  @Test("they move with it, within a folder and to another one", arguments: ["P/b.mp3", "Q/b.mp3"])
  func moved(to path: String) throws {
    #expect(try perform("a", from: "P/a.mp3", to: path).isEmpty)
    let stem = String(path.dropLast(4))
    #expect(folders.others("a") == ["\(stem).vtt", "\(stem).dream"])
    #expect(folders.visible == [".dream", ".mp3", ".vtt"].map { stem + $0 })
    #expect(try perform("a", from: path, to: "P/a.mp3").isEmpty)
    #expect(folders.others("a") == ["P/a.vtt", "P/a.dream"])
    #expect(folders.visible == ["P/a.dream", "P/a.mp3", "P/a.vtt"])
  }

  @Test("to another file system they are copied, and the old ones are removed") func copied() throws
  {
    guard let far = try FarFolder(from: folders.folder) else { return }
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path("Q"), withDestinationPath: far.path)
    #expect(try perform("a", from: "P/a.mp3", to: "Q/b.mp3").isEmpty)
    #expect(folders.others("a") == ["Q/b.vtt", "Q/b.dream"])
    #expect(!folders.folder.contains("P/a.vtt") && !folders.folder.contains("P/a.dream"))
    remove(days: 7)
    _ = folders.library.restore(folders.recorded, at: now)
    #expect(folders.others("a") == ["Q/b.vtt", "Q/b.dream"])
  }

  @Test("a foreign file and another episode's file keep their names, whatever their bytes are")
  func taken() throws {
    try folders.add("m", to: "Q")
    try folders.add("b.vtt", beside: "m", in: "Q", "WEBVTT a")
    try folders.folder.write("Q/b.dream", "a dream of mine")
    #expect(try perform("a", from: "P/a.mp3", to: "Q/b.mp3").isEmpty)
    let suffix = " [\(EpisodeKey(named: "a").text.prefix(6))]"
    #expect(folders.others("a") == ["Q/b\(suffix).vtt", "Q/b\(suffix).dream"])
    #expect(folders.others("m") == ["Q/b.vtt"])
    #expect(try folders.text("Q/b.dream") == "a dream of mine")
    // The name that is free again is taken back with the next move.
    #expect(try perform("a", from: "Q/b.mp3", to: "P/a.mp3").isEmpty)
    #expect(folders.others("a") == ["P/a.vtt", "P/a.dream"])
  }

  @Test("names that episodes exchange are those of their files beside them") func exchanged() throws
  {
    try folders.add("b", to: "P", bytes: 7)
    try folders.add("b.vtt", beside: "b", "WEBVTT b")
    let moves = try [("a", "b"), ("b", "a")].map { key, target in
      FileMove(
        key: EpisodeKey(named: key), from: try #require(RelativePath("P/\(key).mp3")),
        to: try #require(RelativePath("P/\(target).mp3")))
    }
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform(moves).isEmpty)
    #expect(folders.others("a") == ["P/b.vtt", "P/b.dream"] && folders.others("b") == ["P/a.vtt"])
    #expect(try folders.text("P/b.vtt") == "WEBVTT a" && folders.text("P/a.vtt") == "WEBVTT b")
  }

  @Test("what a person deleted or changed stays so when its episode moves") func deleted() throws {
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.vtt"))
    try folders.folder.write("P/a.dream", "my own dream")
    #expect(try perform("a", from: "P/a.mp3", to: "Q/b.mp3").isEmpty)
    #expect(folders.others("a") == ["Q/b.dream"])
    #expect(try folders.text("Q/b.dream") == "my own dream")
    let there = try OpenFile.folder("Q", in: folders.library.root, creating: false)
    let entry = FolderContents(try FolderRecords.read(in: there)).entries.first
    #expect(entry?.otherFiles.map(\.path.text) == ["b.vtt", "b.dream"])
  }

  @Test("a move that was killed before its record is finished with them", arguments: [true, false])
  func killed(haveMoved: Bool) throws {
    let moves = [
      FileMove(
        key: EpisodeKey(named: "a"), from: try #require(RelativePath("P/a.mp3")),
        to: try #require(RelativePath("Q/b.mp3")))
    ]
    let list = try folders.library.writeUndo(of: moves, at: now)
    try FileManager.default.createDirectory(
      atPath: folders.folder.path("Q"), withIntermediateDirectories: false)
    for ending in haveMoved ? ["mp3", "vtt"] : ["mp3"] {
      try FileManager.default.moveItem(
        atPath: folders.folder.path("P/a.\(ending)"), toPath: folders.folder.path("Q/b.\(ending)"))
    }
    _ = list
    let located = folders.library.locatedEpisodes()
    #expect(located.map(\.path) == ["Q/b.mp3"])
    #expect(folders.others("a") == ["Q/b.vtt", "Q/b.dream"])
    #expect(folders.visible == ["Q/b.dream", "Q/b.mp3", "Q/b.vtt"])
  }

  @Test("a file that a person moved takes along what was moved with it, and nothing else")
  func movedByHand() throws {
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    var entry = try #require(FolderContents(try FolderRecords.read(in: there)).entries.first)
    entry.sha256 = try there.mediaFile("a.mp3").sha256("a.mp3")
    try FolderRecords.append(entry.arrival(as: "a.mp3", after: entry), in: there)
    try FileManager.default.createDirectory(
      atPath: folders.folder.path("Q"), withIntermediateDirectories: false)
    for ending in ["mp3", "vtt"] {
      try FileManager.default.moveItem(
        atPath: folders.folder.path("P/a.\(ending)"), toPath: folders.folder.path("Q/z.\(ending)"))
    }
    #expect(folders.library.locatedEpisodes().map(\.path) == ["Q/z.mp3"])
    #expect(folders.others("a") == ["Q/z.vtt"])
    #expect(folders.folder.contains("P/a.dream"))
  }

  @Test("they go to the trash with it, as one line there, and come back") func trashed() throws {
    remove(days: 7)
    #expect(folders.visible.isEmpty)
    #expect(folders.library.trashedFiles.map(\.bytes) == [17])
    #expect(folders.library.belongings(of: folders.recorded).isEmpty)
    let results = folders.library.restore(folders.recorded, at: now)
    #expect(try results.map { try $0.get().path } == ["P/a.mp3"])
    #expect(folders.others("a") == ["P/a.vtt", "P/a.dream"])
    #expect(try folders.text("P/a.vtt") == "WEBVTT a" && folders.text("P/a.dream") == "of a")
    #expect(folders.library.trashedFiles.isEmpty)
    remove(days: 7)
    let files = folders.library.trashedFiles
    #expect(folders.library.deleteFromTrash(files) == files)
    #expect(!folders.folder.files.contains { $0.hasPrefix(".podget/trash/") })
  }

  @Test("they expire with it, and a removal without a trash deletes them") func expired() throws {
    remove(days: 7)
    for days in [8.0, 9] { folders.library.emptyTrash(at: now + days * day) }
    #expect(!folders.folder.files.contains { $0.hasPrefix(".podget/trash/") })
    try folders.add("c", to: "P")
    try folders.add("c.vtt", beside: "c", "WEBVTT c")
    remove(days: nil)
    #expect(folders.visible.isEmpty)
  }

  @Test("names that are taken when they come back get suffixes") func restoredBeside() throws {
    remove(days: 7)
    try folders.folder.write("P/a.vtt", "mine")
    _ = folders.library.restore(folders.recorded, at: now)
    let suffix = " [\(EpisodeKey(named: "a").text.prefix(6))]"
    #expect(folders.others("a") == ["P/a\(suffix).vtt", "P/a.dream"])
    #expect(try folders.text("P/a.vtt") == "mine")
  }

  @Test("a second removal of an episode takes nothing that was created since") func removedAgain()
    throws
  {
    remove(days: 7)
    try folders.folder.write("P/a.vtt", "mine")
    for days in [7.0, nil] { remove(days: days) }
    #expect(try folders.text("P/a.vtt") == "mine")
    let inventory = folders.library.inventory(of: folders.library.reading())
    #expect(inventory.untracked.map(\.path) == ["P/a.vtt"])
  }

  @Test("a file that another record names, too, is not removed") func named() throws {
    try folders.add("b", to: "P")
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    let contents = FolderContents(try FolderRecords.read(in: there))
    var other = try #require(contents.entry(EpisodeKey(named: "b")))
    other.otherFiles = try #require(contents.entry(EpisodeKey(named: "a"))).otherFiles
    try FolderRecords.append(other.arrival(as: "b.mp3", after: other), in: there)
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: now + day, now: now)
    #expect(remover.remove(folders.recorded.filter { $0.path == "P/a.mp3" }) == [.removed])
    #expect(folders.visible == ["P/a.dream", "P/a.vtt", "P/b.mp3"])
  }

  @Test("verify reads them: what a person changed is no damage, what is deleted is no loss")
  func verified() async throws {
    try folders.add("a.md", role: "notes", beside: "a", "words")
    try folders.folder.write("P/a.vtt", "WEBVTT b")
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.dream"))
    let inventory = folders.library.inventory(of: folders.library.reading())
    #expect(inventory.untracked.isEmpty)
    #expect(inventory.recorded.map(\.path) == ["P/a.mp3", "P/a.vtt", "P/a.md"])
    var found: [String: FileFinding] = [:]
    let verifier = LibraryVerifier(library: folders.library, progress: VerificationProgress())
    await verifier.verify(inventory.recorded, jobs: 1) { found[$0.path] = $0 }
    #expect(found["P/a.vtt"]?.status == .changed && found["P/a.md"]?.status == .ok)
    let changed = try #require(found["P/a.vtt"])
    #expect(try !verifier.accept(changed) && !changed.status.isProblem)
  }
}
