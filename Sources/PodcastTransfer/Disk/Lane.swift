import Synchronization

/// The owner of a value whose work blocks on a disk: one piece of work at a time uses it, in order, on
/// the threads of a pool.
///
/// The lock is held only while the value is taken out and put back, never while it is used.
package final class Lane<Value: ~Copyable & Sendable>: Sendable {
  /// A piece of work. What it returns is called when the value can be used again.
  private typealias Work = @Sendable (inout Value) -> (@Sendable () -> Void)?

  private struct State: ~Copyable {
    /// Nil while it is used.
    var value: Value?
    /// What waits, in order.
    var work: [Work] = []
    /// Whether somebody uses the value, or a thread will.
    var isBusy = false
  }

  private let state: Mutex<State>
  private let disk: DiskPool

  /// Creates a lane that works on the threads of a pool.
  package init(_ value: consuming Value, on disk: DiskPool) {
    state = Mutex(State(value: consume value))
    self.disk = disk
  }

  /// Does the work after everything that came before, without waiting for it.
  package func run(_ work: @escaping @Sendable (inout Value) -> Void) {
    add { value in
      work(&value)
      return nil
    }
  }

  private func add(_ work: @escaping Work) {
    let isFirst = state.withLock { state in
      state.work.append(work)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if isFirst { start() }
  }

  /// Does the work after everything that came before, and waits without blocking a thread until the
  /// value can be used again.
  package func perform<Result: Sendable>(
    _ work: @escaping @Sendable (inout Value) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      add { value in
        let result = work(&value)
        return { continuation.resume(returning: result) }
      }
    }
  }

  /// Uses the value at once, on the caller's thread; nil if it is in use, and then `body` was not
  /// called.
  package func use<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let taken = state.withLock { state -> Value? in
      guard !state.isBusy else { return nil }
      state.isBusy = true
      return state.value.take()
    }
    guard var value = taken else { return nil }
    do throws(Failure) {
      let result = try body(&value)
      putBack(consume value)
      return result
    } catch {
      putBack(consume value)
      throw error
    }
  }

  private func start() { disk.start { [self] in work() } }

  private func work() {
    guard var value = state.withLock({ $0.value.take() }) else { return }
    var afterwards: [@Sendable () -> Void] = []
    while true {
      let work = state.withLock { state in
        defer { state.work = [] }
        return state.work
      }
      if work.isEmpty { break }
      for piece in work { if let next = piece(&value) { afterwards.append(next) } }
    }
    putBack(consume value)
    for next in afterwards { next() }
  }

  /// Work that came in the meantime needs a thread.
  private func putBack(_ value: consuming Value) {
    var value = Optional(consume value)
    let isDue = state.withLock { state in
      state.value = value.take()
      state.isBusy = !state.work.isEmpty
      return state.isBusy
    }
    if isDue { start() }
  }
}
