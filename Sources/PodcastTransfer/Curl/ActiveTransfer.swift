internal import CCurl
import Glibc
import PodcastModel

/// A running transfer of libcurl; used only on the loop thread.
final class ActiveTransfer {
  let order: TransferOrder
  /// When the last byte of header or body arrived, or the transfer last had a reason to wait, as of
  /// the last call of ``idleTime(at:)``.
  private var lastActivity: ContinuousClock.Instant
  /// Whether bytes have arrived since that call. A clock is not read for each piece.
  private var hasReceived = false
  private(set) var isHeld = false
  /// Whether reading waits for the rate limit.
  private(set) var isThrottled = false
  /// Whether it waits until the receiver can take more.
  private(set) var isBackedUp = false
  /// Asks the rate limit for a piece of the body; false makes it wait.
  var admits: ((Int) -> Bool)?
  private var parser = HeadParser()
  private var easy: EasyHandle?
  /// Decodes the body; nil if it is not coded.
  private var decoder: BodyDecoder?
  /// How many bytes of a piece are decoded already that libcurl delivers again, because its decoder had
  /// to stop; nil if the next piece is new.
  private var decoded: Int?
  /// Whether the final head is a redirect's; nil before its end.
  private var isRedirect: Bool?
  private var isRefused = false
  /// Why podget ended the transfer, if it was not the receiver.
  private var failure: TransferEnd.Cause?
  private var discarded = 0
  /// How many more times the receiver is asked to write what it has kept, and when it was last.
  private var settlings = 0
  private var lastSettling = ContinuousClock.Instant.now
  private var slowness: SlowTransfer
  private let began = ContinuousClock.now

  /// How many bytes are decoded before other transfers are looked at.
  private static let longestDecoding = 1 << 20
  /// A redirect's body is not used; a short one is read so that the connection can be reused.
  private static let longestDiscardedBody = 64 * 1024

  init(_ order: TransferOrder, _ slowLimit: SlowLimit) {
    self.order = order
    slowness = SlowTransfer(slowLimit)
    lastActivity = .now
  }

  /// Creates the easy handle; nil when libcurl has no memory or does not accept every option.
  func open(_ configuration: CurlSession.Configuration) -> UnsafeMutableRawPointer? {
    easy = EasyHandle(
      order.request, configuration: configuration,
      context: Unmanaged.passUnretained(self).toOpaque())
    return easy?.isComplete == true ? easy?.pointer : nil
  }

  /// Frees the handle. It must have been removed from libcurl before.
  func close() { easy = nil }

