/// Lets transfers wait for what a ``TransferSchedule`` gives them: a slot, a place at a host, the end
/// of a host's Retry-After.
package actor HostGate {
  package typealias Turn = TransferSchedule.Turn

  private(set) var schedule: TransferSchedule
  private var waiting: [String: (number: Int, continuation: CheckedContinuation<Turn, Never>)] = [:]
  private var lastNumber = 0
  /// Whether nothing may begin any more.
  private var isStopped = false
  /// Ends the next wait that ends by itself.
  private var timer: (moment: Duration, task: Task<Void, Never>)?
  /// How often each host sent another version when a file was to be continued.
  private var changes: [String: Int] = [:]
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let onRoom: @Sendable () -> Void

  /// Creates a gate that calls `onRoom` whenever another transfer may be able to begin.
  package init(
    _ limits: TransferSchedule.Limits, clock: some Clock<Duration>,
    onRoom: @escaping @Sendable () -> Void = {}
  ) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
    schedule = TransferSchedule(limits)
    self.onRoom = onRoom
  }

  // A host may be closed for years.
  deinit { timer?.task.cancel() }

  /// Whether any transfer could begin now.
  package var hasRoom: Bool { schedule.hasRoom }

  /// Adds transfers that are to begin when their hosts have their turns.
  package func plan(_ transfers: [(key: String, host: String)]) {
    for (key, host) in transfers { schedule.plan(key, at: host) }
    onRoom()
  }

  /// Whether others wait for what a running transfer has.
  package func isWanted(_ key: String) -> Bool { schedule.isWanted(key, at: elapsed()) }

  /// Plans a transfer again that has begun and has not run.
  package func putBack(_ key: String) {
    schedule.putBack(key)
    serve()
  }

  /// Removes planned transfers that have not begun: all, or those with these keys.
  ///
  /// - Returns: what was removed, host by host.
  package func removePlanned(_ keys: Set<String>? = nil) -> [String] {
    schedule.removePlanned { keys?.contains($0) ?? true }
  }

  /// Gives nothing any more: those that wait and those that come are cancelled. What a cancelled
  /// transfer gives back must not let another one send its request before it is cancelled itself.
  package func stop() {
    isStopped = true
    let waiters = waiting
    waiting = [:]
    for (key, waiter) in waiters {
      schedule.stepAside(key)
      waiter.continuation.resume(returning: .cancelled)
    }
    setTimer()
  }

  /// Takes the next planned transfer that should begin now; nil if none should.
  package func next() -> String? { schedule.next(at: elapsed()) }

  /// Takes a slot and a place at a host immediately for a transfer that was not planned, or none.
  ///
  /// - Returns: the key of the transfer.
  package func begin(at host: String) -> String? {
    guard !isStopped else { return nil }
    let key = newKey()
    return schedule.begin(key, at: host, now: elapsed()) ? key : nil
  }

  /// Waits for a slot and a place at a host, and for the end of a Retry-After; not for a host that is
  /// closed for longer than ``RetryPolicy/longestRetryAfter``. A place at another host is given back.
  ///
  /// Cancelling the task ends the wait. ``end(_:)`` must be called afterwards in any case.
  package func reach(_ key: String, _ host: String) async -> Turn {
    if Task.isCancelled || isStopped {
      stepAside(key)
      return .cancelled
    }
    if let turn = schedule.reach(key, host, at: elapsed()) {
      serve()
      return turn
    }
    lastNumber += 1
    let number = lastNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting[key] = (number, continuation)
        if Task.isCancelled || isStopped { giveUp(key, number) } else { serve() }
      }
    } onCancel: {
      Task { await self.giveUp(key, number) }
    }
  }

  /// Performs work with a slot and a place at a host; nil if it got none, because its task was
  /// cancelled or the host is closed for long.
  package nonisolated func withPlace<Value, Failure: Error>(
    at host: String, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value? {
    let key = await newKey()
    guard await reach(key, host) == .taken else {
      await end(key)
      return nil
    }
    do throws(Failure) {
      let value = try await work()
      await end(key)
      return value
    } catch {
      await end(key)
      throw error
    }
  }

  /// Keeps the place at the host of a refused address while another host is asked.
  package func keepPlace(_ key: String, whileAsking host: String) {
    schedule.keepPlace(key, whileAsking: host, at: elapsed())
  }

  /// Gives back the place that was kept: the answer comes from elsewhere.
  package func leaveKept(_ key: String) {
    schedule.leaveKept(key)
    serve()
  }

  /// Gives back what a transfer has: it waits for something else.
  package func stepAside(_ key: String) {
    schedule.stepAside(key)
    serve()
  }

  /// Does the same unless too many are aside already.
  ///
  /// - Returns: whether it did.
  package func stepAsideIfRoom(_ key: String) -> Bool {
    guard schedule.hasRoomAside(at: elapsed()) else { return false }
    stepAside(key)
    return true
  }

  /// Gives back what a transfer has: it has received what it asked for.
  package func settle(_ key: String) {
    schedule.settle(key)
    serve()
  }

  /// Gives back what a transfer has, and forgets it.
  package func end(_ key: String) {
    schedule.end(key)
    serve()
  }

  /// Records a host's Retry-After (RFC 9110, section 10.2.3); the longest one counts.
  ///
  /// A transfer that waits for the host continues to wait, or is refused if the time is longer than
  /// podget waits.
  package func close(_ host: String, for duration: Duration) {
    schedule.close(host, for: duration, at: elapsed())
    serve()
  }

  /// Records that a host sent another version of a file that was to be continued.
  package func noteChange(of host: String) { changes[host, default: 0] += 1 }

  /// Whether range requests to a host are useless in this run: it creates a new file for each
  /// request, as hosts that insert advertisements do.
  package func keepsChanging(_ host: String) -> Bool { changes[host, default: 0] >= 2 }

  /// Forgets the changes: what a long run has learned need not hold for ever. A Retry-After that is
  /// not over stays.
  package func forgetPast() { changes = [:] }
}

extension HostGate {
  private func newKey() -> String {
    lastNumber += 1
    return "#\(lastNumber)"
  }

  /// Gives those that wait what is free.
  private func serve() {
    for (key, turn) in schedule.serve(at: elapsed()) {
      waiting.removeValue(forKey: key)?.continuation.resume(returning: turn)
    }
    setTimer()
    onRoom()
  }

  private func setTimer() {
    let moment = schedule.nextMoment
    guard moment != timer?.moment else { return }
    timer?.task.cancel()
    timer = moment.map { moment in
      let task = Task { [weak self, sleep, elapsed] in
        guard (try? await sleep(moment - elapsed())) != nil else { return }
        await self?.endWait(moment)
      }
      return (moment, task)
    }
  }

  private func endWait(_ moment: Duration) {
    if timer?.moment == moment { timer = nil }
    serve()
  }

  private func giveUp(_ key: String, _ number: Int) {
    guard let waiter = waiting[key], waiter.number == number else { return }
    waiting[key] = nil
    schedule.stepAside(key)
    waiter.continuation.resume(returning: .cancelled)
    serve()
  }
}
