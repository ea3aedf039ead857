import Foundation
import LoopbackServer
import PodcastArtwork
import PodcastModel
import TestSupport
import Testing

@testable import PodcastKit

/// Artworks for lists.
@Suite("Artwork stream") struct ArtworkStreamTests {
  private let harness: ArtworkHarness
  private let requests: [ArtworkRequest<Int>]

  init() throws {
    harness = try ArtworkHarness()
    var requests: [ArtworkRequest<Int>] = []
    for number in 0..<40 {
      harness["/\(number)"] = ArtworkHarness.Answer(body: [UInt8(number), 0, 0])
      requests.append(ArtworkRequest(number, address: harness.address("/\(number)")))
    }
    self.requests = requests
  }

  @Test func `each request has one arrival, and failures are among them`() async throws {
    harness["/7"] = ArtworkHarness.Answer(status: 404)
    harness["/8"] = ArtworkHarness.Answer(body: [1])
    var colors: [Int: UInt8] = [:]
    var failed: Set<Int> = []
    let requests = requests + [ArtworkRequest(100, address: harness.address("/0"))]
    try await harness.withCache { cache in
      for await arrival in cache.stream(of: requests) {
        switch arrival.result {
        case .success(let artwork):
          #expect(colors.updateValue(artwork.color[0], forKey: arrival.key) == nil)
        case .failure: failed.insert(arrival.key)
        }
      }
    }
    #expect(failed == [7, 8])
    #expect(colors.count == 39 && colors[100] == 0)
    #expect(colors.allSatisfy { $0.key == 100 || Int($0.value) == $0.key })
    #expect(harness.log.count == 40)
  }

  @Test func `a host gets few requests at once`() async throws {
    harness.isHeld = true
    try await harness.withCache { cache in
      let arrivals = cache.stream(of: requests)
      try await waitUntil("two are asked for") { harness.log.count == 2 }
      harness.isHeld = false
      for await _ in arrivals {}
    }
    #expect(harness.peak == 2)
  }

  @Test func `all hosts together get few requests at once`() async throws {
    var limits = ArtworkCache.Limits()
    limits.requestsPerHost = 100
    harness.isHeld = true
    try await harness.withCache(limits: limits) { cache in
      let arrivals = cache.stream(of: requests)
      try await waitUntil("six are asked for") { harness.log.count == 6 }
      harness.isHeld = false
      for await _ in arrivals {}
    }
    #expect(harness.peak <= 6)
  }

  @Test func `what is on the screen comes first`() async throws {
    try await harness.withCache { cache in
      for await _ in cache.stream(of: requests, visible: 30..<35) {}
    }
    #expect(Set(harness.log.prefix(5).map(\.path)) == Set((30..<35).map { "/\($0)" }))
    #expect(harness.log.count == 40)
  }

  @Test(arguments: [0..<0, 0..<40, 39..<200, 60..<70, -5..<3])
  func `any range may be called visible`(visible: Range<Int>) async throws {
    try await harness.withCache { cache in
      var count = 0
      for await _ in cache.stream(of: requests, visible: visible) { count += 1 }
      #expect(count == 40)
    }
  }

  @Test func `nothing is asked once the list has left the screen`() async throws {
    harness.isHeld = true
    try await harness.withCache { cache in
      let task = Task {
        var count = 0
        for await _ in cache.stream(of: requests) { count += 1 }
        return count
      }
      try await waitUntil("two are asked for") { harness.log.count == 2 }
      task.cancel()
      #expect(await task.value == 0)
      try await waitUntil("the requests have ended") { harness.connections == 0 }
      harness.isHeld = false
      #expect(try await cache.artwork(for: harness.address("/39")).color == [39, 0, 0])
    }
    #expect(harness.log.count == 3)
  }

  @Test func `a list may grow while its artworks arrive`() async throws {
    let (growing, input) = AsyncStream.makeStream(of: ArtworkRequest<Int>.self)
    try await harness.withCache { cache in
      var arrived: [Int] = []
      input.yield(requests[0])
      for await arrival in cache.stream(of: growing) {
        arrived.append(arrival.key)
        if arrived.count < 5 { input.yield(requests[arrived.count]) } else { input.finish() }
      }
      #expect(arrived == [0, 1, 2, 3, 4])
    }
  }
}