  func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
    hasReceived = true
    switch parser.take(line) {
    case .taken: return true
    case .excessive:
      failure = .network("the server sends endless header lines")
      return false
    case .completed:
      guard let head = parser.head else { return true }
      isRedirect = head.isRedirect
      guard !head.isRedirect else { return true }
      isRefused = !order.receiver.receive(head: head)
      decoder = BodyDecoder(head, acceptsCodings: order.request.acceptsCodings)
      return !isRefused
    }
  }

  /// Receives a piece of the body; the result is the return value of libcurl's write callback.
  func receive(body: UnsafeRawBufferPointer) -> Int {
    // libcurl ignores a pause before the connection exists, so it is requested again here.
    if order.control.wish == .hold {
      isHeld = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    if order.receiver.isFull {
      isBackedUp = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    if decoded == nil {
      if let admits, !admits(body.count) {
        isThrottled = true
        return Int(CURL_WRITEFUNC_PAUSE)
      }
      slowness.add(body.count)
    }
    hasReceived = true
    settlings = 2
    // After a 101 libcurl treats everything that follows as a body, which has no end.
    guard let isRedirect else {
      failure = .network("the server sends a body without a head")
      return -1
    }
    if isRedirect {
      discarded += body.count
      isRefused = discarded > Self.longestDiscardedBody
    } else if let decoder {
      switch decode(body, decoder) {
      case .taken: decoded = nil
      case .stopped(let consumed):
        decoded = (decoded ?? 0) + consumed
        isBackedUp = true
        return Int(CURL_WRITEFUNC_PAUSE)
      case .refused: isRefused = true
      case .invalid(let reason):
        failure = .undecodable(reason)
        return -1
      }
    } else {
      isRefused = !order.receiver.receive(body: body)
    }
    return isRefused ? -1 : body.count
  }

  /// Decodes what is new of a piece, until the receiver is full or somebody else has to have his turn:
  /// a piece may decode to gigabytes.
  private func decode(
    _ body: UnsafeRawBufferPointer, _ decoder: BodyDecoder
  ) -> BodyDecoder.Outcome {
    let (control, receiver) = (order.control, order.receiver)
    var budget = Self.longestDecoding
    return decoder.decode(
      UnsafeRawBufferPointer(rebasing: body.dropFirst(decoded ?? 0)),
      while: {
        if receiver.isFull || control.wish != .run { return false }
        // Nobody else would make it go on.
        if budget <= 0 { control.look() }
        return budget > 0
      },
      into: { bytes in
        budget -= bytes.count
        return receiver.receive(body: bytes)
      })
  }

  /// For how long nothing has arrived.
  ///
  /// - Parameter now: the time before the sockets were read last.
  func idleTime(at now: ContinuousClock.Instant) -> Duration {
    if hasReceived { lastActivity = now }
    hasReceived = false
    return now - lastActivity
  }

  /// How often the receiver is asked to write what it has kept. After the second time nothing that
  /// arrived is only in memory.
  static let settlingInterval = Duration.milliseconds(500)

  /// Asks the receiver, if it is time, to write what it has kept.
  ///
  /// - Returns: the time until it is to be asked again; nil if there is nothing.
  func settle(at now: ContinuousClock.Instant) -> Duration? {
    guard settlings > 0 else { return nil }
    if now - lastSettling >= Self.settlingInterval {
      lastSettling = now
      settlings -= 1
      order.receiver.settle()
    }
    return settlings > 0 ? lastSettling + Self.settlingInterval - now : nil
  }

  /// Tells the control if the transfer has been slow for a while. While podget itself makes it wait,
  /// that is not the server's doing.
  func noteSlowness(at now: ContinuousClock.Instant) {
    if isHeld || isThrottled || isBackedUp { return slowness.begin() }
    if slowness.isSlow(at: now - began) { order.control.noteSlowness() }
  }

  /// Applies the control's state to the connection; the loop handles an abort.
  ///
  /// - Returns: the code with which the transfer must end, if libcurl failed.
  func follow(_ wish: TransferControl.Wish) -> CURLcode? {
    let hold = wish == .hold
    guard hold != isHeld || (isBackedUp && !hold && !order.receiver.isFull) else { return nil }
    isHeld = hold
    isThrottled = false
    isBackedUp = false
    return pauseReceiving(hold)
  }

  /// Continues to read after the rate limit made it wait.
  ///
  /// - Returns: the code with which the transfer must end, if libcurl failed.
  func unthrottle() -> CURLcode? {
    guard isThrottled, !isHeld, !isBackedUp else { return nil }
    isThrottled = false
    return pauseReceiving(false)
  }

  private func pauseReceiving(_ paused: Bool) -> CURLcode? {
    lastActivity = .now
    let code = easy?.pauseReceiving(paused) ?? CURLE_OK
    guard code != CURLE_OK else { return nil }
    // Bytes that were delivered immediately may have been refused; otherwise it is unknown whether
    // the connection will ever be read again.
    if !isRefused { failure = failure ?? .network("libcurl could not pause or continue") }
    return code
  }

  /// The end of this transfer for libcurl's result.
  func end(_ code: CURLcode) -> TransferEnd {
    let redirect = redirect
    return TransferEnd(cause(code, redirect: redirect), head: parser.head, redirect: redirect)
  }

  /// The end of this transfer after the stall timeout, or for the sake of others.
  func end(_ cause: TransferEnd.Cause) -> TransferEnd {
    let redirect = redirect
    let cause = cause == .stalled && parser.head == nil ? .unanswered : cause
    return TransferEnd(redirect == nil ? cause : .complete, head: parser.head, redirect: redirect)
  }

  /// The absolute address that the answer redirects to; nil when it is not a redirect. The answer's
  /// body does not matter.
  private var redirect: String? {
    guard let head = parser.head, head.isRedirect else { return nil }
    return head.first("Location").flatMap {
      RedirectChain.target($0, against: order.request.url)
    }
  }

  private func cause(_ code: CURLcode, redirect: String?) -> TransferEnd.Cause {
    if redirect != nil { return .complete }
    if let failure { return failure }
    if isRefused { return .refused }
    if parser.head == nil, let status = easy?.connectStatus, status >= 300 {
      return status == 407
        ? .unusable("the proxy requires a login (407)") : .network("the proxy answers \(status)")
    }
    let text = easy?.errorDescription(code) ?? ""
    let host = WebAddress(order.request.url)?.host ?? "the server"
    return switch code {
    case CURLE_OK where parser.head == nil:
      // 7.88.1 reports success when the connection ends inside the header.
      .network("the answer ended inside its header")
    // The message is complete, and what it contains is not.
    case CURLE_OK where decoder?.isAtEnd == false: .truncated
    case CURLE_OK: .complete
    case CURLE_COULDNT_RESOLVE_HOST: .network("the name \(host) was not found")
    case CURLE_COULDNT_CONNECT:
      .network(connectFailure(text, to: host))
    case CURLE_OPERATION_TIMEDOUT: .network("\(host) did not answer in time")
    case CURLE_GOT_NOTHING: .network("\(host) closed the connection without an answer")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
      .network("\(host) aborted the connection")
    case CURLE_SSL_CONNECT_ERROR: .handshake(TLSFailure.sentence(text))
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
      .tls(TLSFailure.sentence(text))
    // libcurl's text repeats the complete value, which may contain a password.
    case CURLE_COULDNT_RESOLVE_PROXY:
      .network("the proxy's name was not found, or its address is not valid")
    case CURLE_BAD_CONTENT_ENCODING: .undecodable(text)
    case CURLE_URL_MALFORMAT, CURLE_OUT_OF_MEMORY, CURLE_FILESIZE_EXCEEDED: .unusable(text)
    default: .network(text)
    }
  }

  /// Why there is no connection. libcurl's text names whom it tried to connect to.
  private func connectFailure(_ text: String, to host: String) -> String {
    guard text.contains(host) else { return "the proxy cannot be reached" }
    guard easy?.systemError == ECONNREFUSED else { return "\(host) cannot be reached" }
    let address = WebAddress(order.request.url)
    let standard = address?.scheme == "https" ? "443" : "80"
    let port = address.map { $0.port.isEmpty ? standard : String($0.port) } ?? standard
    return "nothing listens at \(host), port \(port)"
  }
}

/// A request of a caller to the loop.
struct TransferOrder: Sendable {
  let request: HTTPRequest
  let receiver: any ResponseReceiver
  let control: TransferControl
  let completion: @Sendable (TransferEnd) -> Void
}

extension ResponseHead {
  /// Whether this head is a redirect (RFC 9110, section 15.4).
  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(status) && first("Location")?.isEmpty == false
  }
}
