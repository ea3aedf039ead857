import Synchronization

/// Passes the events of a run from any thread to one consumer, without loss and without growing.
///
/// All events except progress are kept. An unread progress event is replaced by the next one of the
/// same episode, so a consumer that stops reading (a stopped terminal) costs at most one progress
/// event per episode. The stream ends when ``finish()`` was called and everything was read.
package final class EventChannel: Sendable {
  private struct State {
    var queue: [RunEvent] = []
    /// How many elements were ever removed from the front, so that positions stay valid.
    var taken = 0
    var head = 0
    /// The position of each episode's unread progress, counted from the first event ever.
    var progress: [String: Int] = [:]
    var isFinished = false
    var waiter: CheckedContinuation<RunEvent?, Never>?

    mutating func pop() -> RunEvent? {
      guard head < queue.count else { return nil }
      let event = queue[head]
      if let key = event.progressKey, progress[key] == taken { progress[key] = nil }
      head += 1
      taken += 1
      // The front is removed when it is half of the array, so that each event is moved at most
      // once.
      if head == queue.count || head > max(1024, queue.count / 2) {
        queue.removeFirst(head)
        head = 0
      }
      return event
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// The consumer's end. There is only one consumer; it may leave at any time.
  package var stream: AsyncStream<RunEvent> {
    AsyncStream { await self.next() }
  }

  /// The consumer's end for consumers of episode events only.
  package var episodes: AsyncStream<DownloadEvent> {
    AsyncStream {
      while let event = await self.next() {
        if case .episode(let event) = event { return event }
      }
      return nil
    }
  }

  /// Adds an event; it never blocks.
  package func send(_ event: RunEvent) {
    let waiter = state.withLock { state -> CheckedContinuation<RunEvent?, Never>? in
      guard !state.isFinished else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      if let key = event.progressKey {
        if let position = state.progress[key] {
          state.queue[position - state.taken + state.head] = event
          return nil
        }
        state.progress[key] = state.taken + state.queue.count - state.head
      } else if case .episode(let event) = event {
        // Later progress must not overtake this event.
        state.progress[event.plan.key] = nil
      }
      state.queue.append(event)
      return nil
    }
    waiter?.resume(returning: event)
  }

  /// Says that no more events follow.
  package func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  private func next() async -> RunEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> RunEvent?? in
          if let event = state.pop() { return .some(event) }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          state.waiter = continuation
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume(returning: nil)
    }
  }
}

extension RunEvent {
  /// The key of the episode whose progress this is; nil for every other event.
  fileprivate var progressKey: String? {
    guard case .episode(let event) = self, case .progress = event.kind else { return nil }
    return event.plan.key
  }
}
