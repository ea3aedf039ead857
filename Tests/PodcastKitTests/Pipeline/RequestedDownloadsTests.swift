import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

/// Episodes that somebody asks for while a run is open.
@Suite("Requested downloads") struct RequestedDownloadsTests {
  private let folder: TemporaryFolder
  private let library: Library

  init() throws {
    folder = try TemporaryFolder()
    library = try #require(try Library.open(folder.path("library"), creating: true))
  }

  private typealias Requests = AsyncStream<DownloadRequest>.Continuation

  /// Serves requests until they end, and returns what happened to their episodes.
  private func serve(
    isDryRun: Bool = false, with belongings: Belongings = .none, begin: (Requests) -> Void,
    react: (DownloadEvent, DownloadRun, Requests) async -> Void = { _, _, _ in }
  ) async throws -> [DownloadEvent] {
    let configuration = CurlSession.Configuration(userAgent: "podget-test", proxy: "")
    return try await CurlSession.with(configuration) { session in
      var options = DownloadOptions()
      options.retries = RetryPolicy(retries: 0, baseDelay: .zero)
      options.belongings = belongings
      let run = try DownloadRun(
        library: library, transport: session, options: options, isDryRun: isDryRun)
      let (stream, requests) = AsyncStream.makeStream(of: DownloadRequest.self)
      async let all: Void = run.download(stream)
      begin(requests)
      var events: [DownloadEvent] = []
      for await case .episode(let event) in run.events {
        events.append(event)
        await react(event, run, requests)
      }
      await all
      return events
    }
  }

  private func request(
    _ numbers: ClosedRange<Int64>, of server: PodcastServer, notes: String? = nil,
    refused: @escaping @Sendable (PodgetError) -> Void = { _ in }
  ) -> DownloadRequest {
    let episodes = numbers.map { number in
      Episode(
        guid: "guid-\(number)", title: "Number \(number)",
        enclosure: Enclosure(url: "\(server.origin)/\(number).mp3", mimeType: "audio/mpeg"))
    }
    let listing = PodcastListing(podcast: Podcast(id: 7, title: "Show"), episodes: episodes)
    let details = episodes.map { episode in
      var details = EpisodeDetails()
      details.description = notes
      return (episode, details)
    }
    return DownloadRequest(
      .listed(listing, episodes, details: Dictionary(uniqueKeysWithValues: details)),
      refused: refused)
  }

  @Test func `each request is planned after the one before`() async throws {
    let server = try PodcastServer((1...4).map { PodcastServer.Episode($0, "Number \($0)") })
    let events = try await serve { requests in
      requests.yield(request(1...2, of: server))
      requests.yield(request(2...4, of: server))
      requests.finish()
    }
    #expect(events.count { if case .finished = $0.kind { true } else { false } } == 4)
    // The second one is there, or is on its way: it is not downloaded twice.
    #expect(server.downloads.count == 4)
    #expect(folder.files.count { $0.hasPrefix("library/Show/Number") } == 4)
  }

  @Test func `what is stored beside episodes is stored beside those, too`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "Number 1")])
    _ = try await serve(with: Belongings([.notes])) { requests in
      requests.yield(request(1...1, of: server, notes: "words"))
      requests.finish()
    }
    #expect(try folder.read("library/Show/Number 1.md") == Array("words\n".utf8))
  }

  @Test func `a dry run refuses each request, and ends`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "Number 1")])
    let refusals = Mutex<[String]>([])
    let events = try await serve(isDryRun: true) { requests in
      for _ in 1...2 {
        requests.yield(
          request(1...1, of: server) { error in refusals.withLock { $0.append(error.message) } })
      }
      requests.finish()
    }
    #expect(events.isEmpty && server.downloads.isEmpty)
    #expect(refusals.withLock { $0 }.count == 2)
  }

  @Test func `what ended and was asked for again can be controlled`() async throws {
    let server = try PodcastServer([PodcastServer.Episode(1, "Number 1", size: 400_000)])
    server.hold = 100_000
    let rounds = 60
    var (cancelled, lost) = (0, 0)
    let events = try await serve { requests in
      requests.yield(request(1...1, of: server))
    } react: { event, run, requests in
      switch event.kind {
      case .started:
        // The end of the one before may still be on its way.
        for _ in 1...20 { await Task.yield() }
        if await run.running(event.plan.key) == nil {
          lost += 1
          server.hold = nil
        }
        if cancelled == rounds { server.hold = nil } else { await run.cancel([event.plan.key]) }
      case .cancelled:
        cancelled += 1
        requests.yield(request(1...1, of: server))
      case .finished: requests.finish()
      default: break
      }
    }
    #expect(lost == 0 && cancelled == rounds)
    #expect(events.count(where: \.kind.isTerminal) == rounds + 1)
  }

  @Test func `all can be cancelled at once, planned or not, and asked for again`() async throws {
    let server = try PodcastServer(
      (1...30).map { PodcastServer.Episode($0, "Number \($0)", size: 400_000) })
    server.hold = 100_000
    var (planned, cancelled): (Set<String>, Set<String>) = ([], [])
    let events = try await serve { requests in
      requests.yield(request(1...30, of: server))
    } react: { event, run, requests in
      switch event.kind {
      case .planned where cancelled.isEmpty:
        planned.insert(event.plan.key)
        // They are planned and not all of them wait in the queue yet.
        if planned.count == 30 { await run.cancel(planned) }
      case .cancelled:
        cancelled.insert(event.plan.key)
        guard cancelled.count == 30 else { return }
        server.hold = nil
        await run.want([event.plan.key])
        requests.yield(request(3...3, of: server))
        requests.finish()
      default: break
      }
    }
    #expect(cancelled == planned && planned.count == 30)
    #expect(events.count { if case .finished = $0.kind { true } else { false } } == 1)
    #expect(library.unfinished().count == 29)
  }
}
