import Glibc
internal import PodcastSystem

/// One client's connection, for the handler that answers on its thread.
///
/// Writes block until the kernel has accepted everything. They return false, and do nothing more,
/// once the client has closed the connection or the server stops; the process never gets SIGPIPE.
public final class Connection {
  /// Its number, from 1 in the order accepted.
  public let number: Int
  private let descriptor: Int32
  private let record: ServerRecord
  private var received: [UInt8] = []
  private var request: Int?
  private var isCounted = false
  private var hasFailed = false
  private var isClosed = false

  init(_ descriptor: Int32, number: Int, record: ServerRecord) {
    self.descriptor = descriptor
    self.number = number
    self.record = record
  }

  /// Whether bytes can still be sent.
  public var isOpen: Bool { !hasFailed && !isClosed }

  /// Sends bytes as they are.
  @discardableResult
  public func write(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.withContiguousStorageIfAvailable { send(UnsafeRawBufferPointer($0), isBody: true) }
      ?? Array(bytes).withUnsafeBytes { send($0, isBody: true) }
  }

  /// Sends a text as UTF-8; the caller adds the line ends.
  @discardableResult
  public func write(_ text: String) -> Bool {
    write(Array(text.utf8))
  }

  /// Sends a status line, only the given fields, and the blank line.
  @discardableResult
  public func writeHead(status: Int, fields: [Request.Field] = []) -> Bool {
    if let request { record.note(status: status, request: request) }
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    let head = Array("HTTP/1.1 \(status) \(Self.reason(status))\r\n\(lines)\r\n".utf8)
    return head.withUnsafeBytes { send($0, isBody: false) }
  }

  /// Sends a complete response; `Content-Length` and `Date` are added.
  @discardableResult
  public func respond(
    status: Int = 200, fields: [Request.Field] = [], body: some Collection<UInt8>
  ) -> Bool {
    endsSoon()
    let length = Request.Field("Content-Length", String(body.count))
    return writeHead(status: status, fields: fields + [length, HTTPDate.field()]) && write(body)
  }

  /// Sends a complete response with a text as its body.
  @discardableResult
  public func respond(status: Int = 200, fields: [Request.Field] = [], body: String = "") -> Bool {
    respond(status: status, fields: fields, body: Array(body.utf8))
  }

  /// Sends bytes evenly at a rate in bytes per second, in pieces of a hundredth of a second or one
  /// byte. A rate of 0 is no limit.
  @discardableResult
  public func pace(_ bytes: some Collection<UInt8>, rate: Int) -> Bool {
    guard rate > 0 else { return write(bytes) }
    let start = ContinuousClock.now
    var sent = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(max(1, rate / 100))
      guard write(piece) else { return false }
      rest = rest.dropFirst(piece.count)
      sent += piece.count
      guard wait(until: start + .seconds(Double(sent) / Double(rate))) else { return false }
    }
    return true
  }

  /// Waits while the client is connected; false when it disconnected, or the server stopped, before
  /// then.
  @discardableResult
  public func wait(until deadline: ContinuousClock.Instant) -> Bool {
    while isOpen {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return true }
      let milliseconds = left / .milliseconds(1)
      if !clientStays(milliseconds: Int32(min(milliseconds.rounded(.up), 60_000))) {
        hasFailed = true
      }
    }
    return false
  }

  /// Keeps the connection open in silence until the client disconnects or the server stops.
  public func stall() {
    if isOpen { _ = clientStays(milliseconds: -1) }
    hasFailed = true
  }

  /// Waits until everything sent has been acknowledged by the client's kernel, so that a reset
  /// cannot overtake it.
  public func flush() {
    var unacknowledged: Int32 = 0
    while isOpen, ioctl(descriptor, UInt(TIOCOUTQ), &unacknowledged) == 0, unacknowledged > 0 {
      if !clientStays(milliseconds: 1) { return }
    }
  }

  /// Closes with a RST (RFC 9293, section 3.10.7.4) after the written bytes have arrived.
  public func reset() {
    flush()
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    endsSoon()
    isClosed = true
    // Sent now, even if a child process has a copy of the descriptor.
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    record.close(number)
  }

  /// Closes with a FIN after the written bytes.
  public func close() {
    guard !isClosed else { return }
    endsSoon()
    isClosed = true
    // Closing with unread bytes would send a RST, which may destroy what the client has not read.
    shutdown(descriptor, Int32(SHUT_WR))
    var scratch = [UInt8](repeating: 0, count: 4096)
    while readable(milliseconds: 1000), recv(descriptor, &scratch, scratch.count, 0) > 0 {}
    record.close(number)
  }

  /// Passes bytes to and from another port of 127.0.0.1, as a proxy does once it has accepted a
  /// CONNECT (RFC 9110, section 9.3.6), until one side closes.
  /// - Parameter limit: The number of bytes to the client after which the tunnel ends with a RST; nil
  ///   is no limit.
  public func tunnel(to port: UInt16, cutAfter limit: Int? = nil) {
    let target = OperatingSystem.socket(AF_INET, .stream)
    defer { Glibc.close(target) }
    guard Self.open(target, to: port), Self.sendAll(received, to: target) else { return close() }
    received = []
    var left = limit ?? Int.max
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while isOpen {
      var entries = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: target, events: Int16(POLLIN), revents: 0),
      ]
      guard Glibc.poll(&entries, 2, -1) > 0 else { continue }
      if entries[0].revents != 0 {
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0, Self.sendAll(piece[..<count], to: target) else { break }
      }
      if entries[1].revents != 0 {
        let count = recv(target, &piece, min(piece.count, left), 0)
        guard count > 0, write(piece[..<count]) else { break }
        left -= count
        if left == 0 { return reset() }
      }
    }
    close()
  }

  private static func open(_ descriptor: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func sendAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, OperatingSystem.noSignal)
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reports that the rest of the answer follows immediately, so that the request no longer counts
  /// for ``LoopbackServer/peakConcurrency``: the client may send another request before the handler
  /// returns.
  public func endsSoon() {
    if isCounted { record.end() }
    isCounted = false
  }
}

