/// Lets transfers through to hosts: so many in all, so many to each, and none to a host that asked
/// to be left alone for a while.
///
/// A host is scheme, host and port. Whoever waits here has begun already (a redirect, another
/// attempt) and comes before episodes that have not.
actor HostGate {
  private struct Waiter {
    var number: Int
    var host: String
    var continuation: CheckedContinuation<Bool, Never>
  }

  private var slots: SlotTable
  private var waiters: [Waiter] = []
  private var nextNumber = 0
  /// When each host may be asked again, in time since the gate was made.
  private var closedUntil: [String: Duration] = [:]
  /// How often each host gave another version where a file was to be continued.
  private var changes: [String: Int] = [:]
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let onRoom: @Sendable () -> Void

  /// Makes a gate that calls `onRoom` whenever a slot came free that no waiter took.
  init(
    total: Int, perHost: Int, clock: some Clock<Duration>, onRoom: @escaping @Sendable () -> Void
  ) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
    slots = SlotTable(total: total, perHost: perHost)
    self.onRoom = onRoom
  }

  /// Whether any transfer could begin now.
  ///
  /// Whoever waits is served when a slot comes free, so the room there is now is of no use to them.
  var hasRoom: Bool { slots.hasRoom }

  /// How many transfers have a slot.
  var count: Int { slots.count }

  /// Takes a slot at once, or none.
  func take(_ host: String) -> Bool {
    guard opening(of: host) == nil else { return false }
    return slots.take(host)
  }

  /// Waits for a slot. Returns false, without one, when the task is cancelled.
  func wait(for host: String) async -> Bool {
    if Task.isCancelled { return false }
    if slots.take(host) { return true }
    nextNumber += 1
    let number = nextNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume(returning: false) }
        waiters.append(Waiter(number: number, host: host, continuation: continuation))
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  /// Gives a slot back.
  func giveBack(_ host: String) {
    slots.giveBack(host)
    var served: [Waiter] = []
    waiters.removeAll { waiter in
      guard slots.take(waiter.host) else { return false }
      served.append(waiter)
      return true
    }
    for waiter in served { waiter.continuation.resume(returning: true) }
    if slots.hasRoom { onRoom() }
  }

  /// Notes that a host wants to be left alone (RFC 9110, 10.2.3); the longest wish counts.
  func close(_ host: String, for duration: Duration) {
    let moment = elapsed() + duration
    closedUntil[host] = max(closedUntil[host] ?? moment, moment)
    Task {
      try? await sleep(duration)
      onRoom()
    }
  }

  /// How long until a host may be asked again; nil when it may be now.
  func opening(of host: String) -> Duration? {
    let left = (closedUntil[host] ?? .zero) - elapsed()
    return left > .zero ? left : nil
  }

  /// Notes that a host gave another version of a file that was to be continued.
  func noteChange(of host: String) { changes[host, default: 0] += 1 }

  /// Whether asking a host for ranges is no use in this run: it makes a new file for each request,
  /// as hosts that insert advertisements do.
  func keepsChanging(_ host: String) -> Bool { changes[host, default: 0] >= 2 }

  private func giveUp(_ number: Int) {
    guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
    waiters.remove(at: place).continuation.resume(returning: false)
  }
}
