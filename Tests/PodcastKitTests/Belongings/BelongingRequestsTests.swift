import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Asking for what belongs beside episodes") struct BelongingRequestsTests {
  private let folders: LibraryFolders
  private let start = Date(timestamp: "2026-01-01T00:00:00Z") ?? .distantPast
  private let seen = Seen()

  /// What was reported.
  private final class Seen: Sendable {
    let notes = Mutex<[String]>([])
    let failures = Mutex(0)
  }

  init() throws { folders = try LibraryFolders() }

  private func fetcher(
    _ transport: any Transport, _ clock: any Clock<Duration> = ContinuousClock(),
    after days: Double = 0
  ) -> BelongingFetcher {
    let now = start + days * 86_400
    return BelongingFetcher(
      folders.library,
      feeds: FeedCatalog(transport: transport, retries: RetryPolicy(retries: 0)), clock: clock,
      now: { now }
    ) { [seen] event in
      switch event {
      case .note(let text): seen.notes.withLock { $0.append(text) }
      case .belonging(let event):
        if case .failure = event.result { seen.failures.withLock { $0 += 1 } }
      default: break
      }
    }
  }

  private func address(_ key: String) -> String { "https://slow.example/\(key)" }

  /// Adds episodes that lack a file which was asked for once.
  private func add(_ keys: [String], _ kind: Belonging, after days: Double = 0) throws {
    let store = BelongingStore(folders.library)
    for key in keys {
      try folders.add(key, to: "P")
      let asked = try store.needed(
        [PlannedBelonging(kind, url: address(key))], .all, of: EpisodeKey(named: key),
        at: try #require(RelativePath("P/\(key).mp3")), isAsked: false,
        now: start + days * 86_400)
      #expect(asked.count == 1)
    }
  }

  @Test("a host that lets two requests wait is left alone for the rest of the run")
  func slowHost() async throws {
    let keys = (10..<30).map { "e\($0)" }
    try add(keys, .transcript)
    let transport = ScriptedTransport(
      Dictionary(uniqueKeysWithValues: keys.map { (address($0), [.endless]) }))
    // No wait of this clock lasts, so each answer takes too long.
    let fetcher = fetcher(transport, RecordedClock(), after: 8)
    fetcher.retry(folders.recorded, .all)
    fetcher.end()
    await fetcher.run()
    // Those that were asked at once, and one.
    #expect((2...5).contains(transport.requests.count))
    #expect(seen.failures.withLock { $0 } == transport.requests.count)
    #expect(
      seen.notes.withLock { $0 } == [
        "Warning: slow.example does not answer in time. What else it has for episodes is requested later."
      ])
    #expect(folders.recorded.allSatisfy { $0.isWanting })
  }

  @Test("an image that could not be had is requested once for all episodes") func images()
    async throws
  {
    let transport = ScriptedTransport([:])
    let fetcher = fetcher(transport)
    let keys = (10..<30).map { "e\($0)" }
    for key in keys {
      try folders.add(key, to: "P")
      let episode = Episode(title: key, enclosure: Enclosure(url: "https://a.example/\(key)"))
      fetcher.add(
        BelongingFetcher.Job(
          key: EpisodeKey(named: key), podcast: Podcast(title: "P"), episode: episode,
          path: try #require(RelativePath("P/\(key).mp3")),
          offers: [PlannedBelonging(.artwork, url: address("image"))]))
    }
    fetcher.end()
    await fetcher.run()
    #expect(transport.requests.count == 1)
    #expect(seen.failures.withLock { $0 } == keys.count)
  }

  @Test("those that need nothing do not count among the fifty that are asked for again")
  func fifty() async throws {
    // These are not wanted any more, and were tried before.
    try add((100..<155).map { "a\($0)" }, .artwork)
    // These have been tried a moment ago.
    try add((100..<155).map { "b\($0)" }, .transcript, after: 8.99)
    try add((100..<160).map { "c\($0)" }, .transcript, after: 1)
    let transport = ScriptedTransport([:])
    let fetcher = fetcher(transport, after: 9)
    fetcher.retry(folders.recorded, Belongings([.transcript]))
    fetcher.end()
    await fetcher.run()
    let asked = Set(transport.requests.map(\.url))
    #expect(asked.count == 50 && asked.allSatisfy { $0.contains("/c1") })
  }
}
