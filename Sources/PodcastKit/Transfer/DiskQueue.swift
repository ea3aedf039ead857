import Dispatch

/// Runs blocking file work away from Swift's cooperative threads and from the loop thread.
struct DiskQueue: Sendable {
  private let queue = DispatchQueue(label: "podget.disk", attributes: .concurrent)

  /// Runs the work and waits for it without blocking the caller's thread. The work is not
  /// cancelled with the task: what it makes durable must come to its end.
  func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws(DiskError) -> Result
  ) async throws(DiskError) -> Result {
    let result: Swift.Result<Result, DiskError> = await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(returning: Swift.Result { () throws(DiskError) in try work() })
      }
    }
    return try result.get()
  }

  /// Starts the work and waits for nothing.
  func start(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }
}
