import Glibc

/// A client that shows what a server really put on the wire, and how the connection ended.
public final class RawClient {
  /// How a connection ended.
  public enum End: Sendable, Hashable {
    /// A FIN.
    case closed
    /// A RST.
    case reset
  }

  /// The connection broke, or could not be made.
  public struct Failure: Error, CustomStringConvertible {
    /// What failed, and why.
    public let description: String
  }

  private let port: UInt16
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects to a port of 127.0.0.1.
  /// - Throws: ``Failure``.
  public init(port: UInt16) throws {
    self.port = port
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(port: port)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // All properties are set, so deinit closes the descriptor on this way out too.
    guard connected == 0 else {
      throw Failure(
        description: "No connection to port \(port): \(String(cString: strerror(errno))).")
    }
  }

  deinit {
    Glibc.close(descriptor)
  }

  /// A port of 127.0.0.1 on which nothing listens. It is below the ports that Linux chooses itself
  /// (32768 and up), so neither a server of another test nor a connection takes it before the
  /// caller does.
  /// - Throws: ``Failure``.
  public static func unusedPort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 10_000..<32_768)
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      defer { Glibc.close(descriptor) }
      var address = Self.address(port: port)
      let isFree = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      if isFree { return port }
    }
    throw Failure(description: "There is no free port.")
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Sends a GET with these header lines.
  public func get(_ target: String, _ fields: String...) {
    let lines = fields.map { "\($0)\r\n" }.joined()
    let text = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(lines)\r\n".utf8)
    _ = Glibc.send(descriptor, text, text.count, Int32(MSG_NOSIGNAL))
  }

  /// Reads a head: its lines, without the blank one.
  /// - Throws: ``Failure`` when the connection ends before.
  public func readHead() throws -> [String] {
    let blankLine = Array("\r\n\r\n".utf8)
    while true {
      if let end = received.firstRange(of: blankLine) {
        defer { received.removeSubrange(..<end.upperBound) }
        return String(decoding: received[..<end.lowerBound], as: UTF8.self)
          .split(separator: "\r\n").map(String.init)
      }
      if let end = receive() { throw Failure(description: "The head ended early: \(end).") }
    }
  }

  /// Reads this many bytes.
  /// - Throws: ``Failure`` when the connection ends before.
  public func read(_ count: Int) throws -> [UInt8] {
    while received.count < count {
      if let end = receive() { throw Failure(description: "The body ended early: \(end).") }
    }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Reads until the connection ends.
  public func readToEnd() -> (bytes: [UInt8], end: End) {
    while true {
      if let end = receive() { return (received, end) }
    }
  }

  /// Whether nothing has arrived that was not read, now.
  public var isSilent: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return received.isEmpty && poll(&entry, 1, 0) == 0
  }

  private func receive() -> End? {
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count > 0 else { return count == 0 ? .closed : .reset }
    received += piece[..<count]
    return nil
  }
}
