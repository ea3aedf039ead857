import Foundation
import LoopbackServer
import PodcastTransfer
import Synchronization
import TestSupport

/// The servers of a simulated year, without a network: each request is answered at once, at the time of
/// the test's clock.
final class YearTransport: Transport {
  /// The requests for the feed of a podcast.
  struct Requests: Sendable {
    var all = 0
    /// Those of them that were answered with 304.
    var unchanged = 0
  }

  private struct State {
    var requests: [Int: Requests] = [:]
    /// The podcasts whose login went to a server that it is not for.
    var leaks: Set<Int> = []
  }

  private let podcasts: [Int: YearPodcast]
  private let now: @Sendable () -> Date
  private let media = MP3Maker.bytes(seed: 1, length: 2000)
  private let state = Mutex(State())

  /// The servers of podcasts.
  ///
  /// - Parameter now: the true time.
  init(_ podcasts: [YearPodcast], now: @escaping @Sendable () -> Date) {
    self.podcasts = Dictionary(uniqueKeysWithValues: podcasts.map { ($0.number, $0) })
    self.now = now
  }

  /// The requests for feeds so far, by the numbers of the podcasts.
  var requests: [Int: Requests] { state.withLock { $0.requests } }

  /// The podcasts whose login went to a server that it is not for.
  var leaks: Set<Int> { state.withLock { $0.leaks } }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let answer = answer(to: request)
    guard case .answer(let status, var fields, let body) = answer else {
      return TransferEnd(.network("Connection refused"))
    }
    fields.append(HTTPField("Content-Length", String(body.count)))
    let head = ResponseHead(status: status, fields: fields)
    let redirect = head.first("Location")
    guard receiver.receive(head: head) else { return TransferEnd(.refused, head: head) }
    if !body.isEmpty, !body.withUnsafeBytes({ receiver.receive(body: $0) }) {
      return TransferEnd(.refused, head: head)
    }
    return TransferEnd(.complete, head: head, redirect: redirect)
  }

  private enum Answer {
    case refused
    case answer(status: Int, fields: [HTTPField], body: [UInt8])

    static func status(_ status: Int) -> Answer { .answer(status: status, fields: [], body: []) }
  }

  private func answer(to request: HTTPRequest) -> Answer {
    guard let address = YearPodcast.Address(request.url), let podcast = podcasts[address.podcast]
    else { return .status(404) }
    let hasLogin = request.headers.contains { $0.name == "Authorization" }
    if hasLogin, !podcast.takesLogin(at: address) {
      state.withLock { _ = $0.leaks.insert(podcast.number) }
    }
    if podcast.takesLogin(at: address), !hasLogin { return .status(401) }
    if let episode = address.episode {
      guard !podcast.lacks(episode, at: now()) else { return .status(404) }
      return .answer(
        status: 200,
        fields: [
          HTTPField("ETag", "\"\(episode)\""), HTTPField("Content-Type", "audio/mpeg"),
        ], body: media)
    }
    let answer = feed(podcast, address, request)
    state.withLock { state in
      state.requests[podcast.number, default: Requests()].all += 1
      if case .answer(304, _, _) = answer {
        state.requests[podcast.number]?.unchanged += 1
      }
    }
    return answer
  }

  private func feed(
    _ podcast: YearPodcast, _ address: YearPodcast.Address, _ request: HTTPRequest
  ) -> Answer {
    let now = now()
    guard podcast.isReached(at: now) else { return .refused }
    guard let feed = podcast.feed(address, at: now) else { return .status(404) }
    let known = request.headers.first { $0.name == "If-None-Match" }?.value
    let answer = feed.answer(known: known)
    return .answer(
      status: answer.status, fields: answer.fields.map { HTTPField($0.name, $0.value) },
      body: answer.body)
  }
}
