import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

@Suite("The result of a folder's facts") struct FolderContentsTests {
  private let episode = StoredEpisode(
    Episode(title: "One", enclosure: Enclosure(url: "https://a.example/1.mp3")))
  private let podcast = StoredPodcast(Podcast(title: "P"))

  private func fact(
    _ kind: FolderFact.Kind, _ key: EpisodeKey = "a", file: EntryName? = nil, at: String? = nil
  ) -> FolderFact {
    FolderFact(
      fact: kind.rawValue, key: key, podcast: podcast, episode: episode, file: file,
      bytes: file.map { Int64($0.text.utf8.count) }, at: at)
  }

  @Test("the last name of a file counts, and the episodes stay in order")
  func names() {
    let contents = FolderContents([
      fact(.finished, "a", file: "a.mp3"), fact(.finished, "b", file: "b.mp3"),
      fact(.finished, "a", file: "a2.mp3"),
    ])
    #expect(contents.entries.map(\.file) == ["a2.mp3", "b.mp3"])
    #expect(contents.entry("a")?.bytes == 6)
    #expect(contents.entry("c") == nil)
  }

  @Test("a star stays through a new download until it is taken")
  func stars() {
    var facts = [
      fact(.finished, file: "a.mp3"), fact(.starred), fact(.finished, file: "a.mp3"),
    ]
    #expect(FolderContents(facts).entry("a")?.isStarred == true)
    facts.append(fact(.unstarred))
    #expect(FolderContents(facts).entry("a")?.isStarred == false)
    #expect(FolderContents(facts).entry("a")?.file == "a.mp3")
  }

  @Test("a removal is recorded until the episode is downloaded again")
  func removals() {
    var facts = [
      fact(.finished, file: "a.mp3"), fact(.removed, file: "a.mp3", at: "2026-01-02T03:04:05Z"),
    ]
    #expect(FolderContents(facts).entry("a")?.removedAt == "2026-01-02T03:04:05Z")
    facts.append(fact(.finished, file: "a.mp3"))
    #expect(FolderContents(facts).entry("a")?.removedAt == nil)
  }

  @Test("incomplete lines are ignored")
  func foreign() {
    var bare = fact(.finished)
    bare.episode = nil
    let contents = FolderContents([
      fact(.podcast), bare, fact(.finished),
      FolderFact(fact: "dreamed", podcast: podcast),
    ])
    #expect(contents.podcast == podcast)
    #expect(contents.entries.allSatisfy { $0.file == nil })
  }
}
