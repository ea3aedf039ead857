import Dispatch
import Synchronization

/// Runs blocking file work outside Swift's cooperative threads and the loop thread.
///
/// There is one queue, and any free thread takes the next piece of work from it. A sync takes as
/// long as hundreds of opens, so there are more threads than the machine has processors; a
/// concurrent queue of Dispatch has no more than that.
package final class DiskPool: Sendable {
  private struct State {
    /// Waiting work, from `first` on, the oldest first; entries before that are nil, so that
    /// nothing of them is kept.
    var work: [(@Sendable () -> Void)?] = []
    var first = 0
    var idle: [DispatchQueue] = []
    var threads = 0

    mutating func next() -> (@Sendable () -> Void)? {
      guard first < work.count else {
        work.removeAll(keepingCapacity: true)
        first = 0
        return nil
      }
      let next = work[first]
      work[first] = nil
      first += 1
      // Taken entries are removed in large steps, so that taking stays cheap.
      if first > 1024 {
        work.removeFirst(first)
        first = 0
      }
      return next
    }
  }

  private let limit: Int
  private let state = Mutex(State())
  private let slowness = Atomic(false)

  /// Creates a pool of at most so many threads, each of which takes about 100 KiB once it is
  /// needed.
  package init(threads limit: Int) { self.limit = max(1, limit) }

  /// Whether a write has waited for the disk itself: then none should be made on a thread that others
  /// need.
  package var isSlow: Bool { slowness.load(ordering: .relaxed) }

  /// Records such a write.
  package func noteSlowness() { slowness.store(true, ordering: .relaxed) }

  /// Runs the work and waits for it without blocking the caller's thread. The work is not cancelled
  /// with the task: what it makes durable must be finished.
  package func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskError) -> Result
  ) async throws(DiskError) -> Result {
    let result: Swift.Result<Result, DiskError> = await withCheckedContinuation { continuation in
      start {
        continuation.resume(returning: Swift.Result { () throws(DiskError) in try work() })
      }
    }
    return try result.get()
  }

  /// Runs work that cannot fail, as ``run(_:)`` does.
  package func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: work()) }
    }
  }

  /// Runs work that changes nothing, and stops waiting for it when the task is cancelled; then
  /// returns nil.
  package func look<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
    // One element: the result.
    let (results, result) = AsyncStream.makeStream(of: Result.self)
    start {
      result.yield(work())
      result.finish()
    }
    for await found in results { return found }
    return nil
  }

  /// Starts the work without waiting for it.
  package func start(_ work: @escaping @Sendable () -> Void) {
    let thread = state.withLock { state -> DispatchQueue? in
      state.work.append(work)
      if let idle = state.idle.popLast() { return idle }
      guard state.threads < limit else { return nil }
      state.threads += 1
      // A serial queue gets its own thread when it has work.
      return DispatchQueue(label: "podget.disk")
    }
    guard let thread else { return }
    thread.async { [self] in drain(thread) }
  }

  /// Runs work that blocks on the disk for each number below a count, on this thread and on others, and
  /// returns when all of it is done: syncs that are made at once cost little more than one. Few pieces
  /// run one after the other, on this thread.
  ///
  /// - Parameter isParallel: whether other threads are used at all.
  package static func forEach(
    below count: Int, isParallel: Bool, _ work: @escaping @Sendable (Int) -> Void
  ) {
    let next = Mutex(0)
    @Sendable func workOn() {
      while true {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard number < count else { return }
        work(number)
      }
    }
    let group = DispatchGroup()
    for _ in 0..<(isParallel ? max(0, min(mostAtOnce, count / fewAtOnce) - 1) : 0) {
      DispatchQueue(label: "podget.disk").async(group: group, execute: workOn)
    }
    workOn()
    group.wait()
  }

  private static let mostAtOnce = 16
  private static let fewAtOnce = 4

  private func drain(_ thread: DispatchQueue) {
    while true {
      let work = state.withLock { state in
        let work = state.next()
        if work == nil { state.idle.append(thread) }
        return work
      }
      guard let work else { return }
      work()
    }
  }
}
