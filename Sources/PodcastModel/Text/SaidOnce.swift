import Synchronization

/// The sentences that were said: what reads a file several times tells its faults once.
package final class SaidOnce: Sendable {
  private let sentences = Mutex<Set<String>>([])

  /// Nothing was said.
  package init() {}

  /// Whether a sentence is new; it counts as said then.
  package func isFirst(_ sentence: String) -> Bool {
    sentences.withLock { $0.insert(sentence).inserted }
  }
}
