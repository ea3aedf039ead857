package import Synchronization

/// A value that threads hand on to one another: it has one user at a time, who may take as long as a
/// disk does.
///
/// The lock is held only while the value is taken out and put back, never while it is used. Nobody
/// waits for the value: who uses it when is settled beforehand, by the order in which things happen.
package struct Handover<Value: ~Copyable & Sendable>: ~Copyable, Sendable {
  @usableFromInline let value: Mutex<Value?>

  /// Keeps a value for its first user.
  @inlinable package init(_ value: consuming Value) { self.value = Mutex(consume value) }

  /// Lends the value to `body`.
  ///
  /// - Returns: what `body` returns; nil when somebody else uses the value, and then `body` was not
  ///   called.
  @inlinable package borrowing func use<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard var taken = value.withLock({ $0.take() }) else { return nil }
    do throws(Failure) {
      let result = try body(&taken)
      giveBack(consume taken)
      return result
    } catch {
      giveBack(consume taken)
      throw error
    }
  }

  @inlinable borrowing func giveBack(_ taken: consuming Value) {
    var taken = Optional(consume taken)
    value.withLock { $0 = taken.take() }
  }
}
