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
    /// Whether it follows a redirect and has its slot still: it needs only a place at the host.
    var hasSlot = false
    /// Ends that after a while.
    var patience: Task<Void, Never>?
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

  /// How long a download that follows a redirect keeps its slot while it waits for a place at the
  /// target. It waits on without, so that a slow host does not take all slots from the others.
  package static let hopPatience = Duration.seconds(15)

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

  /// Takes a slot and a place at a host immediately, or none.
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
    return await queue(host, hasSlot: false)
  }

  /// Leaves a host for the target of a redirect: gives back the place there, and waits for one at the
  /// target.
  ///
  /// The slot is kept, and others of the target come later: the address may be valid for a short time
  /// only. It is given back while the target is closed, and if the wait becomes long. Without a place
  /// there is no slot either afterwards. Who waits here has no place at any host, so two never wait for
  /// each other.
  ///
  /// - Parameter kept: a host where the download has another place, which it gives up if it must wait.
  /// - Returns: also whether it has the other place still, besides the one at the target.
  package func move(
    from host: String, to target: String, keeping kept: String? = nil
  ) async -> (turn: Turn, isKept: Bool) {
    let refusal = refusal(of: target)
    if Task.isCancelled || refusal != nil {
      if let kept { slots.releasePlace(kept) }
      release(host)
      return (refusal.map(Turn.refused) ?? .cancelled, false)
    }
    let isOpen = opening(of: target) == nil
    if isOpen {
      if host == target { return (.taken, kept != nil) }
      if kept == target || kept != nil && slots.takePlace(target) {
        leave(host)
        return (.taken, kept != target)
      }
    } else {
      slots.releaseSlot()
    }
    if let kept { slots.releasePlace(kept) }
    slots.releasePlace(host)
    let isTaken = isOpen && slots.takePlace(target)
    serve()
    return (isTaken ? .taken : await queue(target, hasSlot: isOpen), false)
  }

  /// Takes a place at another host for a download that keeps the one it has, immediately or not at
  /// all.
  package func takeAlso(_ host: String) -> Bool {
    opening(of: host) == nil && slots.takePlace(host)
  }

  /// Releases a place; the slot stays taken.
  package func leave(_ host: String) {
    slots.releasePlace(host)
    serve()
  }

  /// Releases a slot with its place.
  package func release(_ host: String) {
    slots.release(host)
    serve()
  }

  private func queue(_ host: String, hasSlot: Bool) async -> Turn {
    nextNumber += 1
    let number = nextNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          if hasSlot { releaseSlot() }
          return continuation.resume(returning: .cancelled)
        }
        var waiter = Waiter(
          number: number, host: host, hasSlot: hasSlot, continuation: continuation)
        if hasSlot {
          waiter.patience = Task { [weak self, sleep] in
            guard (try? await sleep(Self.hopPatience)) != nil else { return }
            await self?.endPatience(number)
          }
        }
        waiters.append(waiter)
      }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  private func releaseSlot() {
    slots.releaseSlot()
    serve()
  }

  private func endPatience(_ number: Int) {
    guard let place = waiters.firstIndex(where: { $0.number == number && $0.hasSlot }) else {
      return
    }
    waiters[place].hasSlot = false
    releaseSlot()
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

  /// Gives each waiting download, in turn, a result if there is one. Those that follow a redirect come
  /// first.
  private func serve() {
    var served: [(Waiter, Turn)] = []
    for following in [true, false] {
      var others: [Waiter] = []
      for var waiter in waiters {
        guard waiter.hasSlot == following else {
          others.append(waiter)
          continue
        }
        if let left = refusal(of: waiter.host) {
          if waiter.hasSlot { slots.releaseSlot() }
          served.append((waiter, .refused(left)))
        } else if waiter.hasSlot ? takeAlso(waiter.host) : take(waiter.host) {
          served.append((waiter, .taken))
        } else {
          // A Retry-After may last minutes.
          if waiter.hasSlot, opening(of: waiter.host) != nil {
            waiter.hasSlot = false
            slots.releaseSlot()
          }
          others.append(waiter)
        }
      }
      waiters = others
    }
    for (waiter, turn) in served {
      waiter.patience?.cancel()
      waiter.continuation.resume(returning: turn)
    }
    if slots.hasRoom { onRoom() }
  }

  private func giveUp(_ number: Int) {
    guard let place = waiters.firstIndex(where: { $0.number == number }) else { return }
    let waiter = waiters.remove(at: place)
    waiter.patience?.cancel()
    waiter.continuation.resume(returning: .cancelled)
    if waiter.hasSlot { releaseSlot() }
  }
}
