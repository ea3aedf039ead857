import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("Stars") struct LibraryStarsTests {
  private let folder: TemporaryFolder
  private let library: Library
  private let plan = DownloadPlan(
    key: "key", podcast: Podcast(title: "P"),
    episode: Episode(title: "One", enclosure: Enclosure(url: "https://a.example/1")),
    folder: "P", stem: "One", announcedExtension: "mp3")

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path, creating: true))
    try PartialFolder(library: library.root).write(PartialRecord(plan), .none)
    try folder.write(".podget/partial/\(EpisodeKey(named: "key")).part", "part")
  }

  private var lines: Int { ((try? folder.read("P/.podget.ndjson")) ?? []).count { $0 == 0x0A } }

  @Test("a partial episode keeps its star until it is complete, and a second one adds nothing")
  func partial() throws {
    let episode = try #require(library.episodes().first)
    #expect(episode.status == .partial && !episode.isStarred)
    #expect(try library.mark(.starred(true), of: [episode], at: Date()).allSatisfy(\.isStarred))
    #expect(library.episodes().map(\.isStarred) == [true])
    let before = lines
    _ = try library.mark(.starred(true), of: [episode], at: Date())
    #expect(lines == before)
    _ = try library.mark(.starred(false), of: [episode], at: Date())
    #expect(library.episodes().map(\.isStarred) == [false])
    #expect(lines == before + 1)
  }
}
