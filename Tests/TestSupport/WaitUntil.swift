/// Something awaited did not come about in time.
public struct TimedOut: Error, CustomStringConvertible {
  /// What was awaited, for how long, and what was seen instead.
  public let description: String
}

/// How long a test waits for what must come about: so long that a machine with more to do than this
/// is not taken for a fault. Only a test that fails ever waits for it.
public let patience = Duration.seconds(180)

/// Waits until a condition holds and fails the test, by throwing, when it does not in time.
///
/// The condition is looked at every few milliseconds, so that a test takes no longer than what it
/// waits for.
/// - Throws: ``TimedOut``; what the condition throws.
public func waitUntil(
  _ what: String, timeout: Duration = patience, seen: () -> String = { "" },
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + timeout
  while try await !condition() {
    guard ContinuousClock.now < deadline else {
      let seen = seen()
      throw TimedOut(
        description: "Not within \(timeout): \(what).\(seen.isEmpty ? "" : " Seen:\n\(seen)")")
    }
    try await Task.sleep(for: .milliseconds(5))
  }
}
