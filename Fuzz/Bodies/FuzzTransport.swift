import Synchronization

@testable import PodcastTransfer

/// A server, and what libcurl delivers of it, as the bytes of an input select.
///
/// It may change the file between two responses, leave out and weaken validators, ignore ranges, send
/// wrong lengths, cut, stall and redirect. It does not do what no client could see: give one strong
/// validator to two versions, or call bytes of one place those of another.
final class FuzzTransport: Transport {
  private struct State {
    var input: FuzzInput
    var served: Set<Int> = []
    var requests = 0
  }

  private let versions: [ServedVersion]
  /// Whether every answer carries the version's strong entity tag.
  private let isHonest: Bool
  private let state: Mutex<State>
  /// Called in the middle of a body when the input says so.
  private let interrupt: @Sendable () async -> Void

  init(
    _ input: FuzzInput, versions: [ServedVersion], isHonest: Bool,
    interrupt: @escaping @Sendable () async -> Void
  ) {
    state = Mutex(State(input: input))
    self.versions = versions
    self.isHonest = isHonest
    self.interrupt = interrupt
  }

  /// Whether the input has been used up.
  var isAtEnd: Bool { state.withLock { $0.input.isAtEnd } }

  var requests: Int { state.withLock { $0.requests } }

  /// Whether some bytes of the version were sent.
  func served(_ version: Int) -> Bool { state.withLock { $0.served.contains(version) } }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let answer = state.withLock { state in
      state.requests += 1
      return Answer(&state.input, request, versions, isHonest: isHonest)
    }
    guard let head = answer.head else { return TransferEnd(answer.cause) }
    if let redirect = answer.redirect {
      return TransferEnd(.complete, head: head, redirect: redirect)
    }
    guard receiver.receive(head: head) else { return TransferEnd(.refused, head: head) }
    if let version = answer.version { state.withLock { _ = $0.served.insert(version) } }
    for (number, piece) in answer.pieces.enumerated() {
      if number == answer.interruptedAt { await interrupt() }
      if control.wish == .abort { return TransferEnd(.aborted, head: head) }
      guard piece.withUnsafeBytes({ receiver.receive(body: $0) }) else {
        return TransferEnd(.refused, head: head)
      }
    }
    return TransferEnd(answer.cause, head: head)
  }
}

/// One answer.
private struct Answer {
  var head: ResponseHead?
  var redirect: String?
  var version: Int?
  var pieces: [ArraySlice<UInt8>] = []
  var interruptedAt: Int?
  var cause = TransferEnd.Cause.complete

  init(
    _ input: inout FuzzInput, _ request: HTTPRequest, _ versions: [ServedVersion], isHonest: Bool
  ) {
    let kind = input.choice(16)
    switch kind {
    case 0: cause = .network("broken")
    case 1: cause = .stalled
    case 2: redirect(&input)
    case 3: error(&input)
    case 4: page(&input)
    case 5: unsatisfied(&input, versions)
    default: file(&input, request, versions, isHonest: isHonest)
    }
  }

  private mutating func redirect(_ input: inout FuzzInput) {
    let targets = [
      "https://a.example/1.mp3", "http://b.example/2.mp3", "https://b.example/3.mp3", "ftp://c/4",
      "https://", "https://a.example/a b\u{7F}.mp3",
    ]
    redirect = targets[input.choice(targets.count)]
    head = ResponseHead(status: [301, 302, 307, 308][input.choice(4)])
  }

  private mutating func error(_ input: inout FuzzInput) {
    let statuses = [500, 503, 429, 408, 404, 410, 403, 401, 412, 304, 204, 205, 201, 599, 100, 0]
    var fields: [HTTPField] = []
    let waits = ["0", "120", "301", "-1", "99999999999999999999", "Sun, 06 Nov 1994 08:49:37 GMT"]
    if input.flag() { fields.append(HTTPField("Retry-After", waits[input.choice(waits.count)])) }
    head = ResponseHead(status: statuses[input.choice(statuses.count)], fields: fields)
    pieces = [Array("an error".utf8)[...]]
  }

  /// A web page where an episode should be.
  private mutating func page(_ input: inout FuzzInput) {
    head = ResponseHead(status: 200, fields: [HTTPField("Content-Type", "audio/mpeg")])
    let text = "<!doctype html><html><body>\(String(repeating: "Sign in. ", count: 900))</body>"
    pieces = [Array(text.utf8).prefix(input.short() % 9000 + 30)]
  }

  private mutating func unsatisfied(_ input: inout FuzzInput, _ versions: [ServedVersion]) {
    let version = versions[input.choice(versions.count)]
    let totals = [
      "bytes */\(version.bytes.count)", "bytes */0", "bytes */9223372036854775807", "bytes */*", "",
    ]
    head = ResponseHead(
      status: 416, fields: [HTTPField("Content-Range", totals[input.choice(totals.count)])])
    if input.flag() { head?.fields.append(HTTPField("ETag", version.etag)) }
  }

