import Dispatch
import Glibc
internal import PodcastSystem

/// An HTTP/1.1 server on 127.0.0.1 whose answers are written byte by byte by a handler.
///
/// Each connection has its own thread and blocking writes, so a handler decides when a segment, a
/// FIN or a RST is sent. Connections are kept alive (RFC 9112, section 9.3) unless the handler
/// closes them or the request asks for it. The server ends with ``stop()`` or when the last
/// reference to it is released, so keep one while a client needs it.
public final class LoopbackServer: Sendable {
  /// Answers one request on its connection's thread; a connection that it leaves open is kept
  /// alive.
  public typealias Handler = @Sendable (Request, Connection) -> Void

  /// Why no server could be started.
  public struct StartError: Error, CustomStringConvertible {
    /// The call that failed and the kernel's reason.
    public let description: String
  }

  /// The port it listens on.
  public let port: UInt16
  private let listener: Int32
  private let record: ServerRecord
  private let threads: DispatchGroup

  /// Starts a server.
  /// - Parameters:
  ///   - port: The port; 0 takes a free one.
  ///   - handler: Answers each request, concurrently for different connections.
  /// - Throws: ``StartError``.
  public init(port: UInt16 = 0, handler: @escaping Handler) throws {
    (listener, self.port) = try Self.listen(on: port)
    record = ServerRecord()
    threads = DispatchGroup()
    // The threads must not keep the server alive: its release ends them.
    let listener = listener
    let record = record
    let threads = threads
    try spawnThread(in: threads) {
      while let connection = Self.accept(from: listener, into: record) {
        let serve: @Sendable () -> Void = {
          Connection(connection.descriptor, number: connection.number, record: record)
            .serve(with: handler)
        }
        do {
          try spawnThread(in: threads, serve)
        } catch {
          record.close(connection.number)
        }
      }
      close(listener)
    }
  }

  deinit {
    stop()
  }

  /// The start of every address here: `http://127.0.0.1:PORT`.
  public var origin: String { "http://127.0.0.1:\(port)" }

  /// All requests in the order received, with what was sent for each so far.
  public var log: [LoggedRequest] { record.log }

  /// Forgets all requests so far, for tests that make very many. None may be running.
  public func forgetLog() { record.forgetLog() }

  /// The requests for one path, in order.
  public func log(for path: String) -> [LoggedRequest] {
    record.log.filter { $0.path == path }
  }

  /// The largest number of requests that were answered at the same time. A request counts until its
  /// last piece is about to be sent, so the next one on another connection does not overlap.
  public var peakConcurrency: Int { record.peakConcurrency }

  /// The connections that are open now.
  public var openConnections: Int { record.openConnections }

  /// Closes the listener and all connections and waits for their threads; idempotent. A handler
  /// must not call it, because it would wait for itself.
  public func stop() {
    if record.stop() { shutdown(listener, Int32(SHUT_RDWR)) }
    threads.wait()
  }

  private static func listen(on port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = OperatingSystem.socket(AF_INET, .stream)
    guard descriptor >= 0 else { throw failure("open a socket") }
    do {
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      guard bound == 0 else { throw failure("bind port \(port)") }
      guard Glibc.listen(descriptor, 256) == 0 else { throw failure("listen on port \(port)") }
      let named = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(descriptor, $0, &length)
        }
      }
      guard named == 0 else { throw failure("get the port") }
      return (descriptor, UInt16(bigEndian: address.sin_port))
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func accept(
    from listener: Int32, into record: ServerRecord
  ) -> (descriptor: Int32, number: Int)? {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else {
        if !record.isStopped, errno == EINTR || errno == ECONNABORTED { continue }
        return nil
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      // Nagle's algorithm would combine small writes of a handler.
      var yes: Int32 = 1
      let length = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, length)
      if let number = record.register(descriptor) { return (descriptor, number) }
      close(descriptor)
    }
  }

  private static func failure(_ what: String) -> StartError {
    StartError(
      description: "The loopback server cannot \(what): \(String(cString: strerror(errno))).")
  }
}
