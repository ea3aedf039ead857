package import FoundationEssentials

/// When a sync tries an episode again that failed in a way that a retry does not fix, such as 404.
///
/// Publishers list episodes before their files are everywhere, and replace files by mistake. The
/// wait grows with the time that the episode has been failing.
package enum FailedDownloadPace {
  /// The shortest time after a failure, in seconds.
  package static let shortest: Double = 15 * 60
  /// The longest time after a failure, in seconds.
  package static let longest: Double = 86_400
  /// How long an episode may have been failing, in seconds; then only the user tries it again.
  package static let end: Double = 14 * 86_400

  /// Whether it is time.
  ///
  /// - Parameters:
  ///   - last: when it failed; nil if that was not recorded, and it is time.
  ///   - first: when it failed for the first time in a row; nil if that was not recorded.
  ///   - now: the time of day. A failure in the future was stored by a clock that was wrong.
  package static func isDue(failedAt last: Date?, failingSince first: Date?, now: Date) -> Bool {
    guard let last, last <= now else { return true }
    let failing = max(0, last.timeIntervalSince(first ?? last))
    guard failing < end else { return false }
    return now.timeIntervalSince(last) >= min(max(failing, shortest), longest)
  }

  /// Whether an attempt now is the last one, if it fails.
  package static func isLastTime(failingSince first: Date?, now: Date) -> Bool {
    first.map { now.timeIntervalSince($0) >= end } ?? false
  }
}
