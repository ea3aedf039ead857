import Synchronization
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("The host gate") struct HostGateTests {
  @Test("a released slot goes to a download that waits for that host")
  func order() async {
    let gate = HostGate(total: 4, perHost: 1, clock: RecordedClock()) {}
    #expect(await gate.take("a"))
    #expect(await gate.take("b"))
    let waiting = Task { await gate.wait(for: "a") }
    await gate.release("b")
    #expect(await gate.take("b"))
    await gate.release("a")
    #expect(await waiting.value == .taken)
    #expect(await !gate.take("a"))
  }

  @Test("a wait for one host does not block another")
  func others() async {
    let gate = HostGate(total: 2, perHost: 1, clock: RecordedClock()) {}
    #expect(await gate.take("a"))
    let waiting = Task { await gate.wait(for: "a") }
    #expect(await gate.hasRoom)
    #expect(await gate.take("b"))
    #expect(await !gate.hasRoom)
    await gate.release("a")
    #expect(await waiting.value == .taken)
  }

  @Test("a cancelled wait gets no slot, and the next one gets it")
  func cancelled() async throws {
    let gate = HostGate(total: 1, perHost: 1, clock: RecordedClock()) {}
    #expect(await gate.take("a"))
    let first = Task { await gate.wait(for: "a") }
    let second = Task { await gate.wait(for: "a") }
    first.cancel()
    #expect(await first.value == .cancelled)
    await gate.release("a")
    #expect(await second.value == .taken)
    #expect(await !gate.take("a"))
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await gate.wait(for: "b")
    }
    #expect(await late.value == .cancelled)
  }

  @Test("it reports a free slot that no download took")
  func onRoom() async {
    let calls = Gauge()
    let gate = HostGate(total: 1, perHost: 1, clock: RecordedClock()) { calls.change(by: 1) }
    #expect(await gate.take("a"))
    #expect(calls.peak == 0)
    await gate.release("a")
    #expect(calls.peak == 1)
  }

  @Test("many waits get one slot each, never more than there are", arguments: 1...3)
  func many(perHost: Int) async {
    let running = Gauge()
    let gate = HostGate(total: 3, perHost: perHost, clock: RecordedClock()) {}
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 {
        group.addTask {
          guard await gate.wait(for: "a") == .taken else { return false }
          running.change(by: 1)
          await Task.yield()
          running.change(by: -1)
          await gate.release("a")
          return true
        }
      }
      for await got in group { #expect(got) }
    }
    #expect(running.peak <= perHost)
    #expect(await gate.hasRoom)
  }

  @Test("a Retry-After delays the waits for its host, and no others")
  func closed() async {
    let clock = SteppedClock()
    let gate = HostGate(total: 2, perHost: 1, clock: clock) {}
    #expect(await gate.take("a"))
    // Immediate tasks have begun to wait when the next line runs.
    let waiting = Task.immediate { await gate.wait(for: "a") }
    await gate.close("a", for: .seconds(4))
    await gate.release("a")
    let late = Task.immediate { await gate.wait(for: "a") }
    #expect(await gate.count == 0)
    #expect(await gate.wait(for: "b") == .taken)
    #expect(await gate.count == 1)
    // A shorter limit does not shorten the longer one.
    await gate.close("a", for: .seconds(1))
    clock.advance(by: .seconds(3))
    #expect(await !gate.take("a"))
    clock.advance(by: .seconds(1))
    #expect(await waiting.value == .taken)
    await gate.release("a")
    #expect(await late.value == .taken)
    #expect(await gate.count == 2)
  }

  @Test("a Retry-After may become longer during a wait")
  func closedAgain() async throws {
    let clock = SteppedClock()
    let gate = HostGate(total: 1, perHost: 1, clock: clock) {}
    await gate.close("a", for: .seconds(4))
    let waiting = Task.immediate { await gate.wait(for: "a") }
    try await waitUntil("the gate waits") { clock.sleepers > 0 }
    clock.advance(by: .seconds(3))
    await gate.close("a", for: .seconds(4))
    clock.advance(by: .seconds(1))
    #expect(await gate.opening(of: "a") == .seconds(3))
    #expect(await gate.count == 0)
    clock.advance(by: .seconds(3))
    #expect(await waiting.value == .taken)
  }

  @Test("a wait for a closed host returns immediately when cancelled")
  func closedAndCancelled() async {
    let gate = HostGate(total: 1, perHost: 1, clock: SteppedClock()) {}
    await gate.close("a", for: .seconds(4))
    let waiting = Task.immediate { await gate.wait(for: "a") }
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
    #expect(await gate.count == 0)
  }

  @Test("a Retry-After of more than five minutes is not waited for")
  func closedForLong() async {
    let clock = SteppedClock()
    let gate = HostGate(total: 1, perHost: 1, clock: clock) {}
    #expect(await gate.take("a"))
    let waiting = Task.immediate { await gate.wait(for: "a") }
    await gate.close("a", for: .seconds(301))
    #expect(await waiting.value == .refused(.seconds(301)))
    #expect(await gate.wait(for: "a") == .refused(.seconds(301)))
    clock.advance(by: .seconds(1))
    #expect(await gate.refusal(of: "a") == nil)
    await gate.close("b", for: .seconds(Int64.max))
    #expect(await gate.refusal(of: "b") != nil)
  }
}

/// A number that several tasks change, with the largest it ever was.
private final class Gauge: Sendable {
  private let state = Mutex((now: 0, peak: 0))

  var peak: Int { state.withLock { $0.peak } }

  func change(by difference: Int) {
    state.withLock {
      $0.now += difference
      $0.peak = max($0.peak, $0.now)
    }
  }
}
