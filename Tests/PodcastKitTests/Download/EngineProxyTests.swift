import Foundation
import LoopbackServer
import PodcastModel
import PodcastTransfer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastLibrary

extension EngineTests {
  /// Downloads over TLS through a proxy's CONNECT: whatever the proxy's own answer says, it is no
  /// answer for the episode.
  @Suite("Downloads through a proxy", .enabled(if: NginxServer.isInstalled, "nginx is missing"))
  struct EngineProxyTests {
    private static let bytes = MP3Maker.bytes(seed: 1, length: 900_000)
    /// Another version of the same length, and, on nginx with the same date, of the same ETag.
    private static let other = MP3Maker.bytes(seed: 2, length: 900_000)

    static let answers = [
      "HTTP/1.1 200 Connection established\r\n\r\n",
      "HTTP/1.1 200 OK\r\nETag: \"proxy\"\r\nLast-Modified: \(Representation.longAgo)\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Range: bytes 0-99/100\r\nContent-Encoding: gzip\r\n\r\n",
      "HTTP/1.0 204 No Content\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]

    private struct World {
      let root: TemporaryFolder
      let secure: NginxServer
      var engine: EngineHarness

      init() async throws {
        root = try TemporaryFolder()
        try Self.write(bytes, in: root)
        secure = try await NginxServer(root: root.path, tls: true)
        engine = try EngineHarness()
        engine.session.certificateFile = secure.certificateAuthority
      }

      static func write(_ bytes: [UInt8], in root: TemporaryFolder) throws {
        let path = try root.write("a.mp3", bytes)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_676_563_217)], ofItemAtPath: path)
      }

      mutating func use(_ proxy: LoopbackServer) -> DownloadPlan {
        engine.session.proxy = proxy.origin
        return engine.plan("\(secure.origin)/a.mp3")
      }
    }

    @Test("a complete file is downloaded through it", arguments: answers)
    func whole(answer: String) async throws {
      var world = try await World()
      let proxy = try LoopbackServer.connectProxy(answering: answer)
      let plan = world.use(proxy)
      let run = try await world.engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try world.engine.read(file.path) == Self.bytes)
      #expect(run.restarts(plan) == [] && run.retries(plan).isEmpty)
      #expect(proxy.log.count == 1)
    }

    @Test("rows 1 and 33: after an interrupted tunnel a range follows", arguments: answers)
    func resumed(answer: String) async throws {
      var world = try await World()
      let proxy = try LoopbackServer.connectProxy(answering: answer) { $0 == 1 ? 500_000 : nil }
      let plan = world.use(proxy)
      let run = try await world.engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try world.engine.read(file.path) == Self.bytes)
      #expect(try file.sha256 == world.engine.sha256(file.path))
      #expect(run.restarts(plan) == [])
      #expect(run.retries(plan).map(\.reason) == [.network])
      #expect(proxy.log.count == 2)
    }

    @Test("row 12: a file that changes between two tunnels is never mixed", arguments: answers)
    func changed(answer: String) async throws {
      var world = try await World()
      let root = world.root
      let proxy = try LoopbackServer.connectProxy(answering: answer) { number in
        if number == 2 { try? World.write(Self.other, in: root) }
        return number == 1 ? 500_000 : nil
      }
      let plan = world.use(proxy)
      let run = try await world.engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try world.engine.read(file.path) == Self.other)
      #expect(try file.sha256 == world.engine.sha256(file.path))
      #expect(run.restarts(plan) == [.overlapDiffers])
    }

    @Test("a proxy that refuses is named as the reason", arguments: [407, 502])
    func refused(status: Int) async throws {
      var world = try await World()
      world.engine.options.retries.retries = 1
      let proxy = try LoopbackServer.connectProxy(
        answering: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
      let plan = world.use(proxy)
      let run = try await world.engine.run([plan])
      let error = try #require(run.error(plan), "\(run.kinds(plan))")
      #expect(error.code == .network && error.message.contains("proxy"))
      #expect(error.message.contains("\(status)"))
      // Another attempt gives no login; a gateway may come back.
      #expect(run.retries(plan).count == (status == 407 ? 0 : 1))
      #expect(world.engine.finishedFiles == [])
    }

    @Test(
      "a proxy's address that cannot be used is not repeated, as its password is in it",
      arguments: ["http://user:sek ret@127.0.0.1:3128", "user:sekret@127.0.0.1:99999"])
    func unusableAddress(proxy: String) async throws {
      var engine = try EngineHarness()
      engine.session.proxy = proxy
      engine.options.retries.retries = 0
      let plan = engine.plan("http://a.example/a.mp3")
      let run = try await engine.run([plan])
      let error = try #require(run.error(plan), "\(run.kinds(plan))")
      #expect(error.code == .network && error.message.contains("proxy"))
      #expect(!error.message.contains("sek") && !error.message.contains("ret"))
    }

    @Test("row 12: nothing of an earlier head remains")
    func twoHeads() async throws {
      let engine = try EngineHarness()
      let plan = engine.plan("http://podget.invalid/a.mp3")
      let run = try await engine.run([plan], over: TwoHeadTransport(Self.bytes, Self.other))
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.other)
      #expect(run.restarts(plan) == [.overlapDiffers])
    }

    @Test("row 33: plain http through a proxy is continued too")
    func plain() async throws {
      let server = try LoopbackServer { request, connection in
        #expect(request.target == "http://podget.invalid/a.mp3")
        let cut = Behaviour.cut(.reset, .afterBody(500_000))
        FileServing(
          Representation(Self.bytes), behaviour: request.number == 1 ? cut : Behaviour()
        ).answer(request, on: connection)
      }
      var engine = try EngineHarness()
      engine.session.proxy = server.origin
      let plan = engine.plan("http://podget.invalid/a.mp3")
      let run = try await engine.run([plan])
      let file = try #require(run.finished(plan), "\(run.kinds(plan))")
      #expect(try engine.read(file.path) == Self.bytes)
      #expect(server.log.map(\.status) == [200, 206])
    }
  }
}

/// Stops in the middle of one version, then answers a range with a bare 200 and, after that, the
/// end of another version with the same ETag and length, and finally with all of it.
private final class TwoHeadTransport: Transport {
  private let first: [UInt8]
  private let second: [UInt8]
  private let count = Mutex(0)

  init(_ first: [UInt8], _ second: [UInt8]) {
    self.first = first
    self.second = second
  }

  func perform(
    _ request: HTTPRequest, receiver: any ResponseReceiver, control: TransferControl
  ) async -> TransferEnd {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let fields = [HTTPField("ETag", "\"same\""), HTTPField("Content-Type", "audio/mpeg")]
    let length = HTTPField("Content-Length", String(first.count))
    let whole = ResponseHead(status: 200, fields: fields + [length])
    guard number == 2, let start = request.rangeStart else {
      let body = number == 1 ? first.prefix(500_000) : second[...]
      let isTaken =
        receiver.receive(head: whole) && body.withUnsafeBytes { receiver.receive(body: $0) }
      let cause: TransferEnd.Cause = number == 1 ? .network("cut") : .complete
      return TransferEnd(isTaken ? cause : .refused, head: whole)
    }
    let range = HTTPField("Content-Range", "bytes \(start)-\(first.count - 1)/\(first.count)")
    let part = ResponseHead(status: 206, fields: fields + [range])
    _ = receiver.receive(head: ResponseHead(status: 200))
    let isTaken =
      receiver.receive(head: part)
      && second[Int(start)...].withUnsafeBytes { receiver.receive(body: $0) }
    return TransferEnd(isTaken ? .complete : .refused, head: part)
  }
}