extension Connection {
  /// Reads requests and lets the handler answer them until the connection ends.
  func serve(with handler: LoopbackServer.Handler) {
    while isOpen, let head = nextHead(), var parsed = Request(head: head, connection: number) {
      let length = parsed.first("Content-Length").flatMap { Int($0) } ?? 0
      guard let body = nextBody(length) else { break }
      parsed.body = body
      let request = record.begin(parsed)
      self.request = request.number
      isCounted = true
      handler(request, self)
      endsSoon()
      self.request = nil
      if request.first("Connection")?.lowercased() == "close" { break }
    }
    close()
  }

  private func nextHead() -> [UInt8]? {
    let blankLine = Array("\r\n\r\n".utf8)
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      if let end = received.firstRange(of: blankLine) {
        defer { received.removeSubrange(..<end.upperBound) }
        return Array(received[..<end.lowerBound])
      }
      guard received.count < 1024 * 1024 else { return nil }
      let count = recv(descriptor, &piece, piece.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      received += piece[..<count]
    }
  }

  /// Exactly so many bytes; nil if there are fewer, or too many for a test.
  private func nextBody(_ length: Int) -> [UInt8]? {
    guard (0...64 << 20).contains(length) else { return nil }
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while received.count < length {
      let count = recv(descriptor, &piece, piece.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      received += piece[..<count]
    }
    defer { received.removeSubrange(..<length) }
    return Array(received[..<length])
  }

  private func send(_ bytes: UnsafeRawBufferPointer, isBody: Bool) -> Bool {
    var rest = bytes[...]
    while isOpen, !rest.isEmpty {
      // Counted first: a client that has read a byte must find it in the log.
      if isBody, let request { record.note(sent: rest.count, request: request) }
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.send(
        descriptor, piece.baseAddress, piece.count, OperatingSystem.noSignal)
      let interrupted = count < 0 && errno == EINTR
      if isBody, let request { record.note(sent: max(count, 0) - rest.count, request: request) }
      if count < 0, !interrupted { hasFailed = true }
      rest = rest.dropFirst(max(count, 0))
    }
    return isOpen
  }

  private func clientStays(milliseconds: Int32) -> Bool {
    poll(Self.peerClosed, milliseconds) == 0
  }

  private func readable(milliseconds: Int32) -> Bool {
    poll(Int16(POLLIN), milliseconds) != 0
  }

  /// The events that occurred; hang-up and error are always included.
  private func poll(_ events: Int16, _ milliseconds: Int32) -> Int16 {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    _ = Glibc.poll(&entry, 1, milliseconds)
    return entry.revents
  }

  /// `POLLRDHUP` of Linux, which Glibc defines only for GNU sources: the client closed its side.
  private static let peerClosed: Int16 = 0x2000

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 404: "Not Found"
    case 410: "Gone"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 503: "Service Unavailable"
    default: "Status \(status)"
    }
  }
}
