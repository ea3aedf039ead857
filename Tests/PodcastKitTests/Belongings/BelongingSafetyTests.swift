import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("No file beside an episode is lost or mistaken for another") struct BelongingSafetyTests {
  private let folders: LibraryFolders
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let key = EpisodeKey(named: "a")

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
    try folders.add("a.vtt", beside: "a", "WEBVTT a")
  }

  private func remove(_ episodes: [LocalEpisode]) {
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: now + 7 * 86_400, now: now)
    #expect(remover.remove(episodes).allSatisfy { $0 == .removed })
  }

  private func entry(_ path: String = "P") throws -> FolderContents.Entry {
    let there = try OpenFile.folder(path, in: folders.library.root, creating: false)
    return try #require(FolderContents(try FolderRecords.read(in: there)).entry(key))
  }

  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: folders.folder.path(path), withIntermediateDirectories: false)
  }

  @Test(
    "of a killed move the old file is removed, unless a person has edited it since",
    arguments: [true, false])
  func killed(isEdited: Bool) throws {
    _ = try folders.library.writeUndo(
      of: [
        FileMove(
          key: key, from: try #require(RelativePath("P/a.mp3")),
          to: try #require(RelativePath("Q/b.mp3")))
      ], at: now)
    try makeFolder("Q")
    try FileManager.default.moveItem(
      atPath: folders.folder.path("P/a.mp3"), toPath: folders.folder.path("Q/b.mp3"))
    try folders.folder.write("Q/b.vtt", "WEBVTT a")
    if isEdited { try folders.folder.write("P/a.vtt", "WEBVTT my own") }
    #expect(folders.library.locatedEpisodes().map(\.path) == ["Q/b.mp3"])
    #expect(folders.others("a") == ["Q/b.vtt"])
    #expect(folders.visible == (isEdited ? ["P/a.vtt"] : []) + ["Q/b.mp3", "Q/b.vtt"])
  }

  @Test(
    "a file that a person edits after a killed move is still the episode's, and an older one is not",
    arguments: [true, false])
  func editedAfterKill(hasMoved: Bool) throws {
    try makeFolder("Q")
    let (from, to) = (folders.folder.path("P/a.vtt"), folders.folder.path("Q/b.vtt"))
    if !hasMoved {
      try FileManager.default.removeItem(atPath: from)
      try folders.folder.write("Q/b.vtt", "mine")
    }
    let list = try folders.library.writeUndo(
      of: [
        FileMove(
          key: key, from: try #require(RelativePath("P/a.mp3")),
          to: try #require(RelativePath("Q/b.mp3")))
      ], at: now)
    // Times of files may be some milliseconds old.
    if !hasMoved { try setTime(of: list.path, to: Date() + 60) }
    try FileManager.default.moveItem(
      atPath: folders.folder.path("P/a.mp3"), toPath: folders.folder.path("Q/b.mp3"))
    if hasMoved {
      try FileManager.default.moveItem(atPath: from, toPath: to)
      try folders.folder.write("Q/b.vtt", "WEBVTT my own")
    }
    #expect(folders.library.locatedEpisodes().map(\.path) == ["Q/b.mp3"])
    #expect(folders.others("a") == (hasMoved ? ["Q/b.vtt"] : []))
    remove(folders.recorded)
    #expect(folders.visible == (hasMoved ? [] : ["Q/b.vtt"]))
  }

  /// Sets the time of a file below the library.
  private func setTime(of path: String, to time: Date) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: time], ofItemAtPath: folders.folder.path(path))
  }

  @Test(
    "what a killed move has copied and recorded is in one place only", arguments: [true, false])
  func copiedAndRecorded(isEdited: Bool) throws {
    let move = FileMove(
      key: key, from: try #require(RelativePath("P/a.mp3")),
      to: try #require(RelativePath("Q/b.mp3")))
    try setTime(of: "P/a.mp3", to: now)
    _ = try folders.library.writeUndo(of: [move], at: now)
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform([move]).isEmpty && folders.visible == ["Q/b.mp3", "Q/b.vtt"])
    // The old files as before the end of a move to another disk.
    try makeFolder("P")
    for ending in ["mp3", "vtt"] {
      try FileManager.default.copyItem(
        atPath: folders.folder.path("Q/b.\(ending)"), toPath: folders.folder.path("P/a.\(ending)"))
    }
    try setTime(of: "P/a.mp3", to: now)
    if isEdited { try folders.folder.write("P/a.vtt", "my own") }
    folders.library.endKilledMoves()
    #expect(folders.visible == (isEdited ? ["P/a.vtt"] : []) + ["Q/b.mp3", "Q/b.vtt"])
    #expect(folders.others("a") == ["Q/b.vtt"])
  }

  @Test("of what a person copied beside a moved file the original stays") func copiedByHand() throws
  {
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    var known = try entry()
    known.sha256 = try there.mediaFile("a.mp3").sha256("a.mp3")
    try FolderRecords.append(known.arrival(as: "a.mp3", after: known), in: there)
    try makeFolder("Q")
    try FileManager.default.moveItem(
      atPath: folders.folder.path("P/a.mp3"), toPath: folders.folder.path("Q/z.mp3"))
    try folders.folder.write("Q/z.vtt", "WEBVTT a")
    #expect(folders.library.locatedEpisodes().map(\.path) == ["Q/z.mp3"])
    #expect(folders.others("a") == ["Q/z.vtt"])
    #expect(folders.visible == ["P/a.vtt", "Q/z.mp3", "Q/z.vtt"])
  }

  /// Lets the record of another episode name the files of the first one, too.
  private func nameTwice() throws {
    try folders.add("b", to: "P")
    let there = try OpenFile.folder("P", in: folders.library.root, creating: false)
    let contents = FolderContents(try FolderRecords.read(in: there))
    var other = try #require(contents.entry(EpisodeKey(named: "b")))
    other.otherFiles = try entry().otherFiles
    try FolderRecords.append(other.arrival(as: "b.mp3", after: other), in: there)
  }

  @Test("a file of two records stays with the one that is not removed", arguments: ["a", "b"])
  func removedOne(name: String) throws {
    try nameTwice()
    remove(folders.recorded.filter { $0.path == "P/\(name).mp3" })
    #expect(folders.visible == ["P/a.vtt", name == "a" ? "P/b.mp3" : "P/a.mp3"].sorted())
    // It goes with the last one.
    remove(folders.recorded)
    #expect(folders.visible.isEmpty)
  }

  @Test("a file of two records does not move with one of them", arguments: ["a", "b"])
  func movedOne(name: String) throws {
    try nameTwice()
    var mover = FileMover(folders.library, folders.recorded)
    let failures = mover.perform([
      FileMove(
        key: EpisodeKey(named: name), from: try #require(RelativePath("P/\(name).mp3")),
        to: try #require(RelativePath("Q/\(name).mp3")))
    ])
    #expect(failures.isEmpty)
    #expect(folders.folder.contains("P/a.vtt"))
  }

  @Test("what was removed with an earlier file is not restored as something else")
  func twoRemovals() throws {
    remove(folders.recorded)
    try folders.add("a", to: "P")
    try folders.add("a.md", role: "notes", beside: "a", "words")
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.md"))
    remove(folders.recorded)
    #expect(
      try folders.library.restore(folders.recorded, at: now).map { try $0.get().path } == [
        "P/a.mp3"
      ])
    #expect(folders.visible == ["P/a.mp3"])
    // What the person deleted stays so.
    #expect(try entry().otherFiles.map(\.path.text) == ["a.md"])
  }

  @Test("a name that is somebody else's by now is not taken for what was not in the trash")
  func takenMeanwhile() throws {
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.vtt"))
    remove(folders.recorded)
    try folders.folder.write("P/a.vtt", "mine")
    _ = folders.library.restore(folders.recorded, at: now)
    #expect(try entry().otherFiles.isEmpty)
    remove(folders.recorded)
    #expect(folders.visible == ["P/a.vtt"])
  }

  @Test("copies whose files are in another order get files of their own kinds back")
  func copies() throws {
    try folders.add("a", to: "Q")
    try folders.add("a.jpg", role: "artwork", beside: "a", in: "Q", "image")
    try folders.add("a.vtt", beside: "a", in: "Q", "WEBVTT q")
    let reading = folders.library.reading()
    let episodes = (reading.episodes + reading.copies).sorted { $0.path < $1.path }
    #expect(episodes.count == 2)
    remove(episodes)
    #expect(folders.visible.isEmpty)
    for result in folders.library.restore(episodes, at: now) { _ = try result.get() }
    #expect(try folders.text("P/a.vtt").hasPrefix("WEBVTT"))
    for path in folders.visible where path.hasSuffix(".vtt") {
      #expect(try folders.text(path).hasPrefix("WEBVTT"))
    }
  }

  @Test("an episode stays where it is if a file beside it cannot move") func locked() throws {
    try folders.add("a.md", role: "notes", beside: "a", "words")
    let file = open(folders.folder.path("P/a.md"), O_RDONLY)
    #expect(flock(file, LOCK_EX) == 0)
    let move = FileMove(
      key: key, from: try #require(RelativePath("P/a.mp3")),
      to: try #require(RelativePath("Q/b.mp3")))
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform([move]).keys.map(\.text) == [key.text])
    #expect(folders.visible == ["P/a.md", "P/a.mp3", "P/a.vtt"])
    #expect(folders.others("a") == ["P/a.vtt", "P/a.md"])
    close(file)
    mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform([move]).isEmpty)
    #expect(folders.visible == ["Q/b.md", "Q/b.mp3", "Q/b.vtt"])
  }

  @Test("a copy through another system spells names in another way, and they are the same files")
  func unicodeForms() throws {
    try folders.add("caf\u{E9}.md", role: "notes", beside: "a", "words")
    let old = folders.folder.path("P/caf\u{E9}.md")
    #expect(rename(old, folders.folder.path("P/cafe\u{301}.md")) == 0)
    #expect(folders.library.inventory(of: folders.library.reading()).untracked.isEmpty)
    #expect(folders.others("a").count == 2)
    var mover = FileMover(folders.library, folders.recorded)
    let failures = mover.perform([
      FileMove(
        key: key, from: try #require(RelativePath("P/a.mp3")),
        to: try #require(RelativePath("Q/caf\u{E9}.mp3")))
    ])
    #expect(failures.isEmpty)
    #expect(folders.visible.filter { $0.hasPrefix("P/") }.isEmpty)
    #expect(
      rename(
        folders.folder.path("Q/caf\u{E9}.md"), folders.folder.path("Q/cafe\u{301}.md")) == 0)
    remove(folders.recorded)
    #expect(folders.visible.isEmpty)
  }
}
