import Foundation
import TestSupport
import Testing

@testable import PodcastLibrary
@testable import PodcastModel

/// Lines of episodes that were marked as played while only their feeds had them.
@Suite struct ListedMarksTests {
  private typealias Entry = FolderContents.Entry

  private let planned = Entry(
    key: EpisodeKey(named: "a"), podcast: StoredPodcast(Podcast(title: "P")),
    episode: StoredEpisode(Episode(title: "E", enclosure: Enclosure(url: "u"))))
  private let name = EntryName("e.mp3")

  /// The line of another machine that has the file.
  private var finished: FolderFact {
    var entry = planned
    (entry.file, entry.bytes, entry.downloadedAt) = (name, 5, Date().timestamp)
    return FolderFact(.finished, entry, at: Date())
  }

  private func entry(_ facts: [FolderFact]) throws -> Entry {
    try #require(FolderContents(facts).entry(planned.key))
  }

  private func listed(_ entry: Entry) -> FolderFact {
    var entry = entry
    return entry.markListed(as: name, at: Date())
  }

  @Test func `a file of another machine stays when that is taken back`() throws {
    let played = listed(planned)
    let there = finished
    let unplayed = try entry([played]).unlisted(at: Date())
    #expect(try entry([played, unplayed]).file == nil)
    for facts in [[played, unplayed, there], [there, unplayed, played]] {
      let merged = try entry(facts)
      #expect(merged.file == name && merged.removedAt == nil && merged.downloadedAt != nil)
    }
    // And again: the later line counts.
    let again = listed(try entry([played, unplayed]))
    #expect(try entry([again, unplayed, played]).isOnlyListed)
    let last = try entry([played, unplayed, again]).unlisted(at: Date())
    #expect(try entry([last, again, unplayed, played]).file == nil)
  }

  @Test func `a file of another machine is not removed by it`() throws {
    let there = finished
    let merged = try entry([there, listed(planned)])
    #expect(merged.removedAt == nil && merged.finishedFile == name && !merged.isOnlyListed)
    #expect(merged.marks.isPlayed)
    // But by a person.
    let removed = FolderFact(.removed, merged, at: Date())
    #expect(try entry([there, removed]).removedAt != nil)
  }

  @Test func `a removal on purpose is not taken back`() throws {
    let played = listed(planned)
    #expect(try entry([played]).isOnlyListed && entry([played]).marks.isOnlyListed)
    let removed = FolderFact(.removed, try entry([played]), at: Date())
    let merged = try entry([played, removed])
    #expect(!merged.isOnlyListed && merged.removedAt != nil && merged.marks.isPlayed)
    // Also one of a machine that did not know of the mark.
    let other = FolderFact(.removed, planned, at: Date())
    #expect(try !entry([played, other]).isOnlyListed)
  }
}
