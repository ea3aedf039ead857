import Synchronization

/// Work that blocks or takes long, such as reading a large library, on its own thread: Swift's few
/// threads stay free for signals, and a waiting task can be cancelled.
package enum BlockingWork {
  /// Runs the work; nil when the task was cancelled before the work was done.
  ///
  /// Cancelled work continues until the process ends: it must be safe for that.
  ///
  /// - Parameters:
  ///   - cancel: called when the task is cancelled, before the wait ends: whoever waited may end the
  ///     process.
  ///   - body: the work.
  package static func run<Result: Sendable>(
    whenCancelled cancel: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () -> Result
  ) async -> Result? {
    let waiter = Waiter<Result>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard waiter.wait(continuation) else { return continuation.resume(returning: nil) }
        // If there can be no more threads, this one does it.
        let thread = DedicatedThread { waiter.end(with: body()) }
        if let thread { thread.detach() } else { waiter.end(with: body()) }
      }
    } onCancel: {
      cancel()
      waiter.end(with: nil)
    }
  }

  /// Resumes once, with the first result.
  private final class Waiter<Result: Sendable>: Sendable {
    private enum State {
      case idle, ended
      case waiting(CheckedContinuation<Result?, Never>)
    }

    private let state = Mutex(State.idle)

    /// Stores the continuation; false when the task was already cancelled.
    func wait(_ continuation: CheckedContinuation<Result?, Never>) -> Bool {
      state.withLock { state in
        guard case .idle = state else { return false }
        state = .waiting(continuation)
        return true
      }
    }

    func end(with result: Result?) {
      let continuation = state.withLock { state -> CheckedContinuation<Result?, Never>? in
        defer { state = .ended }
        if case .waiting(let continuation) = state { return continuation }
        return nil
      }
      continuation?.resume(returning: result)
    }
  }
}
