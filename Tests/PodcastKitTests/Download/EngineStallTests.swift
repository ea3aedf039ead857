import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastKit
@testable import PodcastTransfer

extension EngineTests {
  @Suite("Silence of servers") struct EngineStallTests {
    @Test(
      "what arrived is on the disk while the server is silent, and while the user has paused",
      arguments: [false, true])
    func written(pauses: Bool) async throws {
      let count: Int64 = 100_000
      let server = try LoopbackServer(files: [
        "/a.mp3": FileServing(
          Representation(MP3Maker.bytes(seed: 1, length: 400_000)),
          behaviour: .cut(.stall, .afterBody(count)))
      ])
      var engine = try EngineHarness()
      engine.session.stallTimeout = .seconds(600)
      engine.options.pauseGrace = .seconds(600)
      let (harness, plan, isSeen) = (engine, engine.plan(server.url("/a.mp3")), OnceFlag())
      let run = try await engine.run([plan]) { event, downloader in
        guard case .progress = event.kind, isSeen.take() else { return }
        if pauses { await downloader.pause() }
        // A killed podget would have these bytes. They are less than a block.
        try await waitUntil("the bytes are written") {
          let size = harness.partSize(plan) ?? 0
          return pauses ? size > 0 : size == count
        }
        await downloader.cancel()
      }
      #expect(run.cancelled(plan) ?? 0 > 0)
      #expect(server.log.count == 1)
    }

    @Test("a slow transfer gives way to an episode that waits, and is continued later")
    func givesWay() async throws {
      let bytes = (1...2).map { MP3Maker.bytes(seed: UInt64($0), length: 300_000) }
      let server = try LoopbackServer(files: [
        "/slow.mp3": FileServing(Representation(bytes[0])) {
          $0 == 1 ? .cut(.stall, .afterBody(100_000)) : Behaviour()
        },
        "/other.mp3": FileServing(Representation(bytes[1])),
      ])
      var engine = try EngineHarness()
      engine.session.stallTimeout = .seconds(600)
      engine.session.slowLimit = SlowLimit(window: .milliseconds(200))
      engine.options.slowDelay = .milliseconds(1)
      engine.options.retries.retries = 1000
      engine.options.jobs = 1
      let plans = ["/slow.mp3", "/other.mp3"].map { engine.plan(server.url($0), title: $0) }
      let run = try await engine.run(plans)
      for (plan, bytes) in zip(plans, bytes) {
        let file = try #require(run.finished(plan), "\(run.kinds(plan))")
        #expect(try engine.read(file.path) == bytes)
      }
      #expect(run.retries(plans[0]).first?.reason == .timeout)
      let start: Int64 = 100_000 - 64 * 1024
      #expect(server.log(for: "/slow.mp3").prefix(2).map(\.request.rangeStart) == [nil, start])
    }

    @Test("a slow transfer that nobody waits for goes on") func goesOn() async throws {
      let isSlow = OnceFlag()
      let server = try LoopbackServer { _, connection in
        connection.writeHead(status: 200, fields: [Request.Field("Content-Length", "8")])
        connection.write("half")
        while connection.isOpen, !isSlow.isTaken {
          connection.wait(until: .now + .milliseconds(1))
        }
        connection.write("full")
      }
      var configuration = CurlSession.Configuration(
        userAgent: "podget-test", stallTimeout: .seconds(600), proxy: "")
      configuration.slowLimit = SlowLimit(window: .milliseconds(100))
      let receiver = TextReceiver { _ in }
      let end = try await CurlSession.with(configuration) { session in
        await session.perform(
          HTTPRequest(url: server.url("/")), receiver: receiver,
          control: TransferControl { _ in _ = isSlow.take() })
      }
      #expect(end.cause == .complete && receiver.text == "halffull")
    }

    @Test("row 52: a transfer does not count as silent because the disk of another one is slow")
    func slowDisk() async throws {
      let stallTimeout = Duration.seconds(3)
      let (isWriting, isAllSent) = (OnceFlag(), OnceFlag())
      let server = try LoopbackServer { request, connection in
        connection.writeHead(status: 200, fields: [Request.Field("Content-Length", "8")])
        guard request.path == "/waiting" else {
          connection.write("sluggish")
          return
        }
        connection.write("half")
        while connection.isOpen, !isWriting.isTaken {
          connection.wait(until: .now + .milliseconds(1))
        }
        connection.write("full")
        connection.flush()
        _ = isAllSent.take()
      }
      let waiting = TextReceiver { _ in }
      let slow = TextReceiver { _ in
        // As a write to a disk that takes longer than a server may be silent.
        let end = ContinuousClock.now + stallTimeout + .milliseconds(100)
        _ = isWriting.take()
        while !isAllSent.isTaken || .now < end { usleep(1000) }
      }
      let configuration = CurlSession.Configuration(
        userAgent: "podget-test", stallTimeout: stallTimeout, proxy: "")
      let ends = try await CurlSession.with(configuration) { session in
        async let first = session.perform(
          HTTPRequest(url: server.url("/waiting")), receiver: waiting, control: TransferControl())
        try await waitUntil("the first half is there") { waiting.text == "half" }
        async let second = session.perform(
          HTTPRequest(url: server.url("/slow")), receiver: slow, control: TransferControl())
        return await [first.cause, second.cause]
      }
      #expect(ends == [.complete, .complete])
      #expect([waiting.text, slow.text] == ["halffull", "sluggish"])
    }
  }
}

/// Collects a body, and does something at each piece of it, on the thread of the transfers.
private final class TextReceiver: ResponseReceiver {
  private let collected = Mutex("")
  private let onPiece: @Sendable (String) -> Void

  init(onPiece: @escaping @Sendable (String) -> Void) { self.onPiece = onPiece }

  var text: String { collected.withLock { $0 } }

  func receive(head: ResponseHead) -> Bool { true }

  func receive(body: UnsafeRawBufferPointer) -> Bool {
    let piece = String(decoding: body, as: UTF8.self)
    onPiece(piece)
    collected.withLock { $0 += piece }
    return true
  }
}
