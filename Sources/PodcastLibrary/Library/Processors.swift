import Dispatch
import Glibc

/// Work that is divided among all processors.
package enum Processors {
  /// The number of processors.
  package static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Divides a number of things into shares, at most one per processor, and returns the result of
  /// each, in order.
  ///
  /// - Parameters:
  ///   - things: how many things there are.
  ///   - fewest: how many of them are worth starting another processor.
  package static func shares<Result: Sendable>(
    of things: Int, fewest: Int, _ make: @Sendable (Range<Int>) -> Result
  ) -> [Result] {
    let count = max(1, min(count, things / fewest))
    guard count > 1 else { return [make(0..<things)] }
    return [Result](unsafeUninitializedCapacity: count) { results, initialized in
      // Each share has its own element.
      nonisolated(unsafe) let places = results
      DispatchQueue.concurrentPerform(iterations: count) { share in
        let range = things * share / count..<things * (share + 1) / count
        places.initializeElement(at: share, to: make(range))
      }
      initialized = count
    }
  }
}
