import Synchronization

/// Work that blocks or takes long, such as reading a large library, on a thread of its own: Swift's
/// few threads stay free for signals, and who waits for it may stop waiting.
enum BlockingWork {
  /// Runs the work; nil when the task was cancelled before the work was done.
  ///
  /// Cancelled work goes on until the process ends: whatever it does must bear that.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
    let waiter = Waiter<Result>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        guard waiter.wait(continuation) else { return continuation.resume(returning: nil) }
        // Where there can be no more threads, this one has to do.
        let thread = DedicatedThread { waiter.end(with: body()) }
        if let thread { thread.detach() } else { waiter.end(with: body()) }
      }
    } onCancel: {
      waiter.end(with: nil)
    }
  }

  /// Resumes once, with whatever comes first.
  private final class Waiter<Result: Sendable>: Sendable {
    private enum State {
      case idle, ended
      case waiting(CheckedContinuation<Result?, Never>)
    }

    private let state = Mutex(State.idle)

    /// Takes the continuation; false when the task was cancelled already.
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
