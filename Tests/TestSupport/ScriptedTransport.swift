public import PodcastTransfer
import Synchronization

/// A transport that answers from a script and fails whatever the script does not name.
///
/// Responses for one address are used in order, each once.
public final class ScriptedTransport: Transport {
  /// How the transport answers one request.
  public struct Answer: Sendable {
    /// The head and the pieces of the body to deliver; nothing when there is no head.
    public var head: ResponseHead?
    /// The pieces of the body.
    public var body: [[UInt8]]
    /// How the transfer ends, when the receiver takes everything.
    public var cause: TransferEnd.Cause
    /// The target to report for a redirect.
    public var redirect: String?
    /// Whether the transfer ends only by being aborted.
    public var lasts: Bool

    /// An answer with a body.
    public init(
      status: Int = 200, fields: [HTTPField] = [], body: [UInt8] = [], redirect: String? = nil
    ) {
      head = ResponseHead(status: status, fields: fields)
      self.body = body.isEmpty ? [] : [body]
      cause = .complete
      self.redirect = redirect
      lasts = false
    }

    /// A transfer that ends without an answer.
    public init(_ cause: TransferEnd.Cause) {
      body = []
      self.cause = cause
      lasts = false
    }

    /// A transfer that never ends by itself.
    public static var endless: Answer {
      var answer = Answer(.aborted)
      answer.lasts = true
      return answer
    }
  }

  private struct State {
    var script: [String: [Answer]]
    var requests: [HTTPRequest] = []
  }

  private let state: Mutex<State>

  /// Makes a transport that knows these addresses.
  public init(_ script: [String: [Answer]]) {
    state = Mutex(State(script: script))
  }

  /// The requests made so far, in order.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Answers from the script.
  public func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let answer = state.withLock { state -> Answer? in
      state.requests.append(request)
      guard var answers = state.script[request.url], !answers.isEmpty else { return nil }
      let first = answers.removeFirst()
      state.script[request.url] = answers
      return first
    }
    guard let answer else {
      return TransferEnd(.unusable("no answer is scripted for \(request.url)"))
    }
    if answer.lasts {
      let aborted = AsyncStream<Void>.makeStream()
      control.attach { if control.wish == .abort { aborted.continuation.finish() } }
      if control.wish == .abort { aborted.continuation.finish() }
      // The stream must not end with the task that waits: only the control ends a transfer.
      await Task { for await _ in aborted.stream {} }.value
      control.detach()
      return TransferEnd(.aborted)
    }
    guard let head = answer.head else { return TransferEnd(answer.cause) }
    guard receiver.receive(head: head) else { return TransferEnd(.refused, head: head) }
    for piece in answer.body {
      let isTaken = piece.withUnsafeBytes { receiver.receive(body: $0) }
      guard isTaken else { return TransferEnd(.refused, head: head) }
    }
    return TransferEnd(answer.cause, head: head, redirect: answer.redirect)
  }
}
