/// A condition did not become true in time.
public struct TimedOut: Error, CustomStringConvertible {
  /// What the test waited for, how long, and what was seen instead.
  public let description: String
}

/// How long a test waits for a condition: so long that a busy machine
/// does not fail a test. Only a failing test waits that long.
public let patience = Duration.seconds(180)

/// Waits until a condition is true; throws, and so fails the test, if that takes too long.
///
/// The condition is checked every few milliseconds, so that a test takes no longer than what it
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
