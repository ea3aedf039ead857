public import Synchronization

/// A value that threads pass to one another: it has one user at a time, who may take as long as a
/// disk does.
///
/// The lock is held only while the value is taken out and put back, never while it is used. No
/// thread waits for the value: the order of events decides beforehand who uses it when.
///
/// Other modules specialize it, because it is used for each piece of a body.
@usableFromInline package struct Handover<Value: ~Copyable & Sendable>: ~Copyable, Sendable {
  @usableFromInline let value: Mutex<Value?>

  /// Stores a value for its first user.
  @inlinable package init(_ value: consuming Value) { self.value = Mutex(consume value) }

  /// Lends the value to `body`.
  ///
  /// - Returns: the result of `body`; nil when another thread uses the value, and then `body` was
  ///   not called.
  @inlinable package borrowing func use<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard var taken = value.withLock({ $0.take() }) else { return nil }
    do throws(Failure) {
      let result = try body(&taken)
      release(consume taken)
      return result
    } catch {
      release(consume taken)
      throw error
    }
  }

  @inlinable borrowing func release(_ taken: consuming Value) {
    var taken = Optional(consume taken)
    value.withLock { $0 = taken.take() }
  }
}
