package import FoundationEssentials
package import PodcastModel
import Synchronization

/// A small document that was fetched completely, such as an answer of a directory.
package struct FetchedDocument: Sendable, Hashable {
  /// The final head; its status is below 400.
  package var head: ResponseHead
  /// The complete body; as sent, unless the request accepts content codings.
  package var body: Data
  /// The address that answered, after any redirects, without user name and password.
  package var url: String
}

/// The head of an answer, and where it came from.
package struct FetchedAnswer: Sendable, Hashable {
  /// The final head; its status is from 200 to 299, or 304 when that was accepted.
  package var head: ResponseHead
  /// The address that answered, after any redirects, without user name and password.
  package var url: String
  /// The redirects that led there, in order.
  package var hops: [FeedRedirect] = []
}

/// Why a document could not be fetched, with what is needed to decide on another attempt.
package struct FetchFailure: Error, Sendable, Hashable {
  /// The message for the user.
  package var error: PodgetError
  /// Whether the same request may succeed a little later. Apple's 403 is not included here.
  package var isTransient: Bool
  /// The answer, if its status of 400 and above was the reason.
  package var answer: FetchedDocument?
  /// The redirects that led to the answer, in order.
  package var hops: [FeedRedirect] = []
  /// Whether the answer's Retry-After is longer than podget waits; ``error`` says so.
  package var isPostponed = false

  /// Creates a failure.
  package init(error: PodgetError, isTransient: Bool, answer: FetchedDocument? = nil) {
    self.error = error
    self.isTransient = isTransient
    self.answer = answer
  }
}

extension Transport {
  /// Fetches a document into memory, following at most ten redirects.
  ///
  /// `Accept-Encoding: identity` is added to a request that accepts no content codings. An https address is not left for an http
  /// one unless that is allowed; cookies last as long as the redirects. Cancelling the task ends the
  /// transfer; the failure that follows is not transient.
  ///
  /// - Parameter acceptsNotModified: whether 304 is an answer, as for a request with validators.
  package func fetch(
    _ request: HTTPRequest, maximumBytes: Int, allowsInsecureRedirects: Bool = false,
    acceptsNotModified: Bool = false
  ) async throws(FetchFailure) -> FetchedDocument {
    var request = request
    if !request.acceptsCodings {
      request.headers.append(HTTPField("Accept-Encoding", "identity"))
    }
    let (answer, body) = try await fetch(
      request, maximumBytes: maximumBytes, allowsInsecureRedirects: allowsInsecureRedirects,
      acceptsNotModified: acceptsNotModified
    ) { _, _ in
      BoundedBody(maximumBytes: maximumBytes)
    } content: {
      $0.data
    }
    return FetchedDocument(head: answer.head, body: body.data, url: answer.url)
  }

  /// Fetches a document into a receiver, in the same way. A new receiver takes the answer of each
  /// address; the last one has the document.
  ///
  /// - Parameters:
  ///   - maximumBytes: how many bytes the receiver accepts, for the message when it refuses more.
  ///   - acceptsNotModified: whether 304 is an answer, as for a request with validators.
  ///   - makeBody: makes a receiver for the answer of an address, which has no user name and
  ///     password, with what pauses the transfer.
  ///   - content: the body of an answer with a status of 400 and above.
  package func fetch<Body: ResponseReceiver>(
    _ request: HTTPRequest, maximumBytes: Int, allowsInsecureRedirects: Bool,
    acceptsNotModified: Bool = false,
    into makeBody: (_ url: String, _ control: TransferControl) -> Body, content: (Body) -> Data
  ) async throws(FetchFailure) -> (answer: FetchedAnswer, body: Body) {
    var chain = RedirectChain(request.url, allowsInsecureRedirects: allowsInsecureRedirects)
    var hops: [FeedRedirect] = []
    while true {
      guard let address = chain.address else {
        let shown = AddressRedaction.withoutCredentials(request.url)
        throw FetchFailure(.network, "The address \"\(shown)\" is not a web address")
      }
      let url = AddressRedaction.withoutCredentials(chain.url)
      let control = TransferControl()
      let body = makeBody(url, control)
      let end = await performCancellably(
        chain.request(request, at: Date()), receiver: body, control: control)
      if let target = end.redirect {
        if request.body != nil {
          throw FetchFailure(
            .redirect, "\(address.host) redirects to another address; give that one")
        }
        do throws(RedirectChain.Refusal) {
          try chain.follow(target, end.head, at: Date())
        } catch {
          throw FetchFailure(error: PodgetError(error, of: address.host), isTransient: false)
        }
        if let next = FeedURL(AddressRedaction.withoutCredentials(chain.url)) {
          hops.append(FeedRedirect(status: end.head?.status ?? 0, target: next))
        }
        continue
      }
      if let head = end.head, head.status >= 400 {
        var failure = FetchFailure(
          answer: FetchedDocument(head: head, body: content(body), url: url), host: address.host)
        failure.hops = hops
        throw failure
      }
      if let failure = FetchFailure(end.cause, host: address.host, maximumBytes) { throw failure }
      guard let head = end.head,
        (200..<300).contains(head.status) || acceptsNotModified && head.status == 304
      else {
        let status = end.head.map { " (HTTP \($0.status))" } ?? ""
        throw FetchFailure(
          .decoding, "\(address.host) sent an answer without a document\(status)")
      }
      return (FetchedAnswer(head: head, url: url, hops: hops), body)
    }
  }

  /// Performs a request as ``perform(_:receiver:control:)`` does; cancelling the task ends it.
  package func performCancellably(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    await withTaskCancellationHandler {
      await perform(request, receiver: receiver, control: control)
    } onCancel: {
      control.abort()
    }
  }
}

extension FetchFailure {
  /// A failure that a retry cannot fix.
  fileprivate init(_ code: PodgetError.Code, _ sentence: String) {
    self.init(error: PodgetError(code, sentence + "."), isTransient: false)
  }

  fileprivate init(answer: FetchedDocument, host: String) {
    let status = answer.head.status
    self.init(
      error: PodgetError(
        .httpStatus, "\(host) answered with the error HTTP \(status).", httpStatus: status,
        remedy: status == 401 ? .logIn : nil),
      isTransient: RetryPolicy.isTransient(status: status), answer: answer)
  }

  /// The failure for a transfer's end; nil when there is none.
  fileprivate init?(_ cause: TransferEnd.Cause, host: String, _ maximumBytes: Int) {
    switch cause {
    case .complete: return nil
    case .refused:
      self.init(.decoding, "\(host) sent more than the \(maximumBytes) bytes that are accepted")
    case .aborted, .stalled, .unanswered, .slow, .network, .handshake, .tls, .truncated,
      .undecodable, .unusable:
      let error = PodgetError(cause, of: host)
      self.init(
        error: error ?? PodgetError(.network, "The request to \(host) was stopped."),
        isTransient: cause.isTransient)
    }
  }
}

/// Collects a body up to a limit, and refuses the rest.
private final class BoundedBody: ResponseReceiver {
  private let maximumBytes: Int
  private let collected = Mutex(Data())

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  var data: Data { collected.withLock { $0 } }

  func receive(head: ResponseHead) -> Bool { true }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    collected.withLock { data in
      guard body.count <= maximumBytes - data.count else { return false }
      data.append(contentsOf: body)
      return true
    }
  }
}
