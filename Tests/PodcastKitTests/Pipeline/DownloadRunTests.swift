import PodcastKit
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

/// A run as a Swift program sees it.
@Suite("Runs") struct DownloadRunTests {
  private let folder: TemporaryFolder
  private let library: Library

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path("library"), creating: true))
  }

  /// Downloads all of a server's podcast, and returns what happened to its episodes.
  private func download(
    from server: PodcastServer, isDryRun: Bool = false,
    onEvent: (DownloadEvent, DownloadRun) async -> Void = { _, _ in }
  ) async throws -> [DownloadEvent] {
    let configuration = CurlSession.Configuration(userAgent: "podget-test", proxy: "")
    return try await CurlSession.with(configuration) { session in
      let run = try DownloadRun(
        library: library, transport: session,
        directory: ITunesDirectory(transport: session, baseURL: server.origin), isDryRun: isDryRun)
      async let all: Void = run.download([String(PodcastServer.id)])
      var events: [DownloadEvent] = []
      for await case .episode(let event) in run.events {
        events.append(event)
        await onEvent(event, run)
      }
      await all
      return events
    }
  }

  @Test func `an episode is paused and resumed alone`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One", size: 2_000_000)])
    server.hold = 500_000
    var wasPaused = false
    let events = try await download(from: server) { event, run in
      let download = await run.running(event.plan.key)
      switch event.kind {
      case .progress where !wasPaused:
        wasPaused = true
        await download?.pause()
      case .paused:
        server.hold = nil
        await download?.resume()
      case .finished: #expect(await run.running("another") == nil)
      default: break
      }
    }
    let kinds = events.map(\.kind)
    #expect(kinds.contains(.paused) && kinds.contains(.resumed))
    #expect(kinds.last?.isTerminal == true && kinds.count(where: \.isTerminal) == 1)
    #expect(folder.files.contains("library/The Symbolic World/2024-01-01 - One.mp3"))
  }

  @Test func `a dry run plans and changes nothing`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "One")])
    let before = folder.files
    let events = try await download(from: server, isDryRun: true)
    #expect(events.map(\.kind) == [.planned(total: nil)])
    #expect(folder.files == before)
    #expect(server.downloads.isEmpty)
  }
}
