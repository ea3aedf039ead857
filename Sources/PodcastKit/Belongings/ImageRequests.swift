import Synchronization

/// Which images are being requested, so that several episodes with one image request it once.
final class ImageRequests: Sendable {
  private struct State {
    /// Who waits for the end of a request, by its address and a number of the waiter's own.
    var waiting: [String: [Int: CheckedContinuation<Bool, Never>]] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// Begins the request of an image if nobody requests it now.
  ///
  /// - Returns: true if the caller may request it, and must call ``end(_:)``; false when a request of
  ///   somebody else has ended, or at once if the task is cancelled.
  func begin(_ address: String) async -> Bool {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          guard state.waiting[address] != nil else {
            state.waiting[address] = [:]
            return true
          }
          if Task.isCancelled { return false }
          state.waiting[address]?[number] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiter = state.withLock { $0.waiting[address]?.removeValue(forKey: number) }
      waiter?.resume(returning: false)
    }
  }

  /// Ends a request; those that wait for it go on.
  func end(_ address: String) {
    let waiters = state.withLock { $0.waiting.removeValue(forKey: address) ?? [:] }
    for waiter in waiters.values { waiter.resume(returning: false) }
  }
}
