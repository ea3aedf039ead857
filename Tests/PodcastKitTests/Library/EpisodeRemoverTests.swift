import Foundation
import TestSupport
import Testing

@testable import PodcastKit

@Suite("Removing episodes") struct EpisodeRemoverTests {
  private let folder: TemporaryFolder
  private let library: Library
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private var later: Date { now + 7 * 86_400 }

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path, creating: true))
  }

  private func plan(_ name: String) -> DownloadPlan {
    DownloadPlan(
      key: "key\(name)", podcast: Podcast(title: "P"),
      episode: Episode(title: name, enclosure: Enclosure(url: "https://a.example/\(name)")),
      folder: "P", stem: name, announcedExtension: "mp3")
  }

  /// Records a finished episode, with its file unless it has gone missing.
  private func finish(_ name: String, isMissing: Bool = false) throws {
    let plan = plan(name)
    let fact = FolderFact(
      fact: "finished", key: plan.key, podcast: StoredPodcast(plan.podcast),
      episode: StoredEpisode(plan.episode), file: "\(name).mp3", bytes: 3, sha256: "ab",
      downloadedAt: "2025-12-01T00:00:00Z")
    let podcast = try FileDescriptor.folder("P", in: library.root, creating: true)
    try FolderRecords.append([fact], in: podcast)
    if !isMissing { try folder.write("P/\(name).mp3", name) }
  }

  private func begin(_ name: String) throws {
    let partials = try PartialFolder(library: library.root)
    try partials.write(PartialRecord(plan(name)), .none)
    try folder.write(".podget/partial/key\(name).part", "part")
  }

  private func episode(_ name: String) throws -> LocalEpisode {
    try #require(library.episodes().first { $0.plan.episode.title == name })
  }

  private func remove(
    _ names: String..., keptUntil: Date? = nil, force: Bool = false
  ) throws -> [EpisodeRemover.Outcome] {
    EpisodeRemover(library: library, removesStarred: force, keptUntil: keptUntil, now: now)
      .remove(try names.map(episode))
  }

  /// What is hidden away, the index aside, which any look at the library makes.
  private var hidden: [String] {
    folder.files.filter { $0.hasPrefix(".podget/") && !$0.hasPrefix(".podget/library.sqlite") }
  }

  @Test("the file goes to the trash under its term and key, and the removal is remembered")
  func trash() throws {
    try finish("One")
    try finish("Two")
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(hidden == [".podget/trash/20260108T000000Z-keyOne.mp3"])
    #expect(try folder.read(hidden[0]) == Array("One".utf8))
    let removed = try episode("One")
    #expect(removed.status == .removed && removed.removedAt == now && removed.bytes == 0)
    #expect(try episode("Two").status == .complete)
    #expect(!folder.contains("P/One.mp3"))
  }

  @Test("without a term the file is deleted") func atOnce() throws {
    try finish("One")
    #expect(try remove("One") == [.removed])
    #expect(hidden.isEmpty && !folder.contains("P/One.mp3"))
    #expect(try episode("One").status == .removed)
  }

  @Test("of a partial episode the bytes go, and that is remembered") func partial() throws {
    try begin("One")
    #expect(try episode("One").status == .partial)
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(hidden.isEmpty)
    let removed = try episode("One")
    #expect(removed.status == .removed && removed.path == "P/One.mp3")
    // Somebody else's file of that name does not bring it back.
    try folder.write("P/One.mp3", "foreign")
    #expect(try episode("One").status == .removed)
  }

  @Test("a missing episode is forgotten; removing again changes nothing") func missing() throws {
    try finish("One", isMissing: true)
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(try episode("One").status == .removed)
    let records = try folder.read("P/.podget.ndjson")
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(try folder.read("P/.podget.ndjson") == records)
    #expect(hidden.isEmpty)
  }

  @Test("starred episodes stay unless that is forced, whatever was known before") func starred()
    throws
  {
    try finish("One")
    let before = try episode("One")
    _ = try library.setStars(true, of: [before], at: now)
    let remover = EpisodeRemover(
      library: library, removesStarred: false, keptUntil: nil, now: now)
    #expect(remover.remove([before]) == [.starred])
    #expect(try episode("One").status == .complete && hidden.isEmpty)
    #expect(try remove("One", force: true) == [.removed])
    #expect(try episode("One").isStarred)
  }

  @Test("what another podget holds stays") func busy() throws {
    try begin("One")
    try finish("Two")
    let partials = try PartialFolder(library: library.root)
    let held = try partials.openPart("keyOne")
    #expect(held != nil)
    #expect(try remove("One", "Two") == [.busy, .removed])
    #expect(try episode("One").status == .partial)
  }

  @Test("the trash is emptied by term, and foreign files in it stay") func due() throws {
    try finish("One")
    try finish("Two")
    _ = try remove("One", keptUntil: later)
    _ = try remove("Two", keptUntil: later + 1)
    try folder.write(".podget/trash/mine.txt", "x")
    library.emptyTrash(at: later - 1)
    #expect(hidden.count == 3)
    library.emptyTrash(at: later)
    #expect(hidden == [".podget/trash/20260108T000001Z-keyTwo.mp3", ".podget/trash/mine.txt"])
    library.deleteFromTrash([try episode("Two")])
    #expect(hidden == [".podget/trash/mine.txt"])
  }

  @Test("a removed episode comes back with its star") func restore() throws {
    try finish("One")
    _ = try library.setStars(true, of: [try episode("One")], at: now)
    _ = try remove("One", keptUntil: later, force: true)
    let restored = try library.restore(try episode("One"), at: now)
    #expect(restored.path == "P/One.mp3" && restored.status == .complete)
    let found = try episode("One")
    #expect(found.status == .complete && found.isStarred && found.sha256 == "ab")
    #expect(found.downloadedAt == Date(timestamp: "2025-12-01T00:00:00Z"))
    #expect(hidden.isEmpty)
  }

  @Test("nothing is replaced by what comes back") func restoreBesideAnother() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    try folder.write("P/One.mp3", "a new one of somebody")
    // A file under its name counts as the episode come back by hand.
    let removed = try episode("One")
    #expect(removed.status == .complete)
    let restored = try library.restore(removed, at: now)
    #expect(restored.path == "P/One [keyOne].mp3")
    #expect(try folder.read("P/One.mp3") == Array("a new one of somebody".utf8))
  }

  @Test("what is not in the trash cannot come back") func gone() throws {
    try finish("One")
    _ = try remove("One")
    let error = #expect(throws: PodgetError.self) {
      try library.restore(try episode("One"), at: now)
    }
    #expect(error?.code == .notFound)
  }

  @Test("removed, fetched and removed again within a second: both files are kept") func twice()
    throws
  {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    try finish("One")
    _ = try remove("One", keptUntil: later)
    #expect(hidden.count == 2)
  }
}
