public import LoopbackServer

extension LoopbackServer {
  /// An HTTP proxy on 127.0.0.1 that tunnels by CONNECT (RFC 9110, section 9.3.6).
  /// - Parameters:
  ///   - head: What it answers a CONNECT with, byte for byte.
  ///   - limit: Asked at each CONNECT, which is counted from 1, before it is answered: the number of
  ///     bytes to the client after which the tunnel is cut; nil is no limit.
  /// - Throws: ``LoopbackServer/StartError``.
  public static func connectProxy(
    answering head: String = "HTTP/1.1 200 Connection established\r\n\r\n",
    cutAfter limit: @escaping @Sendable (_ number: Int) -> Int? = { _ in nil }
  ) throws -> LoopbackServer {
    try LoopbackServer { request, connection in
      guard request.method == "CONNECT",
        let port = request.target.split(separator: ":").last.flatMap({ UInt16($0) })
      else {
        connection.respond(status: 405)
        return
      }
      let cut = limit(request.number)
      connection.write(head)
      guard head.dropFirst("HTTP/1.1 ".count).hasPrefix("2") else { return connection.close() }
      connection.tunnel(to: port, cutAfter: cut)
    }
  }
}
