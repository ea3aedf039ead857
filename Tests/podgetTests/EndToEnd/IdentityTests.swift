import Foundation
import TestSupport
import Testing

@testable import PodcastModel

/// An episode that the library knows from a feed is the one that Apple's catalog lists.
@Suite(.serialized) struct IdentityTests {
  private let episodes = (1...3).map { PodcastServer.Episode(Int64($0), "Number \($0)") }

  private func outcomes(_ change: (inout Episode) -> Void) async throws -> [String: String] {
    let listener = try Listener(PodcastServer(episodes))
    try listener.recordFromFeed(Array(episodes[..<2]), change: change)
    let before = listener.folder.files
    let result = try await listener.run(
      "download", listener.podcast, "--all", "--dry-run", "--json")
    #expect(result.status == .exited(0))
    let show = try await listener.run("show", listener.podcast, "--all", "--json")
    let skipped = try result.events().outcomes
    let statuses = Dictionary(
      uniqueKeysWithValues: zip(
        try show.values("episode", "title"), try show.values("status")))
    #expect(statuses.filter { $0.value == "complete" }.keys.sorted() == skipped.keys.sorted())
    #expect(listener.folder.files.filter { !$0.contains(".podget/") } == before)
    #expect(listener.server.downloads.isEmpty)
    return skipped
  }

  /// What a feed says differently from the directory, besides the ids.
  enum Difference: CaseIterable {
    case nothing, trackedAddress, otherHost, correctedTitle, timeOfDay

    func apply(to episode: inout Episode) {
      switch self {
      case .nothing: break
      case .trackedAddress:
        let place = episode.enclosure.url.dropFirst("http://".count)
        episode.enclosure = Enclosure(url: "https://pdst.fm/e/\(place)?source=feed")
      case .otherHost:
        episode.enclosure = Enclosure(url: "https://cdn.example.org/\(episode.title)")
      case .correctedTitle: episode.title += ", corrected"
      case .timeOfDay: episode.date = episode.date?.addingTimeInterval(3000)
      }
    }
  }

  @Test("however the feed differs", arguments: Difference.allCases)
  func known(difference: Difference) async throws {
    let expected = ["Number 1": "skipped", "Number 2": "skipped"]
    #expect(try await outcomes(difference.apply) == expected)
  }

  @Test("the same day alone does not make it known") func unknown() async throws {
    let skipped = try await outcomes { episode in
      episode.title = "Another one"
      episode.enclosure = Enclosure(url: "https://cdn.example.org/another")
    }
    #expect(skipped.isEmpty)
  }
}
