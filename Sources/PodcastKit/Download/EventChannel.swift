import Synchronization

/// Carries events from any thread to one consumer, without loss and without growing.
///
/// Lifecycle events are always kept. A progress event that was not taken yet is replaced by the
/// next one of the same episode, so a consumer that stands still (a stopped terminal) costs at most
/// one progress event an episode. The stream ends when ``finish()`` was called and all is taken.
final class EventChannel: Sendable {
  private struct State {
    var queue: [DownloadEvent] = []
    /// How many elements were ever taken from the front, so that positions stay valid.
    var taken = 0
    var head = 0
    /// Where in the queue each episode's untaken progress stands, counted from the first event ever.
    var progress: [String: Int] = [:]
    var isFinished = false
    var waiter: CheckedContinuation<DownloadEvent?, Never>?

    mutating func pop() -> DownloadEvent? {
      guard head < queue.count else { return nil }
      let event = queue[head]
      if case .progress = event.kind, progress[event.plan.key] == taken {
        progress[event.plan.key] = nil
      }
      head += 1
      taken += 1
      // The front is given back in large steps, so that taking stays cheap.
      if head == queue.count || head > 1024 {
        queue.removeFirst(head)
        head = 0
      }
      return event
    }
  }

  private let state = Mutex(State())

  /// The consumer's end. One consumer only; it may leave at any time.
  var stream: AsyncStream<DownloadEvent> {
    AsyncStream { await self.next() }
  }

  /// Adds an event; it never blocks.
  func send(_ event: DownloadEvent) {
    let waiter = state.withLock { state -> CheckedContinuation<DownloadEvent?, Never>? in
      guard !state.isFinished else { return nil }
      if let waiter = state.waiter {
        state.waiter = nil
        return waiter
      }
      if case .progress = event.kind {
        if let position = state.progress[event.plan.key] {
          state.queue[position - state.taken + state.head] = event
          return nil
        }
        state.progress[event.plan.key] = state.taken + state.queue.count - state.head
      } else {
        // Progress that follows must not step before this event.
        state.progress[event.plan.key] = nil
      }
      state.queue.append(event)
      return nil
    }
    waiter?.resume(returning: event)
  }

  /// Says that nothing more comes.
  func finish() {
    let waiter = state.withLock { state in
      state.isFinished = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  private func next() async -> DownloadEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state -> DownloadEvent?? in
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
