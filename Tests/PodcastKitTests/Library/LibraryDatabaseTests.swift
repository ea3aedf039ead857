import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("The index of a library") struct LibraryDatabaseTests {
  private let folders: LibraryFolders

  init() throws { folders = try LibraryFolders() }

  private func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(
      atPath: folders.folder.path(name), toPath: folders.folder.path(other))
  }

  @Test("it says what the records say, in every field")
  func fields() throws {
    let whole = Episode(
      id: 2, guid: "g", title: "Ü \"t\" 東京", date: Date(timeIntervalSince1970: 1_676_563_217),
      duration: .milliseconds(2_673_500),
      enclosure: Enclosure(
        url: "https://a.example/b?c", length: 9, mimeType: "audio/mpeg", fileExtension: "mp3"),
      season: 3, number: 4, kind: .bonus, artworkURL: "https://a.example/i.jpg")
    let bare = Episode(title: "", enclosure: Enclosure(url: "u"))
    let podcasts = [
      Podcast(
        id: 1, title: "P", author: "A", feedURL: "https://a.example/f",
        artworkURL: "https://a.example/p.jpg"),
      Podcast(title: "Q"),
    ]
    var facts: [FolderFact] = []
    for (index, file) in ["a.mp3", "no extension", "two.dots.", "x.m4a"].enumerated() {
      facts.append(
        FolderFact(
          fact: "finished", key: EpisodeKey(named: "key \(index)"),
          podcast: StoredPodcast(podcasts[index % 2]),
          episode: StoredEpisode(index < 2 ? whole : bare), file: EntryName(checked: file),
          bytes: index == 3 ? nil : 5, sha256: index == 0 ? "ab" : nil,
          downloadedAt: index == 0 ? "2024-01-02T03:04:05Z" : nil))
    }
    facts.append(FolderFact(.starred, FolderContents(facts).entries[1], at: Date()))
    facts.append(FolderFact(.removed, FolderContents(facts).entries[2], at: Date()))
    let deep = try OpenFile.folder("One/Two", in: folders.library.root, creating: true)
    try FolderRecords.append(facts, in: deep)
    try folders.folder.write("One/Two/a.mp3", "12345")
    #expect(
      folders.statuses() == [
        "One/Two/a.mp3": "complete", "One/Two/no extension": "missing",
        "One/Two/two.dots.": "removed", "One/Two/x.m4a": "missing",
      ])
    #expect(folders.indexed?.first?.plan.episode == whole)
    #expect(folders.indexed?.first?.plan.podcast == podcasts[0])
  }

  @Test("the episodes of an empty folder are missing, until its disk is mounted again")
  func emptied() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    try folders.add("c", to: "Q")
    _ = folders.library.episodes()
    try move("P", to: ".P")
    try FileManager.default.createDirectory(
      atPath: folders.folder.path("P"), withIntermediateDirectories: false)
    for reading in [folders.library.reading(), folders.library.listing()] {
      #expect(
        reading.episodes.map { "\($0.path) \($0.status) \($0.bytes) of \($0.total ?? 0)" }
          == ["P/a.mp3 missing 0 of 5", "P/b.mp3 missing 0 of 5", "Q/c.mp3 complete 5 of 5"])
      #expect(reading.emptied.map(\.folder.text) == ["P"])
      #expect(reading.problems.map { $0.message.contains("its record lists 2 files") } == [true])
    }
    try FileManager.default.removeItem(atPath: folders.folder.path("P"))
    try move(".P", to: "P")
    #expect(Set(folders.statuses().values) == ["complete"])
  }

  @Test(
    "nothing is written into a folder whose disk went after the reading", arguments: [false, true])
  func emptiedSince(isNested: Bool) throws {
    let place = isNested ? "P/2024" : "P"
    try folders.add("a", to: place)
    try folders.add("q", to: "Q")
    let episodes = folders.library.reading().episodes.filter { $0.path.hasPrefix("P/") }
    try move("P", to: ".P")
    try FileManager.default.createDirectory(
      atPath: folders.folder.path("P"), withIntermediateDirectories: false)
    #expect(throws: PodgetError.self) {
      _ = try folders.library.mark(.starred(true), of: episodes, at: Date())
    }
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: true, keptUntil: Date.distantFuture, now: Date())
    for outcome in remover.remove(episodes) {
      guard case .failed(let error) = outcome else { throw POSIXError(.EEXIST) }
      #expect(error.message.contains("mount the disk"), "\(error.message)")
    }
    #expect(throws: DiskError.self) {
      _ = try folders.library.episodeFolder(#require(RelativePath("\(place)/new")))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.folder.path("P")).isEmpty)
    try FileManager.default.removeItem(atPath: folders.folder.path("P"))
    try move(".P", to: "P")
    #expect(try folders.library.mark(.starred(true), of: episodes, at: Date()).count == 1)
  }

  @Test("nothing is written through a link whose disk went after the reading") func lostLink()
    throws
  {
    let disk = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folders.folder.path("P"), withDestinationPath: disk.path("P"))
    try FileManager.default.createDirectory(
      atPath: disk.path("P"), withIntermediateDirectories: false)
    try folders.add("a", to: "P")
    let episodes = folders.library.reading().episodes
    try #require(episodes.map(\.status) == [.complete])
    try FileManager.default.moveItem(atPath: disk.path("P"), toPath: disk.path("away"))
    let error = #expect(throws: PodgetError.self) {
      _ = try folders.library.mark(.starred(true), of: episodes, at: Date())
    }
    #expect(error?.message.contains("mount the disk") == true, "\(String(describing: error))")
    #expect(!disk.contains("P"))
    try FileManager.default.moveItem(atPath: disk.path("away"), toPath: disk.path("P"))
    #expect(try folders.library.mark(.starred(true), of: episodes, at: Date()).count == 1)
  }

  @Test("it follows everything that happens to folders, records and files")
  func changes() throws {
    try folders.add("a", to: "P")
    try folders.add("b", to: "P", isThere: false)
    #expect(folders.statuses() == ["P/a.mp3": "complete", "P/b.mp3": "missing"])
    try move("P/a.mp3", to: "away")
    #expect(folders.statuses() == ["P/a.mp3": "missing", "P/b.mp3": "missing"])
    try move("away", to: "P/a.mp3")
    try folders.add("c", to: "P")
    #expect(folders.statuses().count { $0.value == "complete" } == 2)
    try move("P", to: "Q")
    #expect(folders.statuses().keys.sorted() == ["Q/a.mp3", "Q/b.mp3", "Q/c.mp3"])
    try folders.add("d", to: "Q/deeper/still")
    #expect(folders.statuses()["Q/deeper/still/d.mp3"] == "complete")
    try folders.add("c", to: "R", isThere: false)
    #expect(folders.statuses()["Q/c.mp3"] == "complete")
    #expect(folders.statuses().count == 4)
    try FileManager.default.removeItem(atPath: folders.folder.path("Q"))
    #expect(folders.statuses() == ["R/c.mp3": "missing"])
    try folders.folder.write("R/.podget.ndjson", "")
    #expect(folders.statuses() == [:])
  }

  @Test(
    "files that a record named are lost until a record names them again, or they are gone",
    arguments: [nil, "", "other lines"])
  func lost(left: String?) throws {
    for key in ["a", "b", "c"] { try folders.add(key, to: "P") }
    try folders.add("gone", to: "P", isThere: false)
    try folders.add("q", to: "Q")
    try folders.add("r", to: "R")
    let record = try folders.folder.read("P/.podget.ndjson")
    let lost = { folders.library.reading().notice }
    #expect(lost() == nil)
    try move("P/b.mp3", to: "Q/b.mp3")
    let path = folders.folder.path("P/.podget.ndjson")
    try FileManager.default.removeItem(atPath: path)
    if left == "" { try folders.folder.write("P/.podget.ndjson", "") }
    if left == "other lines" { try folders.add("new", to: "P") }
    for _ in 1...3 {
      #expect(
        lost()?.contains("2 files are not on record any more in \(folders.folder.path)/P;") == true)
      #expect(folders.statuses()["P/a.mp3"] == nil && folders.statuses()["Q/q.mp3"] == "complete")
    }
    try FileManager.default.removeItem(atPath: folders.folder.path("R/.podget.ndjson"))
    #expect(lost()?.contains("3 files are not on record any more in 2 folders, such as") == true)
    try FileManager.default.removeItem(atPath: folders.folder.path("R"))
    try FileManager.default.removeItem(atPath: folders.folder.path("P/c.mp3"))
    #expect(lost()?.contains("1 file is not on record any more") == true)
    try folders.add("a", to: "P")
    #expect(lost() == nil && folders.statuses()["P/a.mp3"] == "complete")
    // A library without its index has forgotten that.
    try folders.folder.write("P/.podget.ndjson", "")
    #expect(lost() != nil)
    for name in ["library.sqlite", "library.sqlite-wal", "library.sqlite-shm"] {
      unlink(folders.folder.path(".podget/\(name)"))
    }
    #expect(lost() == nil)
    try folders.folder.write("P/.podget.ndjson", record)
    #expect(lost() == nil && folders.statuses()["P/gone.mp3"] == "missing")
  }

  @Test("a folder copied into another library is there, with its index or without")
  func copied() throws {
    let other = try LibraryFolders()
    try folders.add("a", to: "P")
    #expect(folders.statuses().count == 1)
    try FileManager.default.copyItem(
      atPath: folders.folder.path("P"), toPath: other.folder.path("P of the other"))
    #expect(other.statuses() == ["P of the other/a.mp3": "complete"])
    // A complete copy of a library contains the index of the other one.
    try folders.add("b", to: "P", isThere: false)
    #expect(folders.statuses().count == 2)
    let whole = try TemporaryFolder()
    try FileManager.default.copyItem(
      atPath: folders.folder.path, toPath: whole.path("copy"))
    try FileManager.default.removeItem(atPath: whole.path("copy/P/a.mp3"))
    let library = try #require(try Library.open(whole.path("copy"), creating: false))
    #expect(library.episodes().map(\.status) == [.missing, .missing])
  }

  @Test("a damaged index is rebuilt", arguments: Damage.allCases)
  func damaged(damage: Damage) async throws {
    for number in 0..<300 { try folders.add("episode \(number)", to: "P", isThere: false) }
    #expect(folders.statuses().count == 300)
    try await damage.strike(folders)
    #expect(folders.statuses().count == 300)
    // The new index is complete.
    try folders.add("one more", to: "P")
    #expect(folders.statuses().count == 301)
  }

  enum Damage: String, CaseIterable {
    case deleted, empty, noise, truncated, page, table, older

    func strike(_ folders: LibraryFolders) async throws {
      let path = folders.folder.path(LibraryDatabase.name)
      let bytes = try folders.folder.read(LibraryDatabase.name)
      #expect(bytes.count > 40_000)
      func write(_ bytes: [UInt8]) throws { try folders.folder.write(LibraryDatabase.name, bytes) }
      switch self {
      case .deleted: try FileManager.default.removeItem(atPath: path)
      case .empty: try write([])
      case .noise: try write((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) })
      case .truncated: try write(Array(bytes.dropLast(20_000)))
      case .page: try write(bytes.prefix(8192) + bytes.dropFirst(8192).map { _ in 0xA5 })
      case .table: try await folders.execute("DROP TABLE episode")
      case .older:
        try FileManager.default.removeItem(atPath: path)
        try await folders.execute("CREATE TABLE folder (name TEXT)")
      }
    }
  }

  @Test("the index of a newer podget is not changed, and podget prints a note")
  func newer() async throws {
    try folders.add("a", to: "P")
    #expect(folders.library.reading().notice == nil)
    try await folders.execute("PRAGMA user_version = 99")
    let bytes = try folders.folder.read(LibraryDatabase.name)
    try folders.add("b", to: "P")
    let reading = folders.library.reading()
    #expect(reading.episodes.map(\.path) == ["P/a.mp3", "P/b.mp3"])
    #expect(reading.notice?.contains("newer podget") == true)
    #expect(throws: LibraryDatabase.Failure.newer) {
      try LibraryDatabase(library: folders.library).episodes()
    }
    #expect(try folders.folder.read(LibraryDatabase.name) == bytes)
  }

  @Test("if it cannot be opened, the records are read")
  func unavailable() throws {
    try folders.add("a", to: "P")
    try folders.folder.write("\(LibraryDatabase.name)/in the way", "")
    #expect(folders.indexed == nil)
    let reading = folders.library.reading()
    #expect(reading.episodes.map(\.path) == ["P/a.mp3"])
    #expect(reading.notice?.contains("cannot be used") == true)
  }

  @Test("for an unreadable record the index keeps its state, and an error is reported")
  func unreadable() throws {
    try folders.add("a", to: "P")
    try folders.add("b", to: "Q")
    #expect(folders.statuses().count == 2)
    try move("P/\(FolderRecords.name)", to: "away")
    try folders.folder.write("P/\(FolderRecords.name)/in the way", "")
    for _ in 1...2 {
      let reading = folders.library.reading()
      #expect(reading.episodes.map(\.path) == ["P/a.mp3", "Q/b.mp3"])
      #expect(reading.errors.map(\.code) == [.disk])
      #expect(reading.errors.first?.message.contains("P/\(FolderRecords.name)") == true)
    }
    let template = try FilenameTemplate(parsing: "{podcast}/New {title}.{ext}")
    #expect(throws: PodgetError.self) {
      let reading = folders.library.reading()
      _ = try folders.library.moves(to: template, of: reading.episodes, in: reading)
    }
    try FileManager.default.removeItem(atPath: folders.folder.path(".podget"))
    let bare = folders.library.reading()
    #expect(bare.episodes.map(\.path) == ["Q/b.mp3"])
    #expect(bare.errors.map(\.code) == [.disk])
    try FileManager.default.removeItem(
      atPath: folders.folder.path("P/\(FolderRecords.name)"))
    try move("away", to: "P/\(FolderRecords.name)")
    #expect(folders.library.reading().errors.isEmpty)
    #expect(folders.statuses().count == 2)
  }

  @Test("an episode in two folders is listed once, whatever other keys look like")
  func twice() throws {
    for number in 0..<50 { try folders.add("episode \(number)", to: "P") }
    try folders.add("episode 7", to: "Q", isThere: false)
    try folders.add("episode 8", to: "A", isThere: false)
    let statuses = folders.statuses()
    #expect(statuses.count == 50)
    #expect(statuses.allSatisfy { $0.key.hasPrefix("P/") && $0.value == "complete" })
  }

  @Test("a folder without podcasts is not changed; one with some gets an index")
  func strange() throws {
    let strange = try TemporaryFolder()
    try strange.write("Holidays/photograph", "")
    let library = try #require(try Library.open(strange.path, creating: false))
    #expect(library.episodes().isEmpty)
    #expect(strange.files == ["Holidays/photograph"])
    try folders.add("a", to: "P")
    try FileManager.default.copyItem(
      atPath: folders.folder.path("P"), toPath: strange.path("P"))
    #expect(library.episodes().count == 1)
    #expect(strange.contains(LibraryDatabase.name))
  }
  @Test("a new library gets an index as soon as something is recorded, also in the library itself")
  func new() throws {
    let new = try TemporaryFolder()
    try new.write(".podget/partial/keep", "")
    let library = try #require(try Library.open(new.path, creating: false))
    #expect(library.episodes().isEmpty)
    #expect(!new.contains(LibraryDatabase.name))
    try folders.add("a", to: "P")
    for name in try FileManager.default.contentsOfDirectory(atPath: folders.folder.path("P")) {
      try FileManager.default.copyItem(
        atPath: folders.folder.path("P/\(name)"), toPath: new.path(name))
    }
    #expect(library.episodes().count == 1)
    #expect(new.contains(LibraryDatabase.name))
  }
}
