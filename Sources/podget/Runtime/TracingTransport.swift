import PodcastKit
import Synchronization

/// A transport that writes requests and answers to standard error, without secrets: user names,
/// passwords and queries of addresses are hidden, and so are the values of header fields that may
/// contain any.
final class TracingTransport: Transport {
  private let transport: any Transport
  private let write: @Sendable (String) -> Void
  private let count = Mutex(0)

  /// Traces the requests that go through another transport.
  init(_ transport: any Transport, write: @escaping @Sendable (String) -> Void) {
    self.transport = transport
    self.write = write
  }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let start = ContinuousClock.now
    let trace = HTTPTrace(number: number)
    write(trace.lines(of: request))
    let observer = ObservingReceiver(receiver) { [write] in write(trace.lines(of: $0)) }
    let end = await transport.perform(request, receiver: observer, control: control)
    if let head = end.head, !observer.hasHead { write(trace.lines(of: head)) }
    write(trace.line(of: end, bytes: observer.bytes, after: .now - start))
    return end
  }
}

/// Passes on an answer, and traces its head and its size.
private final class ObservingReceiver: ResponseReceiver {
  private let receiver: any ResponseReceiver
  private let noteHead: @Sendable (ResponseHead) -> Void
  private let state = Mutex((hasHead: false, bytes: 0))

  init(_ receiver: any ResponseReceiver, noteHead: @escaping @Sendable (ResponseHead) -> Void) {
    self.receiver = receiver
    self.noteHead = noteHead
  }

  var hasHead: Bool { state.withLock { $0.hasHead } }
  var bytes: Int { state.withLock { $0.bytes } }

  func receive(head: ResponseHead) -> Bool {
    state.withLock { $0.hasHead = true }
    noteHead(head)
    return receiver.receive(head: head)
  }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    state.withLock { $0.bytes += body.count }
    return receiver.receive(body: body)
  }

  var isFull: Bool { receiver.isFull }

  func settle() { receiver.settle() }
}

/// The lines of one request in a trace, each with the request's number, because several run at the
/// same time.
struct HTTPTrace: Sendable {
  let number: Int

  /// The fields whose values are written; any other one may contain a token.
  private static let shownFields: Set<String> = [
    "accept", "accept-encoding", "accept-ranges", "age", "cache-control", "connection",
    "content-disposition", "content-encoding", "content-length", "content-range", "content-type",
    "date", "etag", "expires", "if-modified-since", "if-none-match", "if-range", "last-modified",
    "pragma", "range", "retry-after", "server", "transfer-encoding", "user-agent",
    "vary", "via",
  ]

  /// The request line and the fields that podget adds to those of libcurl.
  func lines(of request: HTTPRequest) -> String {
    var lines = [line("> GET \(AddressRedaction.shown(request.url))")]
    if let start = request.rangeStart { lines.append(line("> Range: bytes=\(start)-")) }
    lines += request.headers.map { field($0, ">") }
    return lines.joined()
  }

  /// The status and the fields of an answer.
  func lines(of head: ResponseHead) -> String {
    ([line("< HTTP \(head.status)")] + head.fields.map { field($0, "<") }).joined()
  }

  /// How the transfer ended.
  func line(of end: TransferEnd, bytes: Int, after time: Duration) -> String {
    let cause =
      switch end.cause {
      case .complete: "complete"
      case .refused: "ended by podget"
      case .aborted: "aborted"
      case .stalled: "stalled"
      case .unanswered: "no answer"
      case .slow: "slow"
      case .truncated: "complete, but its coding ends too early"
      case .network(let reason), .handshake(let reason), .tls(let reason),
        .undecodable(let reason), .unusable(let reason):
        "failed: \(reason)"
      }
    let milliseconds =
      time.components.seconds * 1000
      + time.components.attoseconds / 1_000_000_000_000_000
    return line("* \(cause), \(bytes) bytes in \(milliseconds) ms")
  }

  private func field(_ field: HTTPField, _ direction: String) -> String {
    let name = field.name.lowercased()
    if name == "location" {
      // A relative address may have a query or a fragment too.
      let address = field.value.prefix { $0 != "?" && $0 != "#" }
      let rest = address.endIndex == field.value.endIndex ? "" : "?…"
      return line("\(direction) \(field.name): \(AddressRedaction.shown(String(address)))\(rest)")
    }
    let isShown = Self.shownFields.contains(name)
    return line(
      "\(direction) \(field.name): \(isShown ? AddressRedaction.shown(in: field.value) : "…")")
  }

  private func line(_ text: String) -> String { "[\(number)] \(TerminalText.safe(text))\n" }
}
