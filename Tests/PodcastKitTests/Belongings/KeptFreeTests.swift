import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Files beside episodes leave the space that stays free") struct KeptFreeTests {
  private let folders: LibraryFolders
  private let url = "https://a.example/1.vtt"
  private let image = "https://a.example/1.png"
  private let now = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let said = Said()

  /// What was said.
  private final class Said: Sendable {
    let notes = Mutex<[String]>([])
  }

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
    try folders.add("b", to: "P")
  }

  private func fetcher(_ transport: ScriptedTransport, keptFree: Int64?) -> BelongingFetcher {
    BelongingFetcher(
      folders.library, keptFree: keptFree,
      feeds: FeedCatalog(transport: transport, retries: RetryPolicy(retries: 0)),
      clock: ContinuousClock(), now: { [now] in now }
    ) { [said] event in
      if case .note(let text) = event { said.notes.withLock { $0.append(text) } }
    }
  }

  @Test(
    "nothing is requested or stored without the space, and a later run does it",
    arguments: [
      false, true,
    ])
  func full(isNew: Bool) async throws {
    let notes = try #require(PlannedBelonging(.notes, text: "words\n"))
    let none = ScriptedTransport([:])
    let full = fetcher(none, keptFree: .max)
    for local in folders.recorded {
      var podcast = local.podcast
      podcast.artworkURL = image
      full.add(
        BelongingFetcher.Job(
          key: local.plan.episodeKey, podcast: podcast, episode: local.episode,
          path: try #require(RelativePath(local.path)),
          offers: [
            notes, PlannedBelonging(.transcript, url: url), PlannedBelonging(.cover, url: image),
          ], isNew: isNew))
    }
    full.end()
    await full.run()
    #expect(none.requests.isEmpty && folders.visible == ["P/a.mp3", "P/b.mp3"])
    #expect(
      said.notes.withLock { $0 } == [
        "Warning: The disk has less free space than is to stay free. "
          + "What belongs beside episodes is stored later."
      ])
    // What a new episode lacks is on record with it.
    guard !isNew else { return }
    #expect(folders.recorded.map(\.isWanting) == [true, true])
    let body = Array("WEBVTT\n\n00:00.000 --> 00:01.000\nWords\n".utf8)
    let transport = ScriptedTransport([url: [.init(body: body), .init(body: body)]])
    let later = fetcher(transport, keptFree: nil)
    // It was no try, so nothing is waited for.
    later.retry(
      folders.recorded, .all,
      texts: Dictionary(uniqueKeysWithValues: folders.recorded.map { ($0.key, [notes]) }))
    later.end()
    await later.run()
    #expect(
      folders.visible == ["P/a.md", "P/a.mp3", "P/a.vtt", "P/b.md", "P/b.mp3", "P/b.vtt"])
  }

  @Test("what has come is not stored if it does not fit any more") func unfit() throws {
    let store = BelongingStore(folders.library, keptFree: .max)
    let error = #expect(throws: DiskError.self) {
      try store.store(
        [.init(.notes, bytes: Array("words\n".utf8), ending: ".md")],
        of: EpisodeKey(named: "a"), at: try #require(RelativePath("P/a.mp3")))
    }
    #expect(error?.podgetError.code == .diskFull)
    #expect(folders.visible == ["P/a.mp3", "P/b.mp3"])
  }
}
