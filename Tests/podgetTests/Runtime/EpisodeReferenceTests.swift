import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel
@testable import podget

@Suite("Which episode is meant") struct EpisodeReferenceTests {
  private static let episodes = [
    Sample.local("275 - Psalms", "2024-02-02"),
    Sample.local("274 - Psalms and Songs", "2024-02-01"),
    Sample.local("Café", podcast: Sample.other), Sample.local("42"),
    Sample.local("Gone", status: .removed),
  ]

  private func title(_ text: String, in folder: String = "/home/ann") throws -> String {
    var table = EpisodeTable(Self.episodes)
    return try EpisodeReference(text, library: "/media/pod casts", folder: folder)
      .episode(among: &table).title
  }

  @Test(
    "by guid, by path, by title, by a part of it",
    arguments: [
      ("275 - Psalms", "275 - Psalms"), ("songs", "274 - Psalms and Songs"),
      ("cafe\u{301}", "Café"),
      ("42", "42"), ("gone", "Gone"), ("another show/Café.mp3", "Café"),
      ("/media/pod casts/another show/Café.mp3", "Café"),
      ("/media/./pod casts//another show/x/../Café.mp3", "Café"),
      ("../../media/pod casts/The Symbolic World/42.mp3", "42"),
    ]) func meant(text: String, expected: String) throws
  {
    #expect(try title(text) == expected)
  }

  @Test("a path counts from the current folder too") func currentFolder() throws {
    #expect(try title("Café.mp3", in: "/media/pod casts/another show") == "Café")
    #expect(throws: PodgetError.self) { try title("Café.mp3") }
  }

  @Test("a library that is reached by a link") func link() throws {
    let folder = try TemporaryFolder()
    try folder.write("real/another show/Café.mp3", "x")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("real"))
    let reference = EpisodeReference(
      folder.path("real/another show/Café.mp3"), library: folder.path("link"), folder: "/")
    var table = EpisodeTable(Self.episodes)
    #expect(try reference.episode(among: &table).title == "Café")
  }

  @Test("an ambiguous name is reported with the ids, the newest first") func ambiguous() {
    let error = #expect(throws: PodgetError.self) { try title("psalms") }
    #expect(
      error?.message == """
        "psalms" matches 2 episodes; use an id: 275 - Psalms (275 - Psalms), 274 - Psalms and Songs \
        (274 - Psalms and Songs).
        """)
  }

  @Test("an unknown name", arguments: ["nothing", "", "/", "..", "27"]) func unknown(text: String) {
    let error = #expect(throws: PodgetError.self) { try title(text) }
    #expect(error?.code == .notFound)
  }

  @Test("one table serves many names, each as it would be alone") func many() throws {
    var table = EpisodeTable(Self.episodes)
    for episode in Self.episodes {
      for name in [episode.title, episode.path, String(episode.title.dropFirst())] {
        let reference = EpisodeReference(name, library: "/library", folder: "/")
        let together = try? reference.episode(among: &table)
        var fresh = EpisodeTable(Self.episodes)
        #expect(together == (try? reference.episode(among: &fresh)))
      }
    }
    #expect(table.named("nobody").isEmpty && table.titled(withPart: "").isEmpty)
    #expect(table.titled(withPart: "psalms") == [0, 1])
  }
}
