import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastTransfer

extension EngineTests {
  @Suite("Silence of servers") struct EngineStallTests {
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
