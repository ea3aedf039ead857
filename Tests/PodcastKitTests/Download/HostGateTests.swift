import Synchronization
import TestSupport
import Testing

@testable import PodcastTransfer

@Suite("The host gate") struct HostGateTests {
  private func gate(
    _ total: Int, _ perHost: Int, clock: any Clock<Duration> = SteppedClock(),
    onRoom: @escaping @Sendable () -> Void = {}
  ) -> HostGate {
    HostGate(.init(total: total, perHost: perHost), clock: clock, onRoom: onRoom)
  }

  @Test("a free slot goes to a transfer that waits for that host")
  func order() async {
    let gate = gate(4, 1)
    #expect(await gate.reach("1", "a") == .taken)
    #expect(await gate.reach("2", "b") == .taken)
    // Immediate tasks have begun to wait when the next line runs.
    let waiting = Task.immediate { await gate.reach("3", "a") }
    await gate.end("2")
    #expect(await gate.reach("2", "b") == .taken)
    await gate.end("1")
    #expect(await waiting.value == .taken)
    #expect(await gate.begin(at: "a") == nil)
    #expect(await gate.schedule.count == 2)
  }

  @Test("a cancelled wait gets no slot, and the next one gets it")
  func cancelled() async throws {
    let gate = gate(1, 1)
    #expect(await gate.reach("0", "a") == .taken)
    let first = Task.immediate { await gate.reach("1", "a") }
    let second = Task.immediate { await gate.reach("2", "a") }
    first.cancel()
    #expect(await first.value == .cancelled)
    await gate.end("0")
    #expect(await second.value == .taken)
    #expect(await gate.begin(at: "a") == nil)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await gate.reach("3", "b")
    }
    #expect(await late.value == .cancelled)
    #expect(await gate.schedule.count == 1)
  }

  @Test("a gate that is stopped gives nothing of what comes back")
  func stopped() async {
    let gate = gate(1, 1)
    #expect(await gate.reach("0", "a") == .taken)
    let waiting = Task.immediate { await gate.reach("1", "a") }
    await gate.stop()
    #expect(await waiting.value == .cancelled)
    await gate.end("0")
    #expect(await gate.reach("2", "a") == .cancelled)
    #expect(await gate.begin(at: "a") == nil)
    #expect(await gate.schedule.count == 0)
  }

  @Test("it says when another transfer may begin")
  func onRoom() async {
    let calls = Gauge()
    let gate = gate(1, 1) { calls.change(by: 1) }
    #expect(await gate.begin(at: "a") != nil)
    #expect(calls.peak == 0)
    await gate.plan([("1", "a")])
    #expect(calls.peak == 1)
    #expect(await gate.next() == nil)
    await gate.end("#1")
    #expect(calls.peak == 2)
    #expect(await gate.next() == "1")
  }

  @Test("many waits get one slot each, never more than there are", arguments: 1...3)
  func many(perHost: Int) async {
    let running = Gauge()
    let gate = gate(3, perHost)
    await withTaskGroup(of: Bool?.self) { group in
      for _ in 0..<40 {
        group.addTask {
          await gate.withPlace(at: "a") {
            running.change(by: 1)
            await Task.yield()
            running.change(by: -1)
            return true
          }
        }
      }
      for await got in group { #expect(got == true) }
    }
    #expect(running.peak <= perHost)
    #expect(await gate.schedule.count == 0)
  }

  @Test("a Retry-After delays the waits for its host, and no others")
  func closed() async {
    let clock = SteppedClock()
    let gate = gate(2, 1, clock: clock)
    #expect(await gate.reach("1", "a") == .taken)
    let waiting = Task.immediate { await gate.reach("2", "a") }
    await gate.close("a", for: .seconds(4))
    await gate.end("1")
    let late = Task.immediate { await gate.reach("3", "a") }
    #expect(await gate.schedule.count == 0)
    #expect(await gate.reach("4", "b") == .taken)
    // A shorter limit does not shorten the longer one.
    await gate.close("a", for: .seconds(1))
    clock.advance(by: .seconds(3))
    #expect(await gate.begin(at: "a") == nil)
    clock.advance(by: .seconds(1))
    #expect(await waiting.value == .taken)
    await gate.end("2")
    #expect(await late.value == .taken)
    #expect(await gate.schedule.count == 2)
  }

  @Test("a Retry-After may become longer during a wait")
  func closedAgain() async throws {
    let clock = SteppedClock()
    let gate = gate(1, 1, clock: clock)
    await gate.close("a", for: .seconds(4))
    let waiting = Task.immediate { await gate.reach("1", "a") }
    try await waitUntil("the gate waits") { clock.sleepers > 0 }
    clock.advance(by: .seconds(3))
    await gate.close("a", for: .seconds(4))
    clock.advance(by: .seconds(1))
    #expect(await gate.schedule.opening(of: "a", at: .seconds(4)) == .seconds(3))
    #expect(await gate.schedule.count == 0)
    try await waitUntil("the gate waits again") { clock.sleepers > 0 }
    clock.advance(by: .seconds(3))
    #expect(await waiting.value == .taken)
  }

  @Test("a wait for a closed host returns immediately when cancelled")
  func closedAndCancelled() async {
    let gate = gate(1, 1)
    await gate.close("a", for: .seconds(4))
    let waiting = Task.immediate { await gate.reach("1", "a") }
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
    #expect(await gate.schedule.count == 0)
  }

  @Test("a redirect is followed with the slot, and before those that waited for its target earlier")
  func follows() async {
    let gate = gate(2, 1)
    #expect(await gate.reach("1", "a") == .taken)
    #expect(await gate.reach("2", "b") == .taken)
    let earlier = Task.immediate { await gate.reach("3", "b") }
    let following = Task.immediate { await gate.reach("1", "b") }
    #expect(await gate.schedule.count == 2)
    await gate.end("2")
    #expect(await following.value == .taken)
    #expect(await gate.schedule.count == 1)
    // The place at the first host is free.
    #expect(await gate.reach("4", "a") == .taken)
    await gate.end("1")
    #expect(await earlier.value == .taken)
    #expect(await gate.reach("3", "b") == .taken)
    #expect(await gate.schedule.count == 2)
  }

  @Test("who waits long for the target of a redirect gives the slot back, and gets it again")
  func patience() async throws {
    let clock = SteppedClock()
    let gate = gate(2, 1, clock: clock)
    #expect(await gate.reach("1", "a") == .taken)
    #expect(await gate.reach("2", "b") == .taken)
    let following = Task.immediate { await gate.reach("1", "b") }
    try await waitUntil("it is limited") { clock.sleepers > 0 }
    let other = Task.immediate { await gate.reach("3", "c") }
    #expect(await gate.schedule.count == 2)
    clock.advance(by: TransferSchedule.followPatience)
    #expect(await other.value == .taken)
    await gate.end("2")
    #expect(await following.value == .taken)
    #expect(await gate.schedule.count == 2)
  }

  @Test("a place that is kept is used, or given up before a wait")
  func keepsPlace() async {
    let gate = gate(4, 1)
    // Refused at b, it asks its own address at a again.
    #expect(await gate.reach("1", "b") == .taken)
    await gate.keepPlace("1", whileAsking: "a")
    #expect(await gate.begin(at: "a") == nil)
    #expect(await gate.begin(at: "b") == nil)
    // By another tracker back to the host.
    #expect(await gate.reach("1", "c") == .taken)
    #expect(await gate.reach("2", "a") == .taken)
    #expect(await gate.reach("1", "b") == .taken)
    #expect(await gate.reach("3", "c") == .taken)
    #expect(await gate.schedule.count == 3)
    await gate.keepPlace("1", whileAsking: "d")
    let waiting = Task.immediate { await gate.reach("1", "c") }
    for host in ["b", "d"] {
      let key = await gate.begin(at: host)
      #expect(key != nil)
      await gate.end(key ?? "")
    }
    await gate.end("3")
    #expect(await waiting.value == .taken)
    // The answer comes from c, so the place at e is free.
    await gate.keepPlace("1", whileAsking: "e")
    #expect(await gate.begin(at: "c") == nil)
    await gate.leaveKept("1")
    let freed = await gate.begin(at: "c")
    await gate.end(freed ?? "")
    #expect(freed != nil)
    for key in ["1", "2"] { await gate.end(key) }
    #expect(await gate.schedule.count == 0)
  }

  @Test("a closed target, a refusal and a cancellation give the slot back")
  func followsToClosed() async throws {
    let clock = SteppedClock()
    let one = gate(1, 1, clock: clock)
    await one.close("b", for: .seconds(4))
    #expect(await one.reach("1", "a") == .taken)
    let closed = Task.immediate { await one.reach("1", "b") }
    #expect(await one.schedule.count == 0)
    clock.advance(by: .seconds(4))
    #expect(await closed.value == .taken)

    let other = gate(3, 1)
    for host in ["a", "b", "c"] { #expect(await other.reach(host, host) == .taken) }
    let cancelled = Task.immediate { await other.reach("a", "b") }
    let closedLater = Task.immediate { await other.reach("c", "b") }
    cancelled.cancel()
    #expect(await cancelled.value == .cancelled)
    #expect(await other.schedule.count == 2)
    await other.close("b", for: .seconds(4))
    #expect(await other.schedule.count == 1)
    await other.close("b", for: .seconds(400))
    #expect(await closedLater.value == .refused(.seconds(400)))
    #expect(await other.reach("a", "a") == .taken)
    #expect(await other.reach("a", "b") == .refused(.seconds(400)))
    #expect(await other.schedule.count == 1)
  }

  @Test("many that follow redirects between few hosts never wait for each other", arguments: 0..<8)
  func manyFollow(seed: UInt64) async {
    let perHost = Int(seed % 2) + 1
    let running = Gauge()
    // Patience does not help them.
    let gate = gate(3, perHost)
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          var random = SeededGenerator(seed: seed << 8 | UInt64(number))
          for step in 0..<7 {
            let host = "\(Int.random(in: 0..<3, using: &random))"
            guard await gate.reach("\(number)", host) == .taken else { return false }
            if step == 3 { await gate.keepPlace("\(number)", whileAsking: "0") }
            running.change(by: 1)
            await Task.yield()
            running.change(by: -1)
          }
          await gate.end("\(number)")
          return true
        }
      }
      for await isDone in group { #expect(isDone) }
    }
    #expect(running.peak <= 3)
    #expect(await gate.schedule.count == 0)
  }

  @Test("a Retry-After of more than five minutes is not waited for")
  func closedForLong() async {
    let clock = SteppedClock()
    let gate = gate(1, 1, clock: clock)
    #expect(await gate.reach("1", "a") == .taken)
    let waiting = Task.immediate { await gate.reach("2", "a") }
    await gate.close("a", for: .seconds(301))
    #expect(await waiting.value == .refused(.seconds(301)))
    #expect(await gate.reach("3", "a") == .refused(.seconds(301)))
    clock.advance(by: .seconds(1))
    #expect(await gate.schedule.refusal(of: "a", at: .seconds(1)) == nil)
    await gate.close("b", for: .seconds(Int64.max))
    #expect(await gate.withPlace(at: "b") { true } == nil)
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
