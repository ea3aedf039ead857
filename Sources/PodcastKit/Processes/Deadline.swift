/// Work that may take only so long.
package enum Deadline {
  /// Runs work, and cancels it when its time is over.
  ///
  /// It returns when the work has ended, so the work must end soon after its task is cancelled.
  /// Cancelling the calling task cancels the work too.
  ///
  /// - Returns: the result of the work, and whether it was cancelled because its time was over.
  package static func run<Result: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>,
    _ work: @escaping @Sendable () async -> Result
  ) async -> (result: Result, isLate: Bool) {
    let task = Task { await work() }
    let timer = Task {
      guard (try? await clock.sleep(for: limit)) != nil else { return false }
      task.cancel()
      return true
    }
    return await withTaskCancellationHandler {
      let result = await task.value
      timer.cancel()
      // Both may end at once; then the result counts all the same.
      return (result, await timer.value)
    } onCancel: {
      timer.cancel()
      task.cancel()
    }
  }
}
