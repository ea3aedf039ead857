import Foundation
import Glibc
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

/// The index reads only the new lines of a record where that is enough, and then has the same as if
/// it had read all.
@Suite("Reading only what was added to a record") struct FolderTailTests {
  private let folders: LibraryFolders

  init() throws { folders = try LibraryFolders() }

  private var record: String { folders.folder.path("P/\(FolderRecords.name)") }

  private func home() throws -> OpenFile {
    try OpenFile.folder("P", in: folders.library.root, creating: true)
  }

  private func entry(_ key: String) throws -> FolderContents.Entry? {
    FolderContents(try FolderRecords.read(in: home())).entry(EpisodeKey(named: key))
  }

  private func say(_ kind: FolderFact.Kind, _ key: String) throws {
    let entry = try #require(try entry(key))
    try FolderRecords.append([FolderFact(kind, entry, at: Date())], in: home())
  }

  /// Adds bytes to the record as they are.
  private func append(_ text: String) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: record))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// Changes bytes of the record in their place, at a time that differs from that of before.
  private func overwrite(at offset: Int, with bytes: [UInt8]) throws {
    func changed() throws -> Int64? {
      try home().status(of: FolderRecords.name).map { FileStamp($0).changed }
    }
    let before = try changed()
    // A tick of the clock takes some milliseconds.
    repeat {
      let file = open(record, O_WRONLY)
      defer { close(file) }
      try #require(pwrite(file, bytes, bytes.count, off_t(offset)) == bytes.count)
    } while try changed() == before
  }

  /// How the folder is read now, as one of few or of many.
  private func kind(settled: Bool) throws -> String {
    let path = folders.folder.path(LibraryDatabase.name)
    let open: @Sendable () throws -> SQLiteConnection = {
      try SQLiteConnection(path: path, patience: 5_000)
    }
    let db = try open()
    let now = Int64((Date().timeIntervalSince1970 + (settled ? 60 : 0)) * 1_000_000_000)
    let scan = FolderScan(root: folders.library.root, now: now)
    let known = try LibraryRows.folders(db)
    let kinds = [64, 1].map { many in
      let changes = scan.changes(
        since: known, FolderTails(db, readingAheadFrom: many, open: open))
      guard let folder = changes.scanned.first(where: { $0.path.text == "P" }) else {
        return "unchanged"
      }
      return folder.touched.map { "\($0.count) touched" } ?? "whole"
    }
    return kinds[0] == kinds[1] ? kinds[0] : "\(kinds)"
  }

  /// What happens to a folder with the episodes a, b, c and ü, of which b has no file.
  enum Change: String, CaseIterable {
    case nothing, star, twoStars, arrival, removal, restored, unicodeRemoval, podcastLine
    case unknownLine, olderVersion
    case byHand, foreign, edited, editedAndAdded, shorter, replaced, torn, refused, copy
    case otherForm, renamedForm, sharedName, zeros, swapped, back

    /// How it is read.
    var reading: [String] {
      switch self {
      case .nothing: ["unchanged"]
      case .star, .arrival, .removal, .restored, .unicodeRemoval, .olderVersion: ["1 touched"]
      case .twoStars: ["2 touched"]
      case .podcastLine, .unknownLine: ["0 touched"]
      default: ["whole"]
      }
    }
  }

  private func make(_ change: Change) throws {
    let path = folders.folder.path("P")
    switch change {
    case .nothing: break
    case .star: try say(.starred, "a")
    case .twoStars:
      try say(.starred, "a")
      try say(.starred, "b")
      try say(.unstarred, "a")
    case .arrival: try folders.add("é", to: "P")
    case .removal:
      try say(.removed, "a")
      try FileManager.default.removeItem(atPath: "\(path)/a.mp3")
    case .restored:
      try folders.folder.write("P/b.mp3", [1, 1, 1, 1, 1])
      try say(.finished, "b")
    case .unicodeRemoval:
      try say(.removed, "ü")
      try FileManager.default.removeItem(atPath: "\(path)/ü.mp3")
    case .podcastLine:
      let podcast = StoredPodcast(Podcast(title: "New title"))
      try FolderRecords.append([FolderFact(fact: "podcast", podcast: podcast)], in: home())
    case .unknownLine: try append("{\"fact\":\"sung\",\"version\":9}\nnot even JSON\n")
    case .olderVersion:
      let line = try #require(
        String(decoding: folders.folder.read("P/\(FolderRecords.name)"), as: UTF8.self)
          .split(separator: "\n").dropFirst().first)
      try append(line.replacing("finished", with: "starred") + "\n")
    case .byHand: try FileManager.default.removeItem(atPath: "\(path)/a.mp3")
    case .foreign:
      try folders.folder.write("P/cover.jpg", [1])
      try say(.starred, "a")
    case .edited, .editedAndAdded:
      let bytes = try folders.folder.read("P/\(FolderRecords.name)")
      let place = try #require(
        bytes.indices.first { bytes[$0...].starts(with: "Title a".utf8) })
      try overwrite(at: place, with: Array("Täle a".utf8))
      if change == .editedAndAdded { try append("x\n") }
    case .shorter:
      #expect(truncate(record, off_t(try folders.folder.read("P/.podget.ndjson").count - 30)) == 0)
    case .replaced:
      try FileManager.default.copyItem(atPath: record, toPath: "\(record).new")
      #expect(rename("\(record).new", record) == 0)
    case .torn: try append("{\"fact\":\"starred")
    case .refused:
      let line = try #require(
        String(decoding: folders.folder.read("P/\(FolderRecords.name)"), as: UTF8.self)
          .split(separator: "\n").last)
      try append(line.replacing("\"bytes\":5", with: "\"bytes\":-5") + "\n")
    case .copy:
      try FileManager.default.copyItem(
        atPath: record, toPath: "\(path)/.podget.sync-conflict-1.ndjson")
      try say(.starred, "a")
    case .otherForm:
      #expect(rename("\(path)/ü.mp3", "\(path)/u\u{308}.mp3") == 0)
      try say(.starred, "ü")
    case .renamedForm: #expect(rename("\(path)/ü.mp3", "\(path)/u\u{308}.mp3") == 0)
    case .sharedName:
      var entry = try #require(try entry("c"))
      entry.file = "b.mp3"
      try FolderRecords.append([FolderFact(.finished, entry, at: Date())], in: home())
    case .zeros:
      let count = try folders.folder.read("P/\(FolderRecords.name)").count
      try overwrite(at: count - 60, with: [UInt8](repeating: 0, count: 60))
      try append("\n")
      try say(.starred, "b")
    case .swapped:
      // One file goes and another one comes, and a line says neither.
      #expect(rename("\(path)/a.mp3", "\(path)/b.mp3") == 0)
      try say(.starred, "c")
    case .back:
      try say(.moved, "a")
      #expect(rename("\(path)/a.mp3", "\(path)/.a") == 0)
      _ = folders.statuses()
      #expect(rename("\(path)/.a", "\(path)/a.mp3") == 0)
      try folders.add("a", to: "P")
    }
  }

  @Test(
    "it is read as a whole only where the new lines are not enough", arguments: Change.allCases,
    [true, false])
  func kinds(change: Change, settled: Bool) throws {
    for key in ["a", "b", "c", "ü"] { try folders.add(key, to: "P", isThere: key != "b") }
    #expect(folders.statuses().count == 4)
    try make(change)
    let kind = try kind(settled: settled)
    #expect(change.reading.contains(kind) || kind == "0 touched" && change == .nothing)
    #expect(Set(folders.statuses().keys).isSuperset(of: ["P/a.mp3"]) || change == .back)
    // It can go on from there.
    try folders.add("later", to: "P")
    #expect(folders.statuses()["P/later.mp3"] == "complete")
  }

  @Test("a line that is not about the episode says that the index does not fit")
  func exchangedLines() throws {
    for key in ["a", "b"] { try folders.add(key, to: "P") }
    #expect(folders.statuses().count == 2)
    let bytes = try folders.folder.read("P/\(FolderRecords.name)")
    let lines = Array(bytes.split(separator: 0x0A).suffix(2))
    try #require(lines[0].count == lines[1].count)
    func facts() throws -> Int? {
      let db = try SQLiteConnection(
        path: folders.folder.path(LibraryDatabase.name), patience: 5_000)
      let index = FolderIndex(db)
      let path = try #require(RelativePath("P"))
      let folder = try #require(try index.folder(path))
      let log = try #require(try FolderRecords.log(in: home()).existing())
      return try index.facts(
        about: EpisodeKey(named: "a"), in: folder.id, of: log, before: .max)?.count
    }
    #expect(try facts() == 1)
    try overwrite(at: lines[0].startIndex, with: Array(lines[1] + [0x0A] + lines[0]))
    #expect(try facts() == nil)
  }

  @Test("one new line costs no more in a long record than in a short one")
  func bytes() throws {
    func read(_ work: () throws -> Void) throws -> Int {
      func count() throws -> Int {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        return try #require(Int(text.split(separator: "\n")[0].split(separator: " ")[1]))
      }
      let before = try count()
      try work()
      return try count() - before
    }
    let first = try OpenFile.folder("P", in: folders.library.root, creating: true)
    let podcast = StoredPodcast(Podcast(id: 7, title: "P"))
    let facts = try (0..<300).map { number in
      let episode = Episode(
        guid: "guid \(number)", title: "Title \(number)",
        enclosure: Enclosure(url: "https://a.example/\(number).mp3"))
      var entry = FolderContents.Entry(
        key: EpisodeKey(named: "\(number)"), podcast: podcast, episode: StoredEpisode(episode))
      // The index does not have this.
      entry.episode.integrity = String(repeating: "x", count: 30_000)
      entry.file = EntryName("\(number).mp3")
      try folders.folder.write("P/\(number).mp3", [1])
      return FolderFact(.finished, entry, at: Date())
    }
    try FolderRecords.append(facts, in: first)
    let size = try folders.folder.read("P/\(FolderRecords.name)").count
    let key = EpisodeKey(named: "150")
    let whole = try read { #expect(folders.library.reading(.keys([key])).episodes.count == 1) }
    #expect(whole > size)
    for mark in [true, false] {
      let episode = try #require(folders.library.reading(.keys([key])).episodes.first)
      let marking = try read {
        _ = try folders.library.mark(.starred(mark), of: [episode], at: Date())
      }
      #expect(marking < size / 4)
      let next = try read {
        #expect(folders.library.reading(.keys([key])).episodes.map(\.isStarred) == [mark])
      }
      // Most of it are the pages of the index.
      #expect(next < size / 4, "\(next) bytes of a record of \(size)")
    }
    #expect(folders.indexed?.map(\.path) == folders.recorded.map(\.path))
  }

  /// What two writers, a synchronizer, an editor and a power cut may do to a folder.
  private func step(_ random: inout SeededGenerator, _ number: Int) throws {
    let names = ["a", "b", "c", "ü", "u\u{308}", "東"]
    let key = names.randomElement(using: &random) ?? "a"
    let path = folders.folder.path("P")
    switch Int.random(in: 0..<20, using: &random) {
    case 0...3: try folders.add(key, to: "P", isThere: Bool.random(using: &random))
    case 4, 5:
      guard try entry(key) != nil else { return }
      try say(Bool.random(using: &random) ? .starred : .unstarred, key)
    case 6, 7:
      guard try entry(key) != nil else { return }
      try say(.removed, key)
      if Bool.random(using: &random) { unlink("\(path)/\(key).mp3") }
    case 8:
      guard try entry(key) != nil else { return }
      try say(.moved, key)
      unlink("\(path)/\(key).mp3")
    case 9:
      guard var entry = try entry(key), entry.file != nil else { return }
      let other = try #require(EntryName("\(names.randomElement(using: &random) ?? "a").mp3"))
      let facts = entry.arrival(as: other, after: entry)
      if let file = entry.file { rename("\(path)/\(file.text)", "\(path)/\(other.text)") }
      entry.file = other
      try FolderRecords.append(facts, in: home())
    case 10: unlink("\(path)/\(key).mp3")
    case 11: try folders.folder.write("P/\(key).mp3", [1, 2, 3, 4, 5])
    case 12: try append("{\"fact\":\"finished\",\"version\":3,\"key\":")
    case 13:
      // A power cut takes the last lines.
      let size = try folders.folder.read("P/\(FolderRecords.name)").count
      truncate(record, off_t(max(0, size - Int.random(in: 1...900, using: &random))))
    case 14:
      let size = try folders.folder.read("P/\(FolderRecords.name)").count
      let count = min(size, Int.random(in: 1...500, using: &random))
      guard count > 0 else { return }
      try overwrite(at: size - count, with: [UInt8](repeating: 0, count: count))
    case 15:
      let data = Data(try folders.folder.read("P/\(FolderRecords.name)"))
      guard let shorter = RecordCompaction.compacted(data) else { return }
      try shorter.write(to: URL(filePath: "\(record).new"))
      rename("\(record).new", record)
    case 16:
      // An editor writes in place.
      let bytes = try folders.folder.read("P/\(FolderRecords.name)")
      guard let place = bytes.indices.first(where: { bytes[$0...].starts(with: "Title".utf8) })
      else { return }
      try overwrite(at: place, with: Array("Tatle".utf8))
      _ = folders.statuses()
      try overwrite(at: place, with: Array("Title".utf8))
    case 17:
      // The other machine's line of an earlier version.
      guard let entry = try entry(key) else { return }
      var fact = FolderFact(.starred, entry, at: Date())
      fact.state = nil
      try FolderRecords.append([fact], in: home())
    case 18:
      let copy = "\(path)/.podget.sync-conflict-1.ndjson"
      if unlink(copy) != 0 { try FileManager.default.copyItem(atPath: record, toPath: copy) }
    default:
      guard let entry = try entry(key) else { return }
      var other = entry
      other.podcast = StoredPodcast(Podcast(title: "Title of \(number)"))
      try FolderRecords.append([other.remark(at: Date())], in: home())
    }
  }

  @Test("whatever happens, the index says what the record says", arguments: 0..<30)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try folders.add("a", to: "P")
    try folders.add("z", to: "Q")
    for number in 0..<40 {
      try step(&random, number)
      if Int.random(in: 0..<3, using: &random) > 0 { _ = folders.statuses() }
    }
    _ = folders.statuses()
  }
}
