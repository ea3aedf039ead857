import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastModel
@testable import PodcastTransfer

@Suite("Where episodes are now") struct CurrentAddressesTests {
  /// Plans for episodes of a podcast that has moved.
  private static func plans(_ count: Int, podcast id: Int64 = 7) -> [DownloadPlan] {
    let podcast = Podcast(id: id, title: "Show")
    return (0..<count).map { number in
      let episode = Episode(
        guid: "\(number)", title: "\(number)",
        enclosure: Enclosure(url: "https://old.example/\(number).mp3"))
      return DownloadPlan(
        key: EpisodeIdentity.key(podcast: podcast, episode: episode), podcast: podcast,
        episode: episode, folder: "Show", stem: "\(number)", announcedExtension: "mp3")
    }
  }

  /// The directory's answer about a podcast with so many episodes.
  private static func answer(_ count: Int) -> [UInt8] {
    let episodes = (0..<count).map {
      #"{"kind":"podcast-episode","trackName":"\#($0)","episodeGuid":"\#($0)","#
        + #""episodeUrl":"https://new.example/\#($0).mp3","episodeFileExtension":"mp3"}"#
    }
    let podcast = #"{"kind":"podcast","collectionId":7,"collectionName":"Show"}"#
    return [UInt8](#"{"results":[\#(([podcast] + episodes).joined(separator: ","))]}"#.utf8)
  }

  private static func addresses(_ transport: HeldTransport) -> CurrentAddresses {
    CurrentAddresses(
      ITunesDirectory(transport: transport, retries: RetryPolicy(retries: 0)),
      feeds: FeedCatalog(transport: transport, retries: RetryPolicy(retries: 0)))
  }

  @Test("one lookup serves all episodes of a podcast, later ones too")
  func shared() async throws {
    let transport = HeldTransport(status: 200, body: Self.answer(8))
    let (addresses, plans) = (Self.addresses(transport), Self.plans(8))
    let first = plans.dropLast().map { plan in Task { await addresses.address(of: plan) } }
    try await waitUntil("the directory is asked") { transport.requests > 0 }
    transport.release()
    for (number, task) in first.enumerated() {
      #expect(await task.value == "https://new.example/\(number).mp3")
    }
    #expect(await addresses.address(of: plans[7]) == "https://new.example/7.mp3")
    #expect(transport.requests == 1)
  }

  @Test("a failure is shared, and each podcast is looked up by itself")
  func failure() async {
    let transport = HeldTransport(status: 403, body: [])
    transport.release()
    let addresses = Self.addresses(transport)
    for plan in Self.plans(3) { #expect(await addresses.address(of: plan) == nil) }
    #expect(transport.requests == 1)
    for plan in Self.plans(2, podcast: 8) { #expect(await addresses.address(of: plan) == nil) }
    #expect(transport.requests == 2)
  }

  @Test("a cancelled task returns immediately, and the others get their answer")
  func cancelled() async throws {
    let transport = HeldTransport(status: 200, body: Self.answer(2))
    let (addresses, plans) = (Self.addresses(transport), Self.plans(2))
    let first = Task { await addresses.address(of: plans[0]) }
    try await waitUntil("the directory is asked") { transport.requests == 1 }
    let second = Task { await addresses.address(of: plans[1]) }
    first.cancel()
    #expect(await first.value == nil)
    transport.release()
    #expect(await second.value == "https://new.example/1.mp3")
    #expect(transport.requests == 1)
  }

  @Test("four podcasts are looked up at the same time")
  func limit() async throws {
    let transport = HeldTransport(status: 404, body: [])
    let addresses = Self.addresses(transport)
    let all = (1...9).map { id in
      Task { await addresses.address(of: Self.plans(1, podcast: id)[0]) }
    }
    try await waitUntil("four are asked for") { transport.requests == 4 }
    transport.release()
    for task in all { #expect(await task.value == nil) }
    #expect(transport.requests == 9)
    #expect(transport.peak == 4)
  }
}

/// Gives every request the same response, once the test allows it; aborted requests end at once.
private final class HeldTransport: Transport {
  private struct State {
    var requests = 0
    var running = 0
    var peak = 0
    var isReleased = false
    var held: [Int: AsyncStream<Void>.Continuation] = [:]
  }

  private let head: ResponseHead
  private let body: [UInt8]
  private let state = Mutex(State())

  init(status: Int, body: [UInt8]) {
    head = ResponseHead(status: status)
    self.body = body
  }

  var requests: Int { state.withLock { $0.requests } }
  var peak: Int { state.withLock { $0.peak } }

  func release() {
    state.withLock { state in
      state.isReleased = true
      for held in state.held.values { held.finish() }
    }
  }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    state.withLock { state in
      state.requests += 1
      state.running += 1
      state.peak = max(state.peak, state.running)
      state.held[state.requests] = continuation
      if state.isReleased { continuation.finish() }
    }
    control.attach { if control.wish == .abort { continuation.finish() } }
    if control.wish == .abort { continuation.finish() }
    // The stream must not end with the task that waits.
    await Task { for await _ in stream {} }.value
    control.detach()
    state.withLock { $0.running -= 1 }
    guard control.wish != .abort else { return TransferEnd(.aborted) }
    guard receiver.receive(head: head), body.withUnsafeBytes({ receiver.receive(body: $0) }) else {
      return TransferEnd(.refused, head: head)
    }
    return TransferEnd(.complete, head: head)
  }
}
