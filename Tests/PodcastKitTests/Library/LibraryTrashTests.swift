import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Restoring from the trash") struct LibraryTrashTests {
  private let folder: TemporaryFolder
  private let library: Library
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let day = 86_400.0

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path, creating: true))
  }

  /// Puts the episode on record with a file of these bytes.
  private func finish(_ content: String, in path: String = "P") throws {
    let podcast = try OpenFile.folder(path, in: library.root, creating: true)
    try folder.write("\(path)/One.mp3", content)
    let file = try OpenFile.ownFile("One.mp3", in: podcast, limit: .max)
    let fact = FolderFact(
      fact: "finished", key: "one", podcast: StoredPodcast(Podcast(title: "P")),
      episode: StoredEpisode(
        Episode(title: "One", enclosure: Enclosure(url: "https://a.example/1.mp3"))),
      file: "One.mp3", bytes: Int64(content.utf8.count), sha256: try file.sha256("One.mp3"),
      downloadedAt: "2025-12-01T00:00:00Z")
    try FolderRecords.append([fact], in: podcast)
  }

  private func remove(days: Double?) throws {
    let remover = EpisodeRemover(
      library: library, removesStarred: false, keptUntil: days.map { now + $0 * day }, now: now)
    #expect(remover.remove([try episode]) == [.removed])
  }

  private var episode: LocalEpisode {
    get throws { try #require(library.episodes().first) }
  }

  private var trash: [String] { folder.files.filter { $0.hasPrefix(".podget/trash/") } }

  /// Restores the episode and gives its bytes, having compared them with what is on record then.
  private func restored() throws -> String {
    let restored = try library.restore(try episode, at: now)
    let bytes = try folder.read(restored.path)
    let recorded = try episode
    #expect(recorded.status == .complete && restored.status == .complete)
    #expect(recorded.total == Int64(bytes.count) && restored.total == recorded.total)
    #expect(recorded.sha256 == restored.sha256)
    if let sha256 = recorded.sha256 {
      let podcast = try OpenFile.folder("P", in: library.root, creating: false)
      let name = LibraryPath.split(restored.path).name
      let file = try OpenFile.ownFile(name, in: podcast, limit: .max)
      #expect(try file.sha256(name) == sha256)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "of several versions the recorded one is restored, whatever their expiry",
    arguments: ["the second", "the other"])
  func versions(second: String) throws {
    try finish("the first")
    try remove(days: 30)
    try finish(second)
    try remove(days: 7)
    #expect(trash.count == 2)
    #expect(try restored() == second)
    #expect(trash.count == 1)
    // The other one waits for its time.
    #expect(try folder.read(trash[0]) == Array("the first".utf8))
  }

  @Test("several are restored at once, each as on record, and those that are gone are failures")
  func several() throws {
    let folders = try LibraryFolders()
    for key in ["a", "b", "c"] { try folders.add(key, to: "P") }
    try folders.add("d", to: "Q", bytes: 7)
    let remover = EpisodeRemover(
      library: folders.library, removesStarred: false, keptUntil: now + day, now: now)
    _ = remover.remove(folders.recorded)
    let gone = try #require(
      folders.library.trashedFiles.first { $0.key == EpisodeKey(named: "b") })
    try FileManager.default.removeItem(atPath: folders.folder.path(gone.path))
    try folders.folder.write("P/c.mp3", "a recording of mine")
    let results = folders.library.restore(folders.recorded, at: now)
    let paths = results.map { (try? $0.get())?.path }
    #expect(paths[0] == "P/a.mp3" && paths[1] == nil && paths[3] == "Q/d.mp3")
    #expect(paths[2]?.hasPrefix("P/c [") == true)
    #expect(throws: PodgetError.self) { try results[1].get() }
    let recorded = folders.recorded
    #expect(recorded.map(\.status) == [.complete, .removed, .complete, .complete])
    #expect(recorded.map(\.bytes) == [5, 0, 5, 7])
    #expect(folders.library.trashedFiles.isEmpty)
  }

  @Test("another version than the recorded one is restored as what it is") func otherVersion()
    throws
  {
    try finish("the first")
    try remove(days: 30)
    try finish("the second version")
    try remove(days: nil)
    #expect(try restored() == "the first")
    #expect(try episode.sha256 == nil)
  }

  @Test("without the recorded version, the one that was removed last is restored") func last()
    throws
  {
    try finish("the first")
    try remove(days: 30)
    let first = try #require(trash.first)
    try finish("the second version")
    try remove(days: 7)
    let second = try #require(trash.first { $0 != first })
    // The clock of a file system may be coarse.
    while !(changed(first) < changed(second)) { chmod(folder.path(second), 0o600) }
    try finish("the third version of it")
    try remove(days: nil)
    #expect(try restored() == "the second version")
  }

  private func changed(_ path: String) -> (Int, Int) {
    var status = stat()
    stat(folder.path(path), &status)
    return (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }

  @Test("a damaged file does not change its record") func damaged() throws {
    try finish("the first")
    try folder.write("P/One.mp3", "the f1rst")
    let sha256 = try episode.sha256
    try remove(days: 7)
    let restored = try library.restore(try episode, at: now)
    #expect(try folder.read(restored.path) == Array("the f1rst".utf8))
    #expect(try episode.sha256 == sha256 && sha256 != nil)
  }

  @Test("a file of another length under a removed file's name is a foreign file")
  func foreign() throws {
    try finish("the first")
    try remove(days: 7)
    try folder.write("P/One.mp3", "a recording of mine")
    #expect(try episode.status == .removed)
    #expect(library.inventory(of: library.reading()).recorded.isEmpty)
    #expect(library.inventory(of: library.reading()).untracked.map(\.path) == ["P/One.mp3"])
    for days in [7.0, nil] { try remove(days: days) }
    let again = EpisodeRemover(library: library, removesStarred: true, keptUntil: nil, now: now)
    #expect(again.remove([try episode]) == [.removed])
    #expect(try folder.read("P/One.mp3") == Array("a recording of mine".utf8))
    #expect(try restored() == "the first")
    #expect(try episode.path.hasPrefix("P/One ["))
    #expect(try folder.read("P/One.mp3") == Array("a recording of mine".utf8))
  }

  @Test("a removal that was killed before the file was removed is repeated") func killed() throws {
    try finish("the first")
    let podcast = try OpenFile.folder("P", in: library.root, creating: false)
    let contents = FolderContents(try FolderRecords.read(in: podcast), in: podcast)
    let entry = try #require(contents.entries.first)
    try FolderRecords.append([FolderFact(.removed, entry, at: now)], in: podcast)
    #expect(try episode.status == .complete)
    #expect(library.inventory(of: library.reading()).recorded.count == 1)
    try remove(days: 7)
    #expect(try episode.status == .removed)
    #expect(trash.count == 1 && !folder.contains("P/One.mp3"))
  }
}
