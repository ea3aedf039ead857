import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("Coded bodies that are larger than they look") struct CodedTransferTests {
  /// Takes one block, and then none until it is told to.
  private final class Receiver: ResponseReceiver {
    private struct State {
      var received = 0
      var isFull = false
    }

    private let state = Mutex(State())
    let blocks = AsyncStream.makeStream(of: Int.self)

    var received: Int { state.withLock { $0.received } }
    var isFull: Bool { state.withLock { $0.isFull } }

    func goOn() { state.withLock { $0.isFull = false } }

    func receive(head: ResponseHead) -> Bool { true }

    func receive(body: UnsafeRawBufferPointer) -> Bool {
      state.withLock { state in
        state.received += body.count
        state.isFull = true
      }
      blocks.continuation.yield(body.count)
      return true
    }
  }

  /// Zeros, packed once or several times: a few kilobytes or less.
  private static func zeros(_ count: Int, times: Int) async throws -> [UInt8] {
    let script = """
      import gzip, sys
      data = bytes(int(sys.argv[1]))
      for _ in range(int(sys.argv[2])): data = gzip.compress(data)
      print(data.hex())
      """
    let result = try await RunningProcess(
      "/usr/bin/python3", ["-c", script, "\(count)", "\(times)"]
    )
    .waitForExit()
    let digits = Array(result.output.utf8.filter { $0 > 0x20 })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
  }

  /// Asks a server for a body that is packed several times, and returns how the transfer ended.
  ///
  /// - Parameter follow: what happens meanwhile.
  private static func transfer(
    _ length: Int, times: Int, _ receiver: Receiver,
    while follow: (TransferControl) async -> Void
  ) async throws -> TransferEnd {
    let body = try await zeros(length, times: times)
    #expect(!body.isEmpty && body.count < 16_384)
    let coding = Request.Field(
      "Content-Encoding", Array(repeating: "gzip", count: times).joined(separator: ", "))
    let server = try LoopbackServer(files: [
      "/a": FileServing(
        version: { _ in Representation(body) },
        behaviour: { _ in Behaviour { $0.fields.append(coding) } })
    ])
    let configuration = CurlSession.Configuration(userAgent: "podget-test", proxy: "")
    return try await CurlSession.with(configuration) { session in
      let control = TransferControl()
      async let end = session.perform(
        HTTPRequest(url: server.url("/a"), acceptsCodings: true), receiver: receiver,
        control: control)
      await follow(control)
      return await end
    }
  }

  @Test(
    "a receiver that is full gets no more of them, and all of them in the end",
    arguments: [1, 2, 3])
  func fullReceiver(times: Int) async throws {
    let (receiver, length) = (Receiver(), 8 << 20)
    let end = try await Self.transfer(length, times: times, receiver) { control in
      var expected = 0
      for await block in receiver.blocks.stream {
        expected += block
        #expect(block <= 64 << 10 && receiver.received == expected)
        receiver.goOn()
        control.look()
        if expected >= length { break }
      }
    }
    #expect(end.cause == .complete && receiver.received == length)
  }

  @Test("an abort ends the decoding") func abort() async throws {
    let receiver = Receiver()
    let end = try await Self.transfer(64 << 20, times: 2, receiver) { control in
      for await _ in receiver.blocks.stream { break }
      control.abort()
    }
    #expect(end.cause == .aborted && receiver.received <= 64 << 10)
  }
}
