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

  @Test("a redirect is followed with the slot, and before those that waited for its target earlier")
  func moves() async {
    let gate = HostGate(total: 2, perHost: 1, clock: SteppedClock()) {}
    #expect(await gate.take("a"))
    #expect(await gate.take("b"))
    let earlier = Task.immediate { await gate.wait(for: "b") }
    let moving = Task.immediate { await gate.move(from: "a", to: "b") }
    // The place at the first host is free, and no slot is.
    #expect(await gate.count == 2)
    #expect(await gate.takeAlso("a"))
    await gate.leave("a")
    await gate.release("b")
    #expect(await moving.value.turn == .taken)
    #expect(await gate.count == 1)
    await gate.release("b")
    #expect(await earlier.value == .taken)
    #expect(await gate.move(from: "b", to: "b").turn == .taken)
    #expect(await gate.count == 1)
  }

  @Test("who waits long for the target of a redirect gives the slot back, and gets it again")
  func patience() async throws {
    let clock = SteppedClock()
    let gate = HostGate(total: 2, perHost: 1, clock: clock) {}
    #expect(await gate.take("a"))
    #expect(await gate.take("b"))
    let moving = Task.immediate { await gate.move(from: "a", to: "b") }
    try await waitUntil("it is limited") { clock.sleepers > 0 }
    #expect(await !gate.take("c"))
    clock.advance(by: HostGate.hopPatience)
    // Nobody tells when that has been noticed.
    while await !gate.take("c") { await Task.yield() }
    await gate.release("b")
    #expect(await moving.value.turn == .taken)
    #expect(await gate.count == 2)
  }

  @Test("a place that is kept is used, or given up before a wait")
  func keepsPlace() async {
    let gate = HostGate(total: 4, perHost: 1, clock: SteppedClock()) {}
    #expect(await gate.take("b"))
    #expect(await gate.takeAlso("a"))
    // By another tracker back to the host.
    var moved = await gate.move(from: "a", to: "c", keeping: "b")
    #expect(moved.turn == .taken && moved.isKept)
    moved = await gate.move(from: "c", to: "b", keeping: "b")
    #expect(moved.turn == .taken && !moved.isKept)
    #expect(await gate.count == 1)
    #expect(await gate.takeAlso("a"))
    #expect(await gate.take("c"))
    let waiting = Task.immediate { await gate.move(from: "a", to: "c", keeping: "b") }
    for host in ["a", "b"] { #expect(await gate.take(host)) }
    await gate.release("c")
    moved = await waiting.value
    #expect(moved.turn == .taken && !moved.isKept)
    for host in ["a", "b", "c"] { await gate.release(host) }
    #expect(await gate.count == 0)
  }

  @Test("a closed target, a refusal and a cancellation give the slot back")
  func movesToClosed() async throws {
    let clock = SteppedClock()
    let gate = HostGate(total: 1, perHost: 1, clock: clock) {}
    await gate.close("b", for: .seconds(4))
    #expect(await gate.take("a"))
    let closed = Task.immediate { await gate.move(from: "a", to: "b") }
    #expect(await gate.count == 0)
    clock.advance(by: .seconds(4))
    #expect(await closed.value.turn == .taken)
    await gate.release("b")

    let other = HostGate(total: 3, perHost: 1, clock: SteppedClock()) {}
    for host in ["a", "b", "c"] { #expect(await other.take(host)) }
    let cancelled = Task.immediate { await other.move(from: "a", to: "b") }
    let closedLater = Task.immediate { await other.move(from: "c", to: "b") }
    cancelled.cancel()
    #expect(await cancelled.value.turn == .cancelled)
    #expect(await other.count == 2)
    await other.close("b", for: .seconds(4))
    #expect(await other.count == 1)
    await other.close("b", for: .seconds(400))
    #expect(await closedLater.value.turn == .refused(.seconds(400)))
    #expect(await other.take("a"))
    #expect(await other.move(from: "a", to: "b").turn == .refused(.seconds(400)))
    #expect(await other.count == 1)
  }

  @Test("many that move between few hosts never wait for each other", arguments: 0..<8)
  func manyMoves(seed: UInt64) async {
    let perHost = Int(seed % 2) + 1
    let running = Gauge()
    // Patience does not help them.
    let gate = HostGate(total: 3, perHost: perHost, clock: SteppedClock()) {}
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          var random = SeededGenerator(seed: seed << 8 | UInt64(number))
          var host = "\(Int.random(in: 0..<3, using: &random))"
          guard await gate.wait(for: host) == .taken else { return false }
          for _ in 0..<6 {
            let next = "\(Int.random(in: 0..<3, using: &random))"
            guard await gate.move(from: host, to: next).turn == .taken else { return false }
            host = next
            running.change(by: 1)
            await Task.yield()
            running.change(by: -1)
          }
          await gate.release(host)
          return true
        }
      }
      for await isDone in group { #expect(isDone) }
    }
    #expect(running.peak <= 3)
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
