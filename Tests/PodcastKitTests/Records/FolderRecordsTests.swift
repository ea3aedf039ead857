import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("A folder's records") struct FolderRecordsTests {
  private let folder: TemporaryFolder
  private let directory: OpenFile

  init() throws {
    folder = try TemporaryFolder()
    directory = try OpenFile.folder(folder.path, creating: false)
  }

  private func fact(_ key: String) -> FolderFact {
    FolderFact(
      fact: "finished", key: EpisodeKey(named: key),
      podcast: StoredPodcast(Podcast(id: 7, title: "Ä \"P\"\n/")),
      episode: StoredEpisode(
        Episode(
          guid: "g", title: key, duration: .seconds(90),
          enclosure: Enclosure(url: "https://a.example/\(key).mp3", length: 5))),
      file: EntryName(checked: "\(key).mp3"), bytes: 5, sha256: "00",
      downloadedAt: "2024-01-02T03:04:05Z")
  }

  private var text: String {
    get throws { String(decoding: try folder.read(FolderRecords.name), as: UTF8.self) }
  }

  @Test("facts come back as they were, after one that introduces the podcast")
  func roundTrip() throws {
    try FolderRecords.append([fact("a"), fact("b")], in: directory)
    try FolderRecords.append([fact("c")], in: directory)
    let facts = try FolderRecords.read(in: directory)
    #expect(facts.map(\.fact) == ["podcast", "finished", "finished", "finished"])
    #expect(facts.dropFirst() == [fact("a"), fact("b"), fact("c")])
    #expect(facts.first?.podcast == fact("a").podcast)
    #expect(facts.first?.episode == nil)
    #expect(try text.split(separator: "\n").count == 4)
    #expect(try text.last == "\n")
    #expect(folder.files == [FolderRecords.name])
  }

  @Test("a line that a power failure tore does not damage others", arguments: [1, 10, 100])
  func torn(count: Int) throws {
    try FolderRecords.append([fact("a"), fact("b")], in: directory)
    let whole = try text
    try folder.write(FolderRecords.name, String(whole.dropLast(count)))
    try FolderRecords.append([fact("c")], in: directory)
    let keys = try FolderRecords.read(in: directory).compactMap(\.key)
    // Only the line end is missing, so the line is complete.
    #expect(keys == (count == 1 ? ["a", "b", "c"] : ["a", "c"]))
  }

  @Test("a line that could not be read back is not written, and nothing with it")
  func tooLong() throws {
    var long = fact("b")
    long.episode?.title = String(repeating: "a", count: 1 << 20)
    for facts in [[long], [fact("a"), long]] {
      let error = #expect(throws: DiskError.self) {
        try FolderRecords.append(facts, in: directory)
      }
      #expect(error?.number == EFBIG)
    }
    #expect(folder.files.isEmpty)
    long.episode?.title.removeFirst(1000)
    try FolderRecords.append([long], in: directory)
    #expect(try FolderRecords.read(in: directory).last == long)
  }

  @Test("an unreadable record does not count as an empty one")
  func unreadable() throws {
    try folder.write("\(FolderRecords.name)/in the way", "")
    #expect(throws: DiskError.self) { try FolderRecords.read(in: directory) }
  }

  @Test("unknown lines are ignored")
  func unknown() throws {
    try FolderRecords.append([fact("a")], in: directory)
    let lines = "{\"fact\":\"dreamed\",\"key\":\"a\",\"podcast\":{\"title\":\"P\"},\"version\":1}\n"
    try folder.write(FolderRecords.name, "\n\0\0\n[]\n{}\n" + lines + (try text))
    #expect(try FolderRecords.read(in: directory).compactMap(\.key) == ["a"])
  }

  @Test("unknown fields hide no fact")
  func newer() throws {
    try FolderRecords.append([fact("a")], in: directory)
    try folder.write(
      FolderRecords.name, (try text).replacing("\"bytes\":", with: "\"mood\":\"good\",\"bytes\":"))
    #expect(try FolderRecords.read(in: directory).last == fact("a"))
  }

  @Test("a folder without records has none")
  func none() throws {
    #expect(try FolderRecords.read(in: directory).isEmpty)
  }

  @Test("writers at the same time do not mix their lines")
  func concurrent() async throws {
    let directory = directory
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        let facts = (0..<20).map { fact("\(writer)-\($0)") }
        group.addTask { for fact in facts { try FolderRecords.append([fact], in: directory) } }
      }
      try await group.waitForAll()
    }
    #expect(try Set(FolderRecords.read(in: directory).compactMap(\.key)).count == 80)
    #expect(try FolderRecords.read(in: directory).count { $0.fact == "podcast" } == 1)
  }
}
