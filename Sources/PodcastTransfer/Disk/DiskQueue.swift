import Dispatch
import Synchronization

/// Runs blocking file work away from Swift's cooperative threads and from the loop thread.
///
/// A sync takes as long as hundreds of opens, so work that waits for the disk must not keep other
/// work waiting for a thread. A concurrent queue of Dispatch has no more threads than the machine has
/// processors; here every lane is a serial queue, which gets a thread of its own when it has work.
package final class DiskQueue: Sendable {
  private struct Lane {
    let queue: DispatchQueue
    /// How much was begun or waits.
    var load = 0
  }

  private let limit: Int
  private let lanes = Mutex<[Lane]>([])

  /// Makes a queue that does at most so much work at once, with a thread of about 100 KiB for each.
  package init(lanes limit: Int) { self.limit = max(1, limit) }

  /// Runs the work and waits for it without blocking the caller's thread. The work is not
  /// cancelled with the task: what it makes durable must come to its end.
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

  /// Runs work that changes nothing, and stops waiting for it when the task is cancelled; nil then.
  package func look<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
    // One element, which is the result.
    let (results, result) = AsyncStream.makeStream(of: Result.self)
    start {
      result.yield(work())
      result.finish()
    }
    for await found in results { return found }
    return nil
  }

  /// Starts the work and waits for nothing.
  package func start(_ work: @escaping @Sendable () -> Void) {
    let (lane, queue) = lanes.withLock { lanes in
      let lane = freest(of: &lanes)
      lanes[lane].load += 1
      return (lane, lanes[lane].queue)
    }
    queue.async { [self] in
      work()
      lanes.withLock { $0[lane].load -= 1 }
    }
  }

  /// A lane without work, a new one, or the one with the least to do.
  private func freest(of lanes: inout [Lane]) -> Int {
    if let idle = lanes.firstIndex(where: { $0.load == 0 }) { return idle }
    if lanes.count < limit {
      lanes.append(Lane(queue: DispatchQueue(label: "podget.disk")))
      return lanes.count - 1
    }
    return lanes.indices.min { lanes[$0].load < lanes[$1].load } ?? 0
  }
}
