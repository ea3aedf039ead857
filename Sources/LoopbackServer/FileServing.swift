/// Serves one file, correctly (RFC 9110, sections 13.1.5 and 14) or with its configured behaviour.
public struct FileServing: Sendable {
  private let representation: @Sendable (Request) -> Representation
  private let behaviour: @Sendable (Request) -> Behaviour
  /// Whether an answer pauses at an offset of the file, called repeatedly until it returns false;
  /// nil never pauses.
  public var isHeld: (@Sendable (_ offset: Int64) -> Bool)?

  /// Serves a file whose version and behaviour may differ for each request. `request.attempt`
  /// counts them.
  public init(
    version: @escaping @Sendable (Request) -> Representation,
    behaviour: @escaping @Sendable (Request) -> Behaviour = { _ in Behaviour() }
  ) {
    self.representation = version
    self.behaviour = behaviour
  }

  /// Serves one version of a file, behaving by attempt.
  public init(
    _ representation: Representation, behaviour: @escaping @Sendable (_ attempt: Int) -> Behaviour
  ) {
    self.init(version: { _ in representation }, behaviour: { behaviour($0.attempt) })
  }

  /// Serves one version of a file, always with the same behaviour.
  public init(_ representation: Representation, behaviour: Behaviour = Behaviour()) {
    self.init(version: { _ in representation }, behaviour: { _ in behaviour })
  }

  /// Answers one request.
  public func answer(_ request: Request, on connection: Connection) {
    let file = representation(request)
    let behaviour = behaviour(request)
    if let cut = behaviour.cut, behaviour.cutPoint == .beforeHead {
      return connection.perform(cut)
    }
    if let answer = behaviour.answer {
      connection.respond(status: answer.status, fields: answer.fields, body: answer.body)
      return
    }
    let response = FileResponse(to: request, for: file, behaving: behaviour)
    if let cut = behaviour.cut, behaviour.cutPoint == .insideHead {
      connection.write("HTTP/1.1 \(response.status) Cut\r\nContent-Type: audio/mpeg\r\nContent-Le")
      return connection.perform(cut)
    }
    connection.writeHead(status: response.status, fields: response.fields)
    guard request.method != "HEAD" else { return }
    connection.send(response, behaving: behaviour, isHeld: isHeld)
  }
}

extension LoopbackServer {
  /// Starts a server of files by their paths; other paths are answered with 404.
  /// - Throws: ``StartError``.
  public convenience init(port: UInt16 = 0, files: [String: FileServing]) throws {
    try self.init(port: port) { request, connection in
      if let file = files[request.path] {
        file.answer(request, on: connection)
      } else {
        connection.respond(status: 404, body: "There is no \(request.path) here.\n")
      }
    }
  }
}

extension Connection {
  /// Interrupts the answer in the given way.
  fileprivate func perform(_ cut: Behaviour.Cut) {
    switch cut {
    case .close: close()
    case .reset: reset()
    case .stall: stall()
    }
  }

  fileprivate func send(
    _ response: FileResponse, behaving behaviour: Behaviour,
    isHeld: (@Sendable (_ offset: Int64) -> Bool)?
  ) {
    var end = response.range.upperBound
    if behaviour.cut != nil, case .afterBody(let count) = behaviour.cutPoint {
      end = min(end, response.range.lowerBound + count)
    }
    let step = Int64(behaviour.rate > 0 ? max(1, behaviour.rate / 100) : 256 * 1024)
    let start = ContinuousClock.now
    var offset = response.range.lowerBound
    while offset < end, isOpen {
      if let isHeld, isHeld(offset) {
        wait(until: .now + .milliseconds(5))
        continue
      }
      let piece = response.file.bytes(in: offset..<min(offset + step, end))
      offset += Int64(piece.count)
      if offset == response.range.upperBound { endsSoon() }
      if response.isChunked { write("\(String(piece.count, radix: 16))\r\n") }
      write(piece)
      if response.isChunked { write("\r\n") }
      if behaviour.rate > 0, offset < end {
        let seconds = Double(offset - response.range.lowerBound) / Double(behaviour.rate)
        wait(until: start + .seconds(seconds))
      }
    }
    if let cut = behaviour.cut, case .afterBody = behaviour.cutPoint { return perform(cut) }
    if response.isChunked { write("0\r\n\r\n") }
    if response.endsConnection { close() }
  }
}
