import Synchronization
import TestSupport
import Testing

@testable import PodcastKit

@Suite("The gate before hosts") struct HostGateTests {
  @Test("a slot given back goes to who waits for that host")
  func order() async {
    let gate = HostGate(total: 4, perHost: 1, clock: RecordedClock()) {}
    #expect(await gate.take("a"))
    #expect(await gate.take("b"))
    let waiting = Task { await gate.wait(for: "a") }
    await gate.giveBack("b")
    #expect(await gate.take("b"))
    await gate.giveBack("a")
    #expect(await waiting.value)
    #expect(await !gate.take("a"))
  }

  @Test("who waits for one host keeps nobody from another")
  func others() async {
    let gate = HostGate(total: 2, perHost: 1, clock: RecordedClock()) {}
    #expect(await gate.take("a"))
    let waiting = Task { await gate.wait(for: "a") }
    #expect(await gate.hasRoom)
    #expect(await gate.take("b"))
    #expect(await !gate.hasRoom)
    await gate.giveBack("a")
    #expect(await waiting.value)
  }

  @Test("who is cancelled leaves without a slot, and the next one gets it")
  func cancelled() async throws {
    let gate = HostGate(total: 1, perHost: 1, clock: RecordedClock()) {}
    #expect(await gate.take("a"))
    let first = Task { await gate.wait(for: "a") }
    let second = Task { await gate.wait(for: "a") }
    first.cancel()
    #expect(await !first.value)
    await gate.giveBack("a")
    #expect(await second.value)
    #expect(await !gate.take("a"))
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await gate.wait(for: "b")
    }
    #expect(await !late.value)
  }

  @Test("it says when a slot came free that nobody took")
  func onRoom() async {
    let calls = Gauge()
    let gate = HostGate(total: 1, perHost: 1, clock: RecordedClock()) { calls.change(by: 1) }
    #expect(await gate.take("a"))
    #expect(calls.peak == 0)
    await gate.giveBack("a")
    #expect(calls.peak == 1)
  }

  @Test("many who wait get one slot each, never more at once than there are", arguments: 1...3)
  func many(perHost: Int) async {
    let running = Gauge()
    let gate = HostGate(total: 3, perHost: perHost, clock: RecordedClock()) {}
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<40 {
        group.addTask {
          guard await gate.wait(for: "a") else { return false }
          running.change(by: 1)
          await Task.yield()
          running.change(by: -1)
          await gate.giveBack("a")
          return true
        }
      }
      for await got in group { #expect(got) }
    }
    #expect(running.peak <= perHost)
    #expect(await gate.hasRoom)
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
