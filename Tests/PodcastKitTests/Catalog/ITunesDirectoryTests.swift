import Foundation
import PodcastKit
import PodcastModel
import PodcastTransfer
import TestSupport
import Testing

@Suite("Apple's catalog") struct ITunesDirectoryTests {
  private static let lookup =
    "https://itunes.apple.com/lookup?id=7&media=podcast&entity=podcastEpisode&limit=200&country=us"
  private static let answer = [UInt8](
    #"{"results":[{"kind":"podcast","collectionId":7,"collectionName":"Seven"}]}"#.utf8)
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private let clock = RecordedClock()

  private func directory(_ transport: ScriptedTransport, retries: Int = 3) -> ITunesDirectory {
    ITunesDirectory(
      transport: transport, retries: RetryPolicy(retries: retries), clock: clock,
      now: { Self.now }, randomness: ConstantGenerator(bits: .max))
  }

  @Test("a lookup asks for everything in one request") func lookup() async throws {
    let transport = ScriptedTransport([Self.lookup: [.init(body: Self.answer)]])
    let listing = try await directory(transport).podcast(id: 7)
    #expect(listing.podcast.title == "Seven")
    #expect(transport.requests.count == 1)
    #expect(transport.requests.first?.headers == [HTTPField("Accept-Encoding", "identity")])
    #expect(clock.waits.isEmpty)
  }

  @Test("base address and country are used") func places() async throws {
    let lookup = "http://localhost:1/x/lookup?id=7&media=podcast&entity=podcastEpisode&limit=200"
    let transport = ScriptedTransport([
      lookup + "&country=de": [.init(body: Self.answer)],
      lookup + "&country=fr": [.init(body: Self.answer)],
    ])
    let directory = ITunesDirectory(
      transport: transport, baseURL: "http://localhost:1/x/", country: "de")
    _ = try await directory.podcast(id: 7)
    _ = try await directory.podcast(id: 7, country: "fr")
    #expect(transport.requests.count == 2)
  }

  @Test("words are encoded and results keep their order") func search() async throws {
    let transport = ScriptedTransport([
      "https://itunes.apple.com/search?term=sp%C3%A4t+%26+fr%C3%BCh%2B%F0%9F%8E%99&media=podcast"
        + "&entity=podcast&limit=200&country=us": [
          .init(
            body: [UInt8](
              #"{"results":[{"kind":"podcast","collectionId":9,"collectionName":"B"},"#.utf8)
              + [UInt8](#"{"kind":"podcast","collectionId":8,"collectionName":"A"}]}"#.utf8))
        ]
    ])
    let found = try await directory(transport).search(term: "spät & früh+🎙", limit: 500)
    #expect(found.map(\.title) == ["B", "A"])
  }

  @Test("a search without results is an empty list") func searchNothing() async throws {
    let transport = ScriptedTransport([
      "https://itunes.apple.com/search?term=x&media=podcast&entity=podcast&limit=50&country=us": [
        .init(body: Array(try Fixtures.data("Lookups/empty.json")))
      ]
    ])
    #expect(try await directory(transport).search(term: "x") == [])
  }

  @Test("transient failures are retried, with doubling waits")
  func retries() async throws {
    let transport = ScriptedTransport([
      Self.lookup: [
        .init(status: 403), .init(.network("broken")), .init(.stalled), .init(body: Self.answer),
      ]
    ])
    #expect(try await directory(transport).podcast(id: 7).podcast.title == "Seven")
    #expect(clock.waits == [.seconds(1), .seconds(2), .seconds(4)])
  }

  @Test("attempts end with the last failure") func exhausted() async throws {
    let transport = ScriptedTransport([
      Self.lookup: [.init(.network("broken")), .init(status: 403)]
    ])
    let error = await #expect(throws: PodgetError.self) {
      try await directory(transport, retries: 1).podcast(id: 7)
    }
    #expect(error?.code == .httpStatus)
    #expect(error?.httpStatus == 403)
    #expect(error?.message.contains("20 requests a minute") == true)
    #expect(transport.requests.count == 2)
  }

  @Test("permanent failures are not retried")
  func permanent() async throws {
    let complaint = Array(try Fixtures.data("Lookups/error.json"))
    for (answer, code, words) in [
      (.init(status: 404), .httpStatus, "404"), (.init(.tls("bad")), .tls, "bad"),
      (.init(.unusable("odd")), .network, "odd"),
      (.init(status: 400, body: complaint), .httpStatus, "Invalid value(s) for key(s): [country]"),
    ] as [(ScriptedTransport.Answer, PodgetError.Code, String)] {
      let transport = ScriptedTransport([Self.lookup: [answer, .init(body: Self.answer)]])
      let error = await #expect(throws: PodgetError.self) {
        try await directory(transport).podcast(id: 7)
      }
      #expect(error?.code == code)
      #expect(error?.message.contains(words) == true)
      #expect(transport.requests.count == 1)
    }
  }

  @Test("Retry-After is honored up to five minutes") func retryAfter() async throws {
    let transport = ScriptedTransport([
      Self.lookup: [
        .init(status: 429, fields: [HTTPField("retry-after", "300")]),
        .init(status: 503, fields: [HTTPField("Retry-After", "301")]),
        .init(body: Self.answer),
      ]
    ])
    let error = await #expect(throws: PodgetError.self) {
      try await directory(transport).podcast(id: 7)
    }
    #expect(clock.waits == [.seconds(300)])
    #expect(error?.httpStatus == 503)
    #expect(error?.message.contains("2023-11-14 22:18 UTC") == true)
  }

  @Test("a Retry-After date is one of the server's clock") func serverClock() async throws {
    // Ten minutes ahead of `now`.
    let fields = [
      HTTPField("Date", "Tue, 14 Nov 2023 22:23:20 GMT"),
      HTTPField("Retry-After", "Tue, 14 Nov 2023 22:23:30 GMT"),
    ]
    let transport = ScriptedTransport([
      Self.lookup: [.init(status: 429, fields: fields), .init(body: Self.answer)]
    ])
    #expect(try await directory(transport).podcast(id: 7).podcast.title == "Seven")
    #expect(clock.waits == [.seconds(10)])
  }

  @Test("cancelling ends a request") func cancelled() async throws {
    let transport = ScriptedTransport([Self.lookup: [.endless]])
    let directory = directory(transport)
    let task = Task { try await directory.podcast(id: 7) }
    task.cancel()
    let result = await task.result
    #expect(throws: PodgetError(.network, "The request to itunes.apple.com was stopped.")) {
      try result.get()
    }
    #expect(transport.requests.count == 1)
  }

  @Test("cancelling ends the wait for another attempt") func cancelledWait() async throws {
    let transport = ScriptedTransport([
      Self.lookup: [.init(.network("broken")), .init(body: Self.answer)]
    ])
    let directory = directory(transport)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await directory.podcast(id: 7)
    }
    let result = await task.result
    #expect(throws: PodgetError(.network, "The request to Apple's catalog was stopped.")) {
      try result.get()
    }
    #expect(transport.requests.count == 1)
  }
}
