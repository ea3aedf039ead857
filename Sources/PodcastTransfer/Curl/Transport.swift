/// Transfers bytes from a server to a receiver: the interface between podget's decisions and
/// libcurl.
///
/// The real one is ``CurlSession``; tests use scripted ones.
public protocol Transport: Sendable {
  /// Performs one request, without following redirects, and returns when it has ended.
  ///
  /// The receiver is called on the transport's own thread, never concurrently for one transfer.
  /// After this returns it is not called again. Task cancellation is ignored here: use `control` to
  /// end a transfer early.
  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd
}

/// Receives a response as it arrives, on the transport's thread; it must not block for long.
public protocol ResponseReceiver: Sendable {
  /// Called once, at the blank line after the final (non-1xx) head, before any byte of the body.
  /// Returning false ends the transfer as ``TransferEnd/Cause/refused``.
  func receive(head: ResponseHead) -> Bool

  /// Called for each piece of the body, in order. Returning false ends the transfer as
  /// ``TransferEnd/Cause/refused``; the bytes are valid during the call only.
  func receive(body: UnsafeRawBufferPointer) -> Bool

  /// Whether no more of a body should come now; asked before each piece, and between decoded blocks of
  /// 64 KiB. Then the transfer waits, without a time limit, until the receiver calls
  /// ``TransferControl/look()``.
  var isFull: Bool { get }

  /// Called twice within about a second after a piece of the body, if no other comes. What was kept
  /// in memory since the last call can be written then; what came later has another call.
  func settle()
}

extension ResponseReceiver {
  /// Every piece can be taken.
  public var isFull: Bool { false }

  /// Nothing is kept in memory.
  public func settle() {}
}

/// How one transfer ended.
public struct TransferEnd: Sendable, Hashable {
  /// Why it ended.
  public enum Cause: Sendable, Hashable {
    /// The message was complete by its framing (RFC 9112, section 8).
    case complete
    /// The receiver refused the rest.
    case refused
    /// ``TransferControl/abort()`` was called.
    case aborted
    /// No byte of header or body arrived during the stall timeout.
    case stalled
    /// The same, and nothing of an answer had arrived before.
    case unanswered
    /// Too little arrived for minutes, and others waited; worth a retry later.
    case slow
    /// No connection, a lost one, or an incomplete message; worth a retry.
    case network(String)
    /// The TLS handshake was interrupted; worth a retry.
    case handshake(String)
    /// A certificate that is not trusted or cannot be read; not worth a retry.
    case tls(String)
    /// The message was complete, but a coding of its body ends too early; worth a retry.
    case truncated
    /// The body is not in the coding that its head names; not worth a retry.
    case undecodable(String)
    /// Anything that a retry cannot fix, such as a malformed address.
    case unusable(String)
  }

  /// Why it ended.
  public var cause: Cause
  /// The final head, if there was one.
  public var head: ResponseHead?
  /// The absolute address of a redirect, if the final head is one.
  public var redirect: String?

  /// Creates an end.
  public init(_ cause: Cause, head: ResponseHead? = nil, redirect: String? = nil) {
    self.cause = cause
    self.head = head
    self.redirect = redirect
  }
}
