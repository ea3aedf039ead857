import LoopbackServer
import Synchronization
import TestSupport
import Testing

@Suite struct LoopbackServerTests {
  @Test func `a connection is kept alive and its requests are logged`() throws {
    let server = try LoopbackServer { request, connection in
      connection.respond(body: "\(request.number).\(request.attempt)")
    }
    let client = try RawClient(port: server.port)
    for target in ["/a?x=1", "/b", "/a"] {
      client.get(target, "Range: bytes=7-")
      #expect(try client.readHead().first == "HTTP/1.1 200 OK")
      _ = try client.read(3)
    }
    #expect(server.log.map(\.request.target) == ["/a?x=1", "/b", "/a"])
    #expect(server.log.map(\.request.connection) == [1, 1, 1])
    #expect(server.log(for: "/a").map(\.request.attempt) == [1, 2])
    #expect(server.log.allSatisfy { $0.request.rangeStart == 7 && $0.bytesSent == 3 })
    #expect(server.origin == "http://127.0.0.1:\(server.port)")
  }

  @Test func `a query is decoded`() throws {
    let server = try LoopbackServer { request, connection in
      connection.respond(body: request.query["term"] ?? "none")
    }
    let client = try RawClient(port: server.port)
    client.get("/search?media=podcast&term=the+s%C3%A9rie%", "Connection: close")
    _ = try client.readHead()
    #expect(client.readToEnd().bytes == Array("the série%".utf8))
  }

  @Test func `the peak counts requests that are answered at once`() throws {
    let server = try LoopbackServer { request, connection in
      if request.path == "/wait" {
        connection.stall()
      } else {
        connection.respond(body: "x")
      }
    }
    let waiting = try (0..<3).map { _ in try RawClient(port: server.port) }
    for client in waiting { client.get("/wait") }
    let client = try RawClient(port: server.port)
    repeat {
      client.get("/")
      _ = try client.readHead()
      _ = try client.read(1)
    } while server.log(for: "/wait").count < 3
    client.get("/")
    _ = try client.readHead()
    #expect(server.peakConcurrency == 4)
  }

  @Test func `a client that disconnects ends a write and not the process`() throws {
    let ended = Mutex(false)
    let server = try LoopbackServer { _, connection in
      while connection.write([UInt8](repeating: 1, count: 65536)) {}
      ended.withLock { $0 = true }
    }
    do {
      let client = try RawClient(port: server.port)
      client.get("/")
      _ = try client.read(1)
    }
    server.stop()
    #expect(ended.withLock { $0 })
  }

  @Test func `a request that is not HTTP closes the connection`() throws {
    let server = try LoopbackServer { _, connection in connection.respond() }
    let client = try RawClient(port: server.port)
    client.get("/a b")
    #expect(client.readToEnd().end == .closed)
    #expect(server.log.isEmpty)
  }

  @Test func `a released server ends its connections`() throws {
    var server: LoopbackServer? = try LoopbackServer { _, connection in connection.stall() }
    let client = try RawClient(port: #require(server?.port))
    client.get("/")
    server = nil
    #expect(client.readToEnd().bytes.isEmpty)
  }
}
