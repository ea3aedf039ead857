import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Files that move inside a library") struct FileMoverTests {
  private let folders: LibraryFolders

  init() throws { folders = try LibraryFolders() }

  private func move(_ key: String) throws -> FileMove {
    FileMove(
      key: EpisodeKey(named: key), from: try #require(RelativePath("P/\(key).mp3")),
      to: try #require(RelativePath("Q/\(key).mp3")))
  }

  @Test("an unreadable file without a checksum does not affect the others of its batch")
  func unreadable() throws {
    for key in ["a", "b", "c"] { try folders.add(key, to: "P") }
    var mover = FileMover(folders.library, folders.recorded)
    let path = folders.folder.path("P/b.mp3")
    try FileManager.default.removeItem(atPath: path)
    try #require(mkfifo(path, 0o600) == 0)
    let failures = mover.perform(try ["a", "b", "c"].map(move))
    #expect(Array(failures.keys) == [EpisodeKey(named: "b")])
    #expect(folders.folder.contains("Q/a.mp3") && folders.folder.contains("Q/c.mp3"))
    #expect(!folders.folder.contains("Q/b.mp3"))
  }

  @Test("a folder is removed, too, whose record somebody has for a moment")
  func heldRecord() throws {
    try folders.add("a", to: "P")
    let moves = [try move("a")]
    #expect(folders.folder.contains("P/.podget.ndjson"))
    var mover = FileMover(folders.library, folders.recorded)
    // What is left in the folder is a record of no file.
    try folders.folder.write("P/b.mp3", [UInt8](repeating: 1, count: 5))
    #expect(mover.perform(moves).isEmpty)
    try FileManager.default.removeItem(atPath: folders.folder.path("P/b.mp3"))
    // A program that is just being started has the open files of this one until it runs.
    let record = open(folders.folder.path("P/.podget.ndjson"), O_RDWR)
    try #require(record >= 0 && flock(record, LOCK_EX | LOCK_NB) == 0)
    let release = Thread {
      usleep(100_000)
      close(record)
    }
    release.start()
    folders.library.removeEmptied(after: moves)
    #expect(!folders.folder.contains("P"))
  }

  @Test(
    "names that are exchanged within a folder, in a chain and in a circle", arguments: [1, 2, 3])
  func handedOn(count: Int) throws {
    let keys = ["a", "b", "c", "d"]
    let sizes = Dictionary(uniqueKeysWithValues: zip(keys, 5...))
    for (key, size) in sizes { try folders.add(key, to: "P", bytes: size) }
    // A circle of three or four names, or a chain.
    let round = Array(keys.prefix(count + 1))
    var targets = Dictionary(uniqueKeysWithValues: zip(round, round.dropFirst() + [round[0]]))
    if count == 1 { targets = ["a": "b", "b": "c", "c": "d", "d": "e"] }
    let moves = try targets.map { key, target in
      FileMove(
        key: EpisodeKey(named: key), from: try #require(RelativePath("P/\(key).mp3")),
        to: try #require(RelativePath("P/\(target).mp3")))
    }
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform(moves).isEmpty)
    for (key, target) in targets {
      #expect(try folders.folder.read("P/\(target).mp3").count == sizes[key])
    }
    let places = Dictionary(uniqueKeysWithValues: folders.recorded.map { ($0.key, $0.path) })
    for (key, target) in targets {
      #expect(places[EpisodeKey(named: key).text] == "P/\(target).mp3")
    }
  }

  @Test("no file moves into a folder whose disk is missing") func unmounted() throws {
    try folders.add("a", to: "P")
    try folders.add("b", to: "Q")
    _ = folders.library.reading()
    try FileManager.default.moveItem(
      atPath: folders.folder.path("Q"), toPath: folders.folder.path("Q away"))
    try #require(mkdir(folders.folder.path("Q"), 0o755) == 0)
    try FileManager.default.removeItem(atPath: folders.folder.path("Q away"))
    let reading = folders.library.reading()
    var mover = FileMover(folders.library, reading.episodes)
    let failures = mover.perform([try move("a")])
    let message = try #require(failures[EpisodeKey(named: "a")]?.message)
    #expect(message.hasPrefix("Cannot use Q: it is empty, although its record lists 1 file: "))
    #expect(failures.count == 1 && folders.folder.contains("P/a.mp3"))
    #expect(!folders.folder.contains("Q/.podget.ndjson"))
    #expect(folders.library.reading().emptied.map(\.folder.text) == ["Q"])
  }

  @Test("to another file system files are copied, and the old ones are removed")
  func copied() throws {
    guard let far = try FarFolder(from: folders.folder) else { return }
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path("Q"), withDestinationPath: far.path)
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform(try ["a", "b"].map(move)).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: far.path).count == 3)
    #expect(!folders.folder.contains("P/a.mp3") && !folders.folder.contains("P/b.mp3"))
  }

  private func entries(_ path: String) throws -> [FolderContents.Entry] {
    let folder = try OpenFile.folder(path, in: folders.library.root, creating: false)
    return FolderContents(try FolderRecords.read(in: folder)).entries
  }

  private func append(_ kind: FolderFact.Kind, _ entry: FolderContents.Entry) throws {
    try FolderRecords.append(
      [FolderFact(kind, entry, at: Date())],
      in: OpenFile.folder("P", in: folders.library.root, creating: false))
  }

  @Test("lines that were recorded since the reading move along") func changedMeanwhile() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    var mover = FileMover(folders.library, folders.recorded)
    _ = try folders.library.mark(.starred(true), of: folders.recorded, at: Date())
    // The state after download --force.
    var fetched = try #require(try entries("P").last)
    (fetched.bytes, fetched.sha256) = (7, "ab12")
    try folders.folder.write("P/b.mp3", [UInt8](repeating: 2, count: 7))
    try append(.finished, fetched)
    #expect(mover.perform(try ["a", "b"].map(move)).isEmpty)
    let moved = try entries("Q")
    #expect(moved.map(\.isStarred) == [true, true])
    #expect(moved.last?.bytes == 7 && moved.last?.sha256 == "ab12")
    #expect(folders.recorded.map(\.isStarred) == [true, true])
  }

  @Test("a file moves back into a folder that it left according to a clock that was ahead")
  func clockAhead() throws {
    for path in ["P", "Q"] { try folders.add("a", to: path, isThere: path == "P") }
    let ahead = RecordTime.next(after: .never).microseconds + 365 * 86_400 * 1_000_000
    var left = try #require(try entries("Q").first)
    left.parts.file = RecordTime(microseconds: ahead + 1)
    let there = try OpenFile.folder("Q", in: folders.library.root, creating: false)
    try FolderRecords.append([left.departure], in: there)
    _ = try folders.library.mark(.starred(true), of: folders.recorded, at: Date())
    var mover = FileMover(folders.library, folders.recorded)
    #expect(mover.perform([try move("a")]).isEmpty)
    #expect(try entries("Q").map { $0.file } == ["a.mp3"])
    #expect(folders.recorded.map(\.path) == ["Q/a.mp3"])
    #expect(folders.recorded.map(\.isStarred) == [true])
  }

  @Test(
    "what another machine said before a move, in the folder that was left, counts after it",
    arguments: [true, false], [true, false])
  func saidElsewhere(isStarred: Bool, hasOthers: Bool) throws {
    try folders.add("a", to: "P")
    // Without another episode the record is removed with its folder.
    if hasOthers { try folders.add("b", to: "P") }
    func stars() -> [Bool] {
      folders.recorded.filter { $0.key == EpisodeKey(named: "a").text }.map(\.isStarred)
    }
    func moved(_ from: String, _ to: String) throws {
      let move = FileMove(
        key: EpisodeKey(named: "a"), from: try #require(RelativePath("\(from)/a.mp3")),
        to: try #require(RelativePath("\(to)/a.mp3")))
      var mover = FileMover(folders.library, folders.recorded)
      #expect(mover.perform([move]).isEmpty)
    }
    let local = folders.recorded.filter { $0.key == EpisodeKey(named: "a").text }
    if !isStarred { _ = try folders.library.mark(.starred(true), of: local, at: Date()) }
    // The other machine has the record of before.
    var other = try #require(try entries("P").first)
    other.isStarred = isStarred
    var said = other.line(isStarred ? .starred : .unstarred, .star)
    said.state?.others["mood"] = EpisodeParts.Part(.text("good"), .next(after: .never))
    try moved("P", "Q")
    try folders.folder.write(
      "P/.podget.sync-conflict-1.ndjson", [UInt8](try RecordEncoder.data(said, for: "")) + [0x0A])
    #expect(stars() == [!isStarred])
    let reading = folders.library.locatedReading()
    #expect(reading.notice?.hasPrefix("A conflict copy of ") == true)
    #expect(stars() == [isStarred])
    #expect(try entries("Q").first?.parts.others["mood"]?.value == .text("good"))
    // It was said once, and what is said here now counts, wherever the file moves.
    _ = try folders.library.mark(
      .starred(!isStarred),
      of: folders.recorded.filter { $0.path == "Q/a.mp3" }, at: Date())
    #expect(stars() == [!isStarred])
    try moved("Q", "P")
    #expect(stars() == [!isStarred])
  }

  @Test("a star that was recorded since the reading stays with a file found elsewhere")
  func starredMeanwhile() throws {
    try folders.add("a", to: "P")
    let local = try #require(folders.recorded.first)
    _ = try folders.library.mark(.starred(true), of: folders.recorded, at: Date())
    let path = try #require(RelativePath("Q"))
    let there = try OpenFile.folder(path, in: folders.library.root, creating: true)
    try folders.library.record(local, in: there, at: path, as: "b.mp3")
    #expect(try entries("Q").map { $0.file } == ["b.mp3"])
    #expect(try entries("Q").map(\.isStarred) == [true])
  }

  @Test("a removal that was recorded since the reading is not forgotten") func removedMeanwhile()
    throws
  {
    try folders.add("a", to: "P")
    var mover = FileMover(folders.library, folders.recorded)
    // The state after a removal that was interrupted before the file was deleted.
    try append(.removed, try #require(try entries("P").first))
    #expect(mover.perform([try move("a")]).isEmpty)
    #expect(folders.folder.contains("Q/a.mp3"))
    #expect(try entries("Q").first?.removedAt != nil)
  }

  @Test("an episode that another podget is using stays where it is") func busy() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    var mover = FileMover(folders.library, folders.recorded)
    let key = EpisodeKey(named: "a")
    let lock = try PartialFolder(library: folders.library.root).openPart(key.text)
    let failures = mover.perform(try ["a", "b"].map(move))
    withExtendedLifetime(lock) {}
    #expect(Array(failures.keys) == [key])
    #expect(folders.folder.contains("P/a.mp3") && folders.folder.contains("Q/b.mp3"))
    #expect(folders.recorded.map(\.status) == [.complete, .complete])
  }

  /// The state after a tag editor: neither the recorded length nor the recorded checksum.
  private func addEdited(_ key: String, to path: String) throws {
    try folders.add(key, to: path)
    try folders.folder.write("\(path)/\(key).mp3", [UInt8](repeating: 2, count: 9))
  }

  private func relocate(_ path: String, to newPath: String) throws {
    let target = folders.folder.path(newPath)
    try FileManager.default.createDirectory(
      at: URL(filePath: target).deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: folders.folder.path(path), toPath: target)
  }

  @Test("an edited file that a killed rename moved is found, and the move can be undone")
  func killed() throws {
    try addEdited("a", to: "P")
    let move = try move("a")
    let undo = try folders.library.writeUndo(of: [move], at: Date())
    try relocate("P/a.mp3", to: "Q/a.mp3")
    let found = folders.library.locatedEpisodes(recording: false)
    #expect(found.map(\.path) == ["Q/a.mp3"] && found.map(\.status) == [.complete])
    #expect(found.map(\.bytes) == [9])
    #expect(folders.recorded.map(\.status) == [.missing])
    let episodes = folders.library.locatedEpisodes()
    #expect(episodes == found)
    #expect(folders.recorded.map(\.path) == ["Q/a.mp3"])
    #expect(folders.recorded.map(\.total) == [5] && folders.recorded.map(\.bytes) == [9])
    let undoing = try folders.library.undoing(folders.folder.path(undo.path), among: episodes)
    #expect(undoing.moves == [move.reversed])
    var mover = FileMover(folders.library, episodes)
    #expect(mover.perform(undoing.moves).isEmpty)
    #expect(folders.recorded.map(\.path) == ["P/a.mp3"])
  }

  @Test("an edited file that a killed rename left in between two names is found") func killedAside()
    throws
  {
    for key in ["a", "b"] { try addEdited(key, to: "P") }
    let (first, second) = (RelativePath("P/a.mp3"), RelativePath("P/b.mp3"))
    let (a, b) = (try #require(first), try #require(second))
    _ = try folders.library.writeUndo(
      of: [
        FileMove(key: EpisodeKey(named: "a"), from: a, to: b),
        FileMove(key: EpisodeKey(named: "b"), from: b, to: a),
      ], at: Date())
    let interim = "P/moving \(EpisodeKey(named: "a")).mp3"
    try relocate("P/a.mp3", to: interim)
    #expect(Set(folders.library.locatedEpisodes().map(\.path)) == [interim, "P/b.mp3"])
    #expect(Set(folders.recorded.map(\.path)) == [interim, "P/b.mp3"])
    try relocate("P/b.mp3", to: "P/a.mp3")
    #expect(Set(folders.library.locatedEpisodes().map(\.path)) == [interim, "P/a.mp3"])
  }

  @Test("another file at the new path of a rename is not confused with it") func killedForeign()
    throws
  {
    try addEdited("a", to: "P")
    _ = try folders.library.writeUndo(of: [try move("a")], at: Date())
    try FileManager.default.removeItem(atPath: folders.folder.path("P/a.mp3"))
    let other = try folders.folder.write("Q/a.mp3", [UInt8](repeating: 2, count: 9))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: other)
    #expect(folders.library.locatedEpisodes().map(\.status) == [.missing])
  }

  @Test("files whose new names cannot be recorded get their old ones back") func refused() throws {
    try folders.add("a", to: "P")
    var entry = try #require(try entries("P").first)
    // So long that its line fits with the old name only.
    entry.episode.title = String(repeating: "x", count: FolderRecords.maximumLineBytes - 500)
    try append(.finished, entry)
    var mover = FileMover(folders.library, folders.recorded)
    let name = String(repeating: "y", count: 240) + ".mp3"
    let move = FileMove(
      key: entry.key, from: try #require(RelativePath("P/a.mp3")),
      to: try #require(RelativePath("Q/\(name)")))
    let line = try folders.folder.read("P/.podget.ndjson").split(separator: 0x0A).last?.count ?? 0
    try #require(line <= FolderRecords.maximumLineBytes)
    try #require(line + 200 > FolderRecords.maximumLineBytes)
    #expect(mover.perform([move]).count == 1)
    #expect(folders.folder.contains("P/a.mp3"))
    #expect(folders.recorded.map(\.status) == [.complete])
  }

  /// Writes down that an episode's file is being fetched again.
  private func beginReplacing(_ local: LocalEpisode) throws {
    var record = PartialRecord(local.plan)
    record.replaces = RelativePath(local.path)
    try PartialFolder(library: folders.library.root).write(record, .none)
  }

  @Test("a file that is being downloaded again keeps its name") func unfinished() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    try beginReplacing(try #require(folders.recorded.first))
    let template = try FilenameTemplate(parsing: "Q/{title}.{ext}")
    let moves = try folders.library.moves(
      to: template, of: folders.recorded, in: folders.library.reading())
    #expect(moves.map(\.key) == [EpisodeKey(named: "b")])
    // One that started after the moves were planned.
    var mover = FileMover(folders.library, folders.recorded)
    let failures = mover.perform(try ["a", "b"].map(move))
    #expect(Array(failures.keys) == [EpisodeKey(named: "a")])
    #expect(folders.folder.contains("P/a.mp3") && folders.folder.contains("Q/b.mp3"))
    // And an earlier rename is not undone either.
    let undo = try folders.library.writeUndo(
      of: [try move("a").reversed, try move("b")], at: Date())
    let undoing = try folders.library.undoing(
      folders.folder.path(undo.path), among: folders.recorded)
    #expect(undoing.moves.map(\.key) == [EpisodeKey(named: "b")])
  }

  @Test("a file on record in both folders stays in both") func both() throws {
    for path in ["P", "Q"] { try folders.add("a", to: path) }
    let source = folders.recorded.filter { $0.path == "P/a.mp3" }
    var mover = FileMover(folders.library, source)
    #expect(mover.perform([try move("a")]).count == 1)
    #expect(folders.folder.contains("P/a.mp3") && folders.folder.contains("Q/a.mp3"))
    #expect(try entries("P").first?.file == "a.mp3")
  }

  @Test("a move that was killed after its record was begun is finished by the next rename")
  func bothAfterKill() throws {
    try folders.add("a", to: "P")
    _ = try folders.library.writeUndo(of: [try move("a")], at: Date())
    try folders.add("a", to: "Q")
    let source = folders.recorded.filter { $0.path == "P/a.mp3" }
    var mover = FileMover(folders.library, source)
    #expect(mover.perform([try move("a")]).isEmpty)
    #expect(!folders.folder.contains("P/a.mp3") && folders.folder.contains("Q/a.mp3"))
  }

  /// The list of the moves of a run, as it is on the disk.
  private func list(_ path: String) throws -> String {
    String(decoding: try folders.folder.read(path), as: UTF8.self)
  }

  @Test("the next command that writes records what a killed rename moved, and ends its list")
  func recovered() throws {
    try addEdited("a", to: "P")
    let path = try folders.library.writeUndo(of: [try move("a")], at: Date()).path
    try relocate("P/a.mp3", to: "Q/a.mp3")
    try folders.library.requireWritable()
    #expect(folders.recorded.map(\.path) == ["Q/a.mp3"])
    #expect(try list(path).hasSuffix("\n{\"ended\":true}\n"))
    // Another file with these properties is not looked for any more.
    let ended = try list(path)
    try relocate("Q/a.mp3", to: "P/a.mp3")
    try folders.library.requireWritable()
    #expect(folders.recorded.map(\.status) == [.missing])
    #expect(try list(path) == ended)
  }

  @Test("of a file that a killed rename copied the old one is removed", arguments: [true, false])
  func recoveredCopy(isRecorded: Bool) throws {
    try folders.add("a", to: "P")
    let path = try folders.library.writeUndo(of: [try move("a")], at: Date()).path
    if isRecorded { try folders.add("a", to: "Q") }
    let (old, new) = (folders.folder.path("P/a.mp3"), folders.folder.path("Q/a.mp3"))
    if !isRecorded {
      try FileManager.default.createDirectory(
        atPath: folders.folder.path("Q"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: old, toPath: new)
    }
    var status = stat()
    try #require(stat(old, &status) == 0)
    try #require(utimensat(AT_FDCWD, new, [status.st_atim, status.st_mtim], 0) == 0)
    try folders.library.requireWritable()
    #expect(!folders.folder.contains("P/a.mp3") && folders.folder.contains("Q/a.mp3"))
    #expect(folders.recorded.map(\.path) == ["Q/a.mp3"])
    #expect(try list(path).hasSuffix("{\"ended\":true}\n"))
  }

  @Test("the list of a rename that goes on stays open") func goesOn() throws {
    try addEdited("a", to: "P")
    let running = try folders.library.writeUndo(of: [try move("a")], at: Date())
    try relocate("P/a.mp3", to: "Q/a.mp3")
    try folders.library.requireWritable()
    #expect(try !list(running.path).contains("ended"))
    #expect(folders.recorded.map(\.status) == [.missing])
    try running.end()
    #expect(try list(running.path).hasSuffix("}\n{\"ended\":true}\n"))
  }

  @Test(
    "a record with lines that cannot be read stays in its emptied folder",
    arguments: [
      #"{"fact":"artwork","version":1,"podcast":{"title":"P"}}"#, #"{"fact":"finished","ver"#,
      #"{"fact":"podcast","version":4,"podcast":{"title":"P"},"cover":"a.jpg"}"#,
    ]) func unknownLines(line: String) throws
  {
    for key in ["a", "b"] { try folders.add(key, to: key == "a" ? "P" : "R") }
    let record = "P/.podget.ndjson"
    try folders.folder.write(record, try folders.folder.read(record) + Array("\(line)\n".utf8))
    var mover = FileMover(folders.library, folders.recorded)
    let other = FileMove(
      key: EpisodeKey(named: "b"), from: try #require(RelativePath("R/b.mp3")),
      to: try #require(RelativePath("Q/b.mp3")))
    #expect(mover.perform([try move("a"), other]).isEmpty)
    #expect(folders.folder.contains(record) && !folders.folder.contains("R"))
  }

  @Test("a name is removed only while it is that of the same file, unchanged")
  func removal() throws {
    struct Seen { var value: OpenFile.Status }
    let root = folders.library.root
    func seen(_ text: String) throws -> Seen {
      try folders.folder.write("file", text)
      return Seen(value: try #require(root.status(of: "file")))
    }
    let first = try seen("one")
    #expect(try root.remove("file", ifStill: first.value))
    #expect(!folders.folder.contains("file"))
    #expect(try root.remove("file", ifStill: first.value))

    let second = try seen("two")
    try folders.folder.write("other", "two")
    try FileManager.default.removeItem(atPath: folders.folder.path("file"))
    try FileManager.default.moveItem(
      atPath: folders.folder.path("other"), toPath: folders.folder.path("file"))
    #expect(try !root.remove("file", ifStill: second.value))
    #expect(folders.folder.contains("file"))

    let third = try seen("three")
    let file = try FileHandle(forWritingTo: URL(filePath: folders.folder.path("file")))
    try file.seekToEnd()
    try file.write(contentsOf: Data("!".utf8))
    try file.close()
    #expect(try !root.remove("file", ifStill: third.value))
    #expect(folders.folder.contains("file"))
  }

  @Test("a new folder is spelled as a folder or a link there, never as a file") func spelling()
    throws
  {
    try folders.folder.write("NEWS", "")
    try folders.add("a", to: "Talks")
    let links = [("FILMS", "nowhere"), ("MUSIC", "NEWS")]
    for (link, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: folders.folder.path(link), withDestinationPath: target)
    }
    var spelling = FolderSpelling(of: folders.library.root)
    let spelled = ["News", "talks", "Films", "Music"].map { spelling.spelled($0) }
    #expect(spelled == ["News", "Talks", "FILMS", "Music"])
  }
}
