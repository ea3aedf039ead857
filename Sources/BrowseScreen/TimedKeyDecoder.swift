/// A decoder that also knows when nothing follows: Esc alone is a key after a moment, whatever else
/// happens meanwhile.
package struct TimedKeyDecoder: Sendable {
  private var decoder = KeyDecoder()
  /// When the rest of what has begun is no longer expected; nil when nothing has begun.
  private var deadline: ContinuousClock.Instant?

  /// Creates a decoder at the beginning of input.
  package init() {}

  /// How many milliseconds to wait for the next bytes, rounded up; negative for no limit.
  package func timeout(at now: ContinuousClock.Instant) -> Int32 {
    guard let deadline else { return -1 }
    return Int32((max(.zero, deadline - now) / .milliseconds(1)).rounded(.up))
  }

  /// The answers of the terminal since the last call.
  package mutating func takeAnswers() -> [TerminalAnswer] { decoder.takeAnswers() }

  /// The keys in the next bytes, or those that are complete because none came in time.
  ///
  /// - Parameter bytes: what has arrived; it may be empty.
  package mutating func keys(
    _ bytes: [UInt8], at now: ContinuousClock.Instant
  ) -> [Key] {
    if !bytes.isEmpty {
      let keys = decoder.keys(bytes)
      deadline = decoder.patience.map { now + $0 }
      return keys
    }
    guard let deadline, now >= deadline else { return [] }
    self.deadline = nil
    return decoder.end()
  }
}
