import FoundationEssentials
import PodcastModel
import PodcastTransfer
import Synchronization

/// Requests one episode from a server in the ways that a download may request it, and observes the
/// answers.
///
/// Only GET is used, because many servers treat HEAD differently, and each answer is aborted after
/// its first bytes. Every request starts at the original address, as each attempt of a download
/// does. Usually there are five requests, at most six.
package struct ServerProbe: Sendable {
  /// The maximum number of bytes read from an answer: as many as a resumed download compares.
  package static let windowSize = 64 * 1024

  private let transport: any Transport
  private let retries: RetryPolicy
  private let allowsInsecureRedirects: Bool
  private let clock: any Clock<Duration>

  /// An entity tag that no server sends.
  private static let wrongETag = "\"podget-asks-for-no-version\""
  /// The User-Agent of a browser; some servers refuse other clients.
  private static let browser =
    "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

  /// Creates a probe.
  ///
  /// - Parameters:
  ///   - transport: performs the requests.
  ///   - retries: how often a request without an answer is repeated. An answer with an error status
  ///     is reported and not repeated.
  ///   - allowsInsecureRedirects: whether redirects from https to http are followed.
  ///   - clock: measures the waits before repeated requests.
  package init(
    transport: any Transport, retries: RetryPolicy = RetryPolicy(retries: 0),
    allowsInsecureRedirects: Bool = false, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.transport = transport
    self.retries = retries
    self.allowsInsecureRedirects = allowsInsecureRedirects
    self.clock = clock
  }

  /// Whether an address can be requested: `http://` or `https://` and a host.
  package static func canAsk(_ url: String) -> Bool {
    WebAddress(WebAddress.forRequest(url))?.isHTTP ?? false
  }

  /// Makes the requests, one after the other. Cancelling the task ends the running request and
  /// skips the others.
  package func observe(_ url: String) async -> ServerObservations {
    await observe(url, await ask(url))
  }

  /// Makes the requests that follow the first one, whose answer is known.
  func observe(_ url: String, _ plain: ProbeAnswer) async -> ServerObservations {
    var seen = ServerObservations(
      url: AddressRedaction.withoutCredentials(url), plain: plain)
    if plain.isCoded { seen.decoded = await ask(url, acceptsCodings: true) }
    guard seen.obstacle == nil else {
      if seen.whole.mayDependOnUserAgent {
        seen.browser = await ask(url, as: Self.browser, acceptsCodings: seen.decoded != nil)
      }
      return seen
    }
    // A coded body is never continued.
    guard seen.decoded == nil else { return seen }
    let middle = (plain.total ?? Int64(plain.start.count)) / 2
    if middle > 0 {
      seen.conditional = await ask(url, from: middle, ifRange: plain.validator.ifRange)
      seen.wronglyConditional = await ask(url, from: middle, ifRange: Self.wrongETag)
      seen.repeated = await ask(url, from: middle)
      if ServerReport(seen).mayResumeAtHeldAddress {
        seen.atHeldAddress = await ask(
          plain.url, original: url, from: middle, ifRange: plain.validator.ifRange)
      }
    }
    if let total = plain.total ?? seen.repeated?.total {
      seen.beyondEnd = await ask(url, from: total)
    }
    return seen
  }

  /// Makes one request, and repeats it if there is no answer.
  func ask(
    _ url: String, original: String? = nil, from start: Int64? = nil, ifRange: String? = nil,
    as userAgent: String? = nil, acceptsCodings: Bool = false
  ) async -> ProbeAnswer {
    var fields = acceptsCodings ? [] : [HTTPField("Accept-Encoding", "identity")]
    if let ifRange { fields.append(HTTPField("If-Range", ifRange)) }
    if let userAgent { fields.append(HTTPField("User-Agent", userAgent)) }
    let request = HTTPRequest(
      url: url, headers: fields, rangeStart: start, acceptsCodings: acceptsCodings)
    var attempt = 1
    while true {
      let answer = await follow(request, original: original ?? url)
      let isAnswered = answer.head != nil && !answer.start.isEmpty
      guard !isAnswered, answer.end.cause.isTransient, attempt <= retries.retries else {
        return answer
      }
      attempt += 1
      var generator = SystemRandomNumberGenerator()
      let delay = retries.delay(beforeAttempt: attempt, using: &generator)
      guard (try? await clock.sleep(for: delay)) != nil else { return answer }
    }
  }

  /// Makes one request and those of its redirects.
  private func follow(_ request: HTTPRequest, original: String) async -> ProbeAnswer {
    var chain = RedirectChain(
      request.url, original: original, allowsInsecureRedirects: allowsInsecureRedirects)
    var hops: [RedirectHop] = []
    while true {
      let receiver = Beginning()
      let asked = ContinuousClock.now
      let url = AddressRedaction.withoutCredentials(chain.url)
      let end = await perform(chain.request(request, at: Date()), receiver)
      if let target = end.redirect {
        let verdict = RedirectHop.Verdict { () throws(RedirectChain.Refusal) in
          try chain.follow(target, end.head, at: Date())
        }
        hops.append(
          RedirectHop(
            url: url, status: end.head?.status ?? 0,
            target: AddressRedaction.withoutCredentials(target), verdict: verdict))
        if verdict == .followed { continue }
      }
      let received = receiver.received
      return ProbeAnswer(
        rangeStart: request.rangeStart, acceptsCodings: request.acceptsCodings, hops: hops,
        url: url, end: end,
        start: received.bytes, timeToHead: received.headCame.map { $0 - asked })
    }
  }

  private func perform(_ request: HTTPRequest, _ receiver: Beginning) async -> TransferEnd {
    let control = TransferControl()
    return await withTaskCancellationHandler {
      await transport.perform(request, receiver: receiver, control: control)
    } onCancel: {
      control.abort()
    }
  }
}

extension ProbeAnswer {
  /// Whether the server may answer like this because it refuses unknown clients.
  fileprivate var mayDependOnUserAgent: Bool {
    guard let head else { return false }
    if case .text = content { return true }
    return head.status >= 400
  }
}

/// Keeps the first bytes of a body and refuses the rest.
private final class Beginning: ResponseReceiver {
  struct Received {
    var headCame: ContinuousClock.Instant?
    var bytes: [UInt8] = []
  }

  private let state = Mutex(Received())

  var received: Received { state.withLock { $0 } }

  func receive(head: ResponseHead) -> Bool {
    state.withLock { $0.headCame = .now }
    return true
  }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      let room = ServerProbe.windowSize - state.bytes.count
      state.bytes.append(contentsOf: body.prefix(room))
      // The file may end exactly here; only one more byte shows that it does not.
      return body.count <= room
    }
  }
}
