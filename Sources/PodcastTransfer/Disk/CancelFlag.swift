import Glibc
internal import Synchronization

/// Tells work on other threads, such as the hashing of a large file, that it is no longer needed.
package final class CancelFlag: Sendable {
  private let flag = Atomic<Bool>(false)

  /// Creates a flag that is not set.
  package init() {}

  /// Whether the work should stop where it is safe.
  package var isSet: Bool { flag.load(ordering: .relaxed) }

  /// Makes the work stop; final.
  package func set() { flag.store(true, ordering: .relaxed) }
}

extension DiskError {
  /// File work that was stopped in the middle because it is no longer needed.
  package static func cancelled(_ operation: String, _ path: String) -> DiskError {
    DiskError(ECANCELED, operation, path)
  }

  /// Whether the work was stopped on purpose.
  package var isCancelled: Bool { number == ECANCELED }

  /// Whether this process or the machine has no file descriptor left; one becomes free when a
  /// transfer ends.
  package var isShortOfDescriptors: Bool { number == EMFILE || number == ENFILE }
}

/// Retries work that starts by opening a file, for a while, when there is no descriptor left:
/// others close theirs as they end, and a complete file must not fail because of that. It blocks.
package func withDescriptors<Result>(
  _ work: () throws(DiskError) -> Result
) throws(DiskError) -> Result {
  for _ in 0..<50 {
    do throws(DiskError) {
      return try work()
    } catch {
      guard error.isShortOfDescriptors else { throw error }
      usleep(100_000)
    }
  }
  return try work()
}
