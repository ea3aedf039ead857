import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Finding the lines about one episode") struct RecordLinesTests {
  private let folder: TemporaryFolder
  private let directory: OpenFile
  private let place: RelativePath

  init() throws {
    folder = try TemporaryFolder()
    directory = try OpenFile.folder(folder.path, creating: false)
    place = try #require(RelativePath("P"))
  }

  private func fact(_ kind: FolderFact.Kind, _ key: EpisodeKey, at: String? = nil) -> FolderFact {
    FolderFact(
      fact: kind.rawValue, key: key, podcast: StoredPodcast(Podcast(title: "P")),
      episode: StoredEpisode(
        Episode(
          guid: "d41d8cd98f00b204e9800998ecf8427e", title: "T",
          enclosure: Enclosure(url: "https://a.example/a.mp3"))),
      file: "a.mp3", bytes: 5, at: at)
  }

  /// A counter of the bytes that were read.
  private final class Count: Sendable {
    private let bytes = Mutex(0)
    var value: Int { bytes.withLock { $0 } }
    func add(_ count: Int) { bytes.withLock { $0 += count } }
  }

  @Test("an episode's lines come in their order, and those of no other") func order() throws {
    let lines = RecordLines()
    #expect(try lines.facts(about: "a", in: directory, at: place).isEmpty)
    let facts = [
      fact(.finished, "a"), fact(.finished, "b"), fact(.starred, "a"), fact(.removed, "a", at: "1"),
    ]
    try FolderRecords.append(facts, in: directory)
    #expect(try lines.facts(about: "a", in: directory, at: place) == [0, 2, 3].map { facts[$0] })
    #expect(try lines.facts(about: "b", in: directory, at: place) == [facts[1]])
    // A text of the same form is no key.
    #expect(
      try lines.facts(about: "d41d8cd98f00b204e9800998ecf8427e", in: directory, at: place).isEmpty)
  }

  @Test("a growing record is read once, however often it is queried") func growing() throws {
    let count = Count()
    let lines = RecordLines { count.add($0) }
    let episodes = 300
    for number in 0..<episodes {
      let key = EpisodeKey(named: "\(number)")
      #expect(try lines.facts(about: key, in: directory, at: place).isEmpty)
      try FolderRecords.append([fact(.finished, key)], in: directory)
    }
    let size = try folder.read(FolderRecords.name).count
    // Besides the record, its last bytes are compared each time.
    #expect(count.value < size + episodes * 256)
    for number in 0..<episodes {
      let key = EpisodeKey(named: "\(number)")
      #expect(try lines.facts(about: key, in: directory, at: place) == [fact(.finished, key)])
    }
    #expect(count.value < 3 * size + episodes * 2 * 256)
  }

  @Test("a replaced record is read again", arguments: [true, false])
  func replaced(isAnotherFile: Bool) throws {
    let lines = RecordLines()
    try FolderRecords.append([fact(.finished, "a"), fact(.finished, "b")], in: directory)
    #expect(try lines.facts(about: "a", in: directory, at: place).count == 1)
    let text = String(decoding: try folder.read(FolderRecords.name), as: UTF8.self)
    let another = text.split(separator: "\n").reversed().map { "\($0)\n\($0)\n" }.joined()
    let changed = another.replacing(EpisodeKey("a").text, with: EpisodeKey("c").text)
    if isAnotherFile {
      try FileManager.default.removeItem(atPath: folder.path(FolderRecords.name))
    }
    try Data(changed.utf8).write(to: URL(filePath: folder.path(FolderRecords.name)))
    #expect(try lines.facts(about: "a", in: directory, at: place).isEmpty)
    #expect(try lines.facts(about: "c", in: directory, at: place).count == 2)
    try FileManager.default.removeItem(atPath: folder.path(FolderRecords.name))
    #expect(try lines.facts(about: "c", in: directory, at: place).isEmpty)
  }

  @Test("a line without its end counts, also once it has one; one that is too long does not")
  func unusual() throws {
    let lines = RecordLines()
    try FolderRecords.append([fact(.finished, "a"), fact(.finished, "b")], in: directory)
    let whole = try folder.read(FolderRecords.name)
    try folder.write(FolderRecords.name, Array(whole.dropLast()))
    #expect(try lines.facts(about: "b", in: directory, at: place) == [fact(.finished, "b")])
    try FolderRecords.append([fact(.starred, "b")], in: directory)
    #expect(
      try lines.facts(about: "b", in: directory, at: place)
        == [fact(.finished, "b"), fact(.starred, "b")])
    let line = String(decoding: try JSONEncoder().encode(fact(.finished, "c")), as: UTF8.self)
    let spaces = String(repeating: " ", count: 1 << 20)
    let long = line.replacing("{\"", with: "{\(spaces)\"", maxReplacements: 1)
    let before = String(decoding: try folder.read(FolderRecords.name), as: UTF8.self)
    try folder.write(FolderRecords.name, before + long + "\n" + line + "\n")
    #expect(try lines.facts(about: "c", in: directory, at: place) == [fact(.finished, "c")])
    #expect(try lines.facts(about: "b", in: directory, at: place).count == 2)
  }

  @Test("the library finds a file in another Unicode form, unless it is another episode's")
  func forms() throws {
    let folders = try LibraryFolders()
    let (composed, decomposed) = ("\u{FC}", "u\u{308}")
    try folders.add(composed, to: "P", isThere: false)
    let local = try #require(folders.recorded.first)
    #expect(try folders.library.recorded(local.plan)?.status == .missing)
    try folders.folder.write("P/\(decomposed).mp3", [1, 1, 1, 1, 1])
    #expect(try folders.library.recorded(local.plan)?.status == .complete)
    try folders.add(decomposed, to: "P")
    #expect(try folders.library.recorded(local.plan)?.status == .missing)
  }
}

extension RecordLines {
  /// What a record says of one episode, without the index.
  func facts(
    about key: EpisodeKey, in folder: OpenFile, at path: RelativePath
  ) throws -> [FolderFact] {
    try facts(about: [key], in: folder, at: path)[key] ?? []
  }
}
