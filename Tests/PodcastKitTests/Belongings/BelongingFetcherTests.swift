import Foundation
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Downloading what is stored beside episodes") struct BelongingFetcherTests {
  private let folders: LibraryFolders

  init() throws {
    folders = try LibraryFolders()
    try folders.add("a", to: "P")
  }

  private func job(
    _ offers: [PlannedBelonging], artwork: String?
  ) throws -> BelongingFetcher.Job {
    let local = try #require(folders.recorded.first)
    var podcast = local.podcast
    podcast.artworkURL = artwork
    return BelongingFetcher.Job(
      key: local.plan.episodeKey, podcast: podcast, episode: local.episode,
      path: try #require(RelativePath(local.path)), offers: offers)
  }

  private func run(
    _ transport: ScriptedTransport, clock: any Clock<Duration> = ContinuousClock(),
    artwork: String? = nil, _ offers: [PlannedBelonging]
  ) async throws -> [BelongingEvent] {
    let channel = EventChannel()
    let fetcher = BelongingFetcher(
      folders.library,
      feeds: FeedCatalog(transport: transport, retries: RetryPolicy(retries: 0)), clock: clock,
      now: { Date() }
    ) { channel.send($0) }
    fetcher.add(try job(offers, artwork: artwork))
    fetcher.end()
    await fetcher.run()
    channel.finish()
    var events: [BelongingEvent] = []
    for await case .belonging(let event) in channel.stream { events.append(event) }
    return events
  }

  @Test("an answer that never ends is given up after a while, and wanted later") func endless()
    async throws
  {
    let url = "https://a.example/1.vtt"
    let events = try await run(
      ScriptedTransport([url: [.endless]]), clock: RecordedClock(),
      [
        PlannedBelonging(.transcript, url: url),
        try #require(PlannedBelonging(.notes, text: "words\n")),
      ])
    #expect(events.map(\.kind) == [.notes, .transcript])
    guard case .failure(let error) = events.last?.result else {
      Issue.record("It is no failure.")
      return
    }
    #expect(error.code == .timeout)
    #expect(folders.others("a") == ["P/a.md"] && folders.recorded.map(\.isWanting) == [true])
  }

  @Test(
    "only what was asked for is stored",
    arguments: [
      ("WEBVTT\n\n00:00.000 --> 00:01.000\nWords\n", "P/a.vtt"), ("", nil), ("<html>Error", nil),
      ("{\"segments\":[{\"startTime\":0,\"body\":\"Words\"}]}", "P/a.json"), ("no captions", nil),
    ] as [(String, String?)])
  func content(body: String, path: String?) async throws {
    let url = "https://a.example/1.vtt"
    let events = try await run(
      ScriptedTransport([url: [.init(body: Array(body.utf8))]]),
      [PlannedBelonging(.transcript, url: url, type: "text/vtt")])
    #expect((try? events.first?.result.get()) == path)
    #expect(folders.others("a") == [path].compactMap(\.self))
  }

  @Test("one image that several episodes have is requested once") func image() async throws {
    let url = "https://a.example/1.png"
    let png = TestPNG.bytes(width: 1, height: 1, color: [0, 0, 0, 255])
    let transport = ScriptedTransport([url: [.init(body: png)]])
    let events = try await run(
      transport, [PlannedBelonging(.artwork, url: url), PlannedBelonging(.artwork, url: url)])
    #expect(transport.requests.count == 1)
    #expect(events.allSatisfy { (try? $0.result.get()) == "P/a.png" })
  }

  @Test("a cover is one file of the podcast, and none of the episode") func cover() async throws {
    let url = "https://a.example/1.png"
    let png = TestPNG.bytes(width: 1, height: 1, color: [0, 0, 0, 255])
    let transport = ScriptedTransport([url: [.init(body: png)]])
    let events = try await run(
      transport, artwork: url, [PlannedBelonging(.cover, url: url)])
    #expect(events.isEmpty)
    #expect(folders.folder.contains("P/cover.png"))
    #expect(folders.others("a").isEmpty && folders.recorded.map(\.isWanting) == [false])
  }

  @Test("an image that breaks off is not stored, and is wanted later") func broken() async throws {
    let url = "https://a.example/1.png"
    let png = TestPNG.bytes(width: 1, height: 1, color: [0, 0, 0, 255])
    let events = try await run(
      ScriptedTransport([url: [.init(body: Array(png.prefix(8)))]]), artwork: url,
      [PlannedBelonging(.artwork, url: url)])
    guard case .failure(let error) = events.first?.result else {
      Issue.record("It is no failure.")
      return
    }
    #expect(error.message == "What came is no image that can be stored: it is damaged.")
    #expect(folders.others("a").isEmpty && folders.recorded.map(\.isWanting) == [true])
  }
}