  /// Some version of the file, or a part of it.
  private mutating func file(
    _ input: inout FuzzInput, _ request: HTTPRequest, _ versions: [ServedVersion], isHonest: Bool
  ) {
    let number = input.choice(versions.count)
    let version = versions[number]
    let bytes = version.bytes
    let total = Int64(bytes.count)
    self.version = number
    var fields = validators(&input, version, isHonest: isHonest)

    // What the message's own framing says of its end.
    let framing = input.choice(4)
    var start: Int64 = 0
    var end = total
    var status = 200
    let ifRange = request.headers.first { $0.name == "If-Range" }?.value
    let isCurrent = ifRange == nil || ifRange == version.etag || ifRange == version.lastModified
    // A server that honors If-Range sends all of another version; many ignore it.
    if let wanted = request.rangeStart, isCurrent || input.choice(3) == 0, input.choice(5) != 0 {
      status = 206
      start = min(max(0, wanted + shift(&input)), total - 1)
      if input.choice(4) == 0 { end = min(total, start + 1 + Int64(input.short())) }
      fields.append(contentRange(&input, start, end, total))
    } else if input.choice(8) == 0 {
      fields.append(HTTPField("Content-Range", "bytes 5-9/10"))
    }
    var body = bytes[Int(start)..<Int(end)]
    if request.acceptsCodings == false, input.choice(12) == 0 {
      fields.append(HTTPField("Content-Encoding", "gzip"))
      body = ArraySlice(body.map { ~$0 })
    } else if request.acceptsCodings, input.flag() {
      fields.append(HTTPField("Content-Encoding", "gzip"))
    }
    deliver(&input, body, framing, &fields)
    head = ResponseHead(status: status, fields: fields)
  }

  private func validators(
    _ input: inout FuzzInput, _ version: ServedVersion, isHonest: Bool
  ) -> [HTTPField] {
    var fields: [HTTPField] = []
    if isHonest {
      fields.append(HTTPField("ETag", version.etag))
    } else {
      switch input.choice(4) {
      case 0: fields.append(HTTPField("ETag", version.etag))
      case 1: fields.append(HTTPField("ETag", "W/\"any\""))
      case 2: fields.append(HTTPField("ETag", "unquoted"))
      default: break
      }
    }
    if input.flag() {
      fields.append(HTTPField("Last-Modified", version.lastModified))
      // Without a Date, or with one that is no later, it is weak.
      let dates = ["Sun, 06 Nov 1994 09:00:00 GMT", version.lastModified, "yesterday"]
      fields.append(HTTPField("Date", dates[input.choice(dates.count)]))
    }
    return fields
  }

  /// Servers begin a part at a block of theirs, or not where they were asked to.
  private func shift(_ input: inout FuzzInput) -> Int64 {
    switch input.choice(6) {
    case 0: -Int64(input.short())
    case 1: Int64(input.short())
    default: 0
    }
  }

  private func contentRange(
    _ input: inout FuzzInput, _ start: Int64, _ end: Int64, _ total: Int64
  ) -> HTTPField {
    let range = "bytes \(start)-\(end - 1)"
    let value =
      switch input.choice(16) {
      case 0: "\(range)/*"
      case 1: "\(range)/\(total + 1)"
      case 2: "\(range)/\(Int64.max)"
      case 3: "bytes \(start)-\(Int64.max)/*"
      case 4: "bytes */\(total)"
      case 5: "items 0-1/2"
      case 6: "bytes \(Int64.max)-\(Int64.max)/*"
      case 7: "\(range)/\(max(1, total - 1))"
      default: "\(range)/\(total)"
      }
    return HTTPField("Content-Range", value)
  }

  /// Cuts the body into pieces and ends it as libcurl would by its framing.
  private mutating func deliver(
    _ input: inout FuzzInput, _ body: ArraySlice<UInt8>, _ framing: Int, _ fields: inout [HTTPField]
  ) {
    var body = body
    var isCut = false
    let whole = body.count
    if input.choice(3) == 0 {
      body = body.prefix((input.short() << 2) % (body.count + 1))
      // If only the connection marks the end, a cut between two frames looks complete.
      if (body.endIndex - 0) % 417 == 0 { body = body.dropLast() }
      isCut = body.count < whole
    }
    switch framing {
    case 0, 1:
      var announced = whole
      // A shorter one would be complete for the server.
      if input.choice(10) == 0 { announced = max(whole, Int(input.short()) << input.choice(40)) }
      fields.append(HTTPField("Content-Length", "\(announced)"))
      isCut = body.count < announced
      body = body.prefix(announced)
    case 2: fields.append(HTTPField("Transfer-Encoding", "chunked"))
    default: isCut = false
    }
    if isCut { cause = [.network("cut"), .stalled, .network("reset")][input.choice(3)] }
    if input.choice(12) == 0 { interruptedAt = input.choice(4) }
    let size = [1 << 20, 16 * 1024, 65_536, 4096, 1000, 70_001][input.choice(6)]
    while !body.isEmpty {
      pieces.append(body.prefix(size))
      body = body.dropFirst(size)
    }
  }
}
