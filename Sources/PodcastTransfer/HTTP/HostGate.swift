/// Limits transfers: in total, per host, and to none for a host during its Retry-After.
///
/// A host is scheme, host and port. A download that waits here has already begun (a redirect,
/// another attempt) and comes before episodes that have not.
package actor HostGate {
  /// The result of a wait for a slot.
  package enum Turn: Sendable, Hashable {
    case taken
    /// The rest of the host's Retry-After, which is longer than podget waits.
    case refused(Duration)
    case cancelled
  }

  private struct Waiter {
    var number: Int
    var host: String
    var continuation: CheckedContinuation<Turn, Never>
  }

  private var slots: SlotTable
  private var waiters: [Waiter] = []
  private var nextNumber = 0
  /// When each host accepts requests again, in time since the gate was created.
  private var closedUntil: [String: Duration] = [:]
  /// How often each host sent another version when a file was to be continued.
  private var changes: [String: Int] = [:]
  /// How many downloads wait for a file descriptor.
  private var shortages = 0
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let onRoom: @Sendable () -> Void

  /// Longer than any run; a clock can represent this time.
  private static let longestClosure = Duration.seconds(1_000_000_000)

  /// Creates a gate that calls `onRoom` whenever a slot is free that no waiting download has taken.
  package init(
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
  /// A waiting download gets the next free slot, so slots that are free now are not for it.
  package var hasRoom: Bool { slots.hasRoom }

  /// How many transfers have a slot.
  package var count: Int { slots.count }

  /// Counts a download that begins to wait for a file descriptor, until ``endShortage()``.
  ///
  /// - Returns: whether a running download may close one. A download that waits for one itself will
  ///   not: two that wait for each other would wait forever.
  package func beginShortage() -> Bool {
    shortages += 1
    return count > shortages
  }

  /// No longer counts a download that ``beginShortage()`` counted.
  package func endShortage() { shortages -= 1 }

  /// Takes a slot immediately, or none.
  package func take(_ host: String) -> Bool {
    guard opening(of: host) == nil else { return false }
    return slots.take(host)
  }

  /// Waits for a slot, and for the end of a Retry-After; not for a host that is closed for longer
  /// than ``RetryPolicy/longestRetryAfter``.
  package func wait(for host: String) async -> Turn {
    if Task.isCancelled { return .cancelled }
    if let left = refusal(of: host) { return .refused(left) }
    if take(host) { return .taken }
    nextNumber += 1
    let number = nextNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled { return continuation.resume(returning: .cancelled) }
        waiters.append(Waiter(number: number, host: host, continuation: continuation))
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  /// Releases a slot.
  package func release(_ host: String) {
    slots.release(host)
    serve()
  }

  /// Records a host's Retry-After (RFC 9110, section 10.2.3); the longest one counts.
  ///
  /// A download that waits for the host continues to wait, or is refused if the time is longer than
  /// podget waits.
  package func close(_ host: String, for duration: Duration) {
    let moment = elapsed() + min(duration, Self.longestClosure)
    closedUntil[host] = max(closedUntil[host] ?? moment, moment)
    serve()
    // It may sleep for years, and must not keep the gate in memory that long.
    Task { [weak self, sleep] in
      while let left = await self?.opening(of: host) {
        guard (try? await sleep(left)) != nil else { return }
      }
      await self?.serve()
    }
  }

  /// How long a host is closed, if that is longer than podget waits; otherwise nil.
  package func refusal(of host: String) -> Duration? {
    opening(of: host).flatMap { $0 > RetryPolicy.longestRetryAfter ? $0 : nil }
  }

  /// The time until a host accepts requests again; nil when it does so now.
  package func opening(of host: String) -> Duration? {
    let left = (closedUntil[host] ?? .zero) - elapsed()
    return left > .zero ? left : nil
  }

  /// Records that a host sent another version of a file that was to be continued.
  package func noteChange(of host: String) { changes[host, default: 0] += 1 }

  /// Whether range requests to a host are useless in this run: it creates a new file for each
  /// request, as hosts that insert advertisements do.
  package func keepsChanging(_ host: String) -> Bool { changes[host, default: 0] >= 2 }

  /// Forgets the past of hosts: what a long run has learned need not hold for ever. A Retry-After
  /// that is not over stays.
  package func forgetPast() {
    changes = [:]
    let now = elapsed()
    closedUntil = closedUntil.filter { $0.value > now }
  }

  /// Gives each waiting download, in turn, a result if there is one.
  private func serve() {
    var served: [(Waiter, Turn)] = []
    waiters.removeAll { waiter in
      let refusal = refusal(of: waiter.host).map(Turn.refused)
      guard let turn = refusal ?? (take(waiter.host) ? .taken : nil) else { return false }
      served.append((waiter, turn))
      return true
    }
    for (waiter, turn) in served { waiter.continuation.resume(returning: turn) }
    if slots.hasRoom { onRoom() }
  }

  private func giveUp(_ number: Int) {
    guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
    waiters.remove(at: place).continuation.resume(returning: .cancelled)
  }
}
