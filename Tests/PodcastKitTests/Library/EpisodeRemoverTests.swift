import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Removing episodes") struct EpisodeRemoverTests {
  private let folder: TemporaryFolder
  private let library: Library
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private var later: Date { now + 7 * 86_400 }

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path, creating: true))
  }

  private func plan(_ name: String, in home: String = "P") -> DownloadPlan {
    DownloadPlan(
      key: "key\(name)", podcast: Podcast(title: "P"),
      episode: Episode(title: name, enclosure: Enclosure(url: "https://a.example/\(name)")),
      folder: home, stem: name, announcedExtension: "mp3")
  }

  /// Records a finished episode, with its file unless it has gone missing.
  private func finish(_ name: String, in home: String = "P", isMissing: Bool = false) throws {
    let plan = plan(name, in: home)
    let fact = FolderFact(
      fact: "finished", key: plan.episodeKey, podcast: StoredPodcast(plan.podcast),
      episode: StoredEpisode(plan.episode), file: EntryName(checked: "\(name).mp3"), bytes: 3,
      sha256: "ab",
      downloadedAt: "2025-12-01T00:00:00Z")
    let podcast = try OpenFile.folder(home, in: library.root, creating: true)
    try FolderRecords.append([fact], in: podcast)
    if !isMissing { try folder.write("\(home)/\(name).mp3", name) }
  }

  private func begin(_ name: String) throws {
    let partials = try PartialFolder(library: library.root)
    try partials.write(PartialRecord(plan(name)), .none)
    try folder.write(".podget/partial/\(EpisodeKey(named: "key\(name)")).part", "part")
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

  /// The hidden files, except the index, which every command creates, and the dates of
  /// the runs that checked the trash.
  private var hidden: [String] {
    folder.files.filter {
      $0.hasPrefix(".podget/") && !$0.hasPrefix(".podget/library.sqlite")
        && $0 != EarlierChecks.Subject.trash.path
    }
  }

  @Test("the file goes to the trash with expiry and key, and the removal is recorded")
  func trash() throws {
    try finish("One")
    try finish("Two")
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(hidden == [".podget/trash/20260108T000000Z-\(EpisodeKey(named: "keyOne")).mp3"])
    #expect(try folder.read(hidden[0]) == Array("One".utf8))
    let removed = try episode("One")
    #expect(removed.status == .removed && removed.removedAt == now && removed.bytes == 0)
    #expect(try episode("Two").status == .complete)
    #expect(!folder.contains("P/One.mp3"))
  }

  @Test("without an expiry the file is deleted") func atOnce() throws {
    try finish("One")
    #expect(try remove("One") == [.removed])
    #expect(hidden.isEmpty && !folder.contains("P/One.mp3"))
    #expect(try episode("One").status == .removed)
  }

  @Test("the bytes of a partial episode are deleted, and that is recorded") func partial() throws {
    try begin("One")
    #expect(try episode("One").status == .partial)
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(hidden.isEmpty)
    let removed = try episode("One")
    #expect(removed.status == .removed && removed.path == "P/One.mp3")
    // A foreign file with that name does not bring it back.
    try folder.write("P/One.mp3", "foreign")
    #expect(try episode("One").status == .removed)
    // It is none of podget's to remove or to verify either.
    #expect(try remove("One") == [.removed])
    #expect(try remove("One", keptUntil: later) == [.removed])
    #expect(try folder.read("P/One.mp3") == Array("foreign".utf8) && hidden.isEmpty)
    try begin("One")
    #expect(try remove("One") == [.removed])
    #expect(try folder.read("P/One.mp3") == Array("foreign".utf8) && hidden.isEmpty)
    let inventory = library.inventory(of: library.reading())
    #expect(inventory.recorded.isEmpty && inventory.untracked.map(\.path).contains("P/One.mp3"))
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
    _ = try library.mark(.starred(true), of: [before], at: now)
    let remover = EpisodeRemover(
      library: library, removesStarred: false, keptUntil: nil, now: now)
    #expect(remover.remove([before]) == [.starred])
    #expect(try episode("One").status == .complete && hidden.isEmpty)
    #expect(try remove("One", force: true) == [.removed])
    #expect(try episode("One").isStarred)
  }

  @Test("an episode in use by another podget stays") func busy() throws {
    try begin("One")
    try finish("Two")
    let partials = try PartialFolder(library: library.root)
    let held = try partials.openPart(EpisodeKey(named: "keyOne").text)
    #expect(held != nil)
    #expect(try remove("One", "Two") == [.busy, .removed])
    #expect(try episode("One").status == .partial)
  }

  @Test("expired files are deleted from the trash, and foreign files stay") func due() throws {
    try finish("One")
    try finish("Two")
    _ = try remove("One", keptUntil: later)
    _ = try remove("Two", keptUntil: later + EarlierChecks.distance)
    try folder.write(".podget/trash/mine.txt", "x")
    let day = EarlierChecks.distance
    for time in [later - 1, later, later + day - 1] {
      library.emptyTrash(at: time)
      #expect(hidden.count == 3)
    }
    library.emptyTrash(at: later + day)
    #expect(hidden.count == 3)
    // The run that counts found one of them due.
    library.emptyTrash(at: later + 2 * day)
    #expect(
      hidden == [
        ".podget/trash/20260109T000000Z-\(EpisodeKey(named: "keyTwo")).mp3",
        ".podget/trash/mine.txt",
      ])
    let laterStill = later + 3 * day
    library.emptyTrash(at: laterStill)
    #expect(hidden == [".podget/trash/mine.txt"])
    try finish("Three")
    _ = try remove("Three", keptUntil: laterStill)
    #expect(hidden.count == 2)
    library.deleteFromTrash([try episode("Three")])
    #expect(hidden == [".podget/trash/mine.txt"])
  }

  @Test("a removed episode is restored with its star") func restore() throws {
    try finish("One")
    _ = try library.mark(.starred(true), of: [try episode("One")], at: now)
    _ = try remove("One", keptUntil: later, force: true)
    let restored = try library.restore(try episode("One"), at: now)
    #expect(restored.path == "P/One.mp3" && restored.status == .complete)
    let found = try episode("One")
    #expect(found.status == .complete && found.isStarred && found.sha256 == "ab")
    #expect(found.downloadedAt == Date(timestamp: "2025-12-01T00:00:00Z"))
    #expect(hidden.isEmpty)
  }

  @Test("a restored file replaces nothing") func restoreBesideAnother() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    try folder.write("P/One.mp3", "a new file of another person")
    let removed = try episode("One")
    #expect(removed.status == .removed)
    let restored = try library.restore(removed, at: now)
    #expect(restored.path == "P/One [\(EpisodeKey(named: "keyOne").text.prefix(6))].mp3")
    #expect(try folder.read("P/One.mp3") == Array("a new file of another person".utf8))
  }

  @Test("a file that is not in the trash cannot be restored") func gone() throws {
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

  @Test("a clock that is wrong once does not empty the trash") func wrongClock() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    // One run each day, and for some hours the clock is twelve years ahead.
    let day = EarlierChecks.distance
    library.emptyTrash(at: now + day)
    for hour in 0..<5 { library.emptyTrash(at: now + 12 * 365 * day + Double(hour) * 3600) }
    for count in 1...7 { library.emptyTrash(at: now + Double(count) * day) }
    #expect(hidden.count == 1)
    // At last its time is over, and has been for a day.
    for count in 8...9 { library.emptyTrash(at: now + Double(count) * day) }
    #expect(hidden.isEmpty)
  }

  @Test(
    "two checks of one hour with a wrong clock do not confirm each other")
  func wrongClockFirst() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    try #require(unlink(folder.path(EarlierChecks.Subject.trash.path)) == 0)
    let wrong = now + 12 * 365 * EarlierChecks.distance
    library.emptyTrash(at: wrong)
    library.emptyTrash(at: wrong + 60)
    #expect(hidden.count == 1)
    library.emptyTrash(at: wrong + EarlierChecks.distance)
    #expect(hidden.isEmpty)
  }

  @Test("through a link in place of podget's folder the dates of checks are not written")
  func linkedLooks() throws {
    try folder.write("elsewhere/trash.json", "mine")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(".podget"), withDestinationPath: "elsewhere")
    var looks = EarlierChecks()
    _ = looks.add(now)
    looks.write(in: library.root)
    #expect(try folder.read("elsewhere/trash.json") == Array("mine".utf8))
    try folder.write("elsewhere/trash.json", "[\"2020-01-01T00:00:00Z\"]")
    #expect(EarlierChecks(in: library.root).dates.isEmpty)
  }

  @Test("in a group's library the group may write the dates of checks")
  func sharedLooks() throws {
    try #require(chmod(folder.path, 0o2775) == 0)
    let shared = try #require(try Library.open(folder.path, creating: false))
    var looks = EarlierChecks()
    _ = looks.add(now)
    looks.write(in: shared.root)
    var status = stat()
    try #require(stat(folder.path(EarlierChecks.Subject.trash.path), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o660)
  }

  @Test("a file that has left the trash is not restored as an empty file")
  func givenAway() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    let item = try #require(Trash(of: library).contents.items.first)
    item.delete()
    let before = folder.files
    let podcast = try OpenFile.folder("P", in: library.root, creating: false)
    let error = #expect(throws: DiskError.self) {
      try item.giveBack(as: "One.mp3", to: podcast)
    }
    #expect(error?.number == ENOENT)
    #expect(folder.files == before)
  }

  @Test("a read-only file is restored") func readOnly() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    try #require(chmod(folder.path(hidden[0]), 0o444) == 0)
    #expect(try library.restore(try episode("One"), at: now).status == .complete)
    #expect(try folder.read("P/One.mp3") == Array("One".utf8))
  }

  @Test("the trash is emptied even if podget rarely runs") func seldom() throws {
    try finish("One")
    _ = try remove("One", keptUntil: later)
    let day = EarlierChecks.distance
    library.emptyTrash(at: now + 60 * day)
    #expect(hidden.count == 1)
    library.emptyTrash(at: now + 120 * day)
    #expect(hidden.isEmpty)
  }

  @Test(
    "unreadable dates of checks are ignored",
    arguments: ["", "{", "[1,2]", "[\"soon\"]", "[\"2020-01-01T00:00:00Z\"", "\0"])
  func unreadableLooks(content: String) throws {
    try finish("One")
    try folder.write(EarlierChecks.Subject.trash.path, content)
    _ = try remove("One", keptUntil: later)
    library.emptyTrash(at: later + 90 * EarlierChecks.distance)
    #expect(hidden.count == 1)
  }

  @Test("an episode that cannot be locked does not affect the others of its folder")
  func unlockable() throws {
    for name in ["One", "Two", "Three"] { try finish(name) }
    try FileManager.default.createDirectory(
      atPath: folder.path(".podget/partial/\(EpisodeKey(named: "keyTwo")).part"),
      withIntermediateDirectories: true)
    let outcomes = try remove("One", "Two", "Three")
    #expect(outcomes[0] == .removed && outcomes[2] == .removed)
    guard case .failed(let error) = outcomes[1] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(error.code == .disk)
    #expect(folder.contains("P/Two.mp3") && !folder.contains("P/One.mp3"))
  }

  @Test func `episodes of many folders are removed and restored, and one that fails is named`()
    throws
  {
    let homes = (10..<50).map { "F\($0)" }
    for home in homes { for number in 1...3 { try finish("\(home) \(number)", in: home) } }
    let before = library.episodes()
    // What cannot be written there is no record.
    let broken = "F23/\(FolderRecords.name)"
    let record = try folder.read(broken)
    try FileManager.default.removeItem(atPath: folder.path(broken))
    try folder.write("\(broken)/in the way", "")
    let outcomes = EpisodeRemover(
      library: library, removesStarred: false, keptUntil: later, now: now
    ).remove(before)
    for (episode, outcome) in zip(before, outcomes) {
      let isBroken = episode.path.hasPrefix("F23/")
      #expect((outcome == .removed) != isBroken, "\(episode.path)")
      #expect(folder.contains(episode.path) == isBroken)
    }
    try FileManager.default.removeItem(atPath: folder.path(broken))
    try folder.write(broken, record)
    let removed = library.episodes().filter { $0.status == .removed }
    #expect(removed.count == 117)
    let results = library.restore(removed, at: now)
    for (episode, result) in zip(removed, results) {
      #expect(try result.get().key == episode.key)
      #expect(try folder.read(episode.path) == Array(episode.title.utf8))
    }
    let after = library.episodes()
    #expect(after.map(\.path) == before.map(\.path))
    #expect(after.allSatisfy { $0.status == .complete } && library.trashedFiles.isEmpty)
  }

  @Test("a star in a copy of the folder protects the episode in both") func starredCopy() throws {
    let folders = try LibraryFolders()
    for path in ["P", "P copy"] { try folders.add("a", to: path) }
    let shown = folders.library.reading()
    let copy = try #require(shown.copies(of: shown.episodes).first?.plan.folder)
    let place = try OpenFile.folder(
      #require(RelativePath(copy)), in: folders.library.root, creating: false)
    let entry = try #require(
      FolderContents(try FolderRecords.read(in: place)).entry(EpisodeKey(named: "a")))
    try FolderRecords.append([FolderFact(.starred, entry, at: now)], in: place)
    let reading = folders.library.reading()
    #expect(reading.episodes.map(\.isStarred) == [false])
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: later, now: now)
    let outcomes = remover.remove(reading.episodes, copies: reading.copies(of: reading.episodes))
    #expect(outcomes == [.starred])
    #expect(folders.folder.contains("P/a.mp3") && folders.folder.contains("P copy/a.mp3"))
  }
}
