import Foundation
import Testing

@testable import PodcastModel

/// When a failed episode is tried again.
@Suite("The pace of failed downloads") struct FailedDownloadPaceTests {
  private static let minute: Double = 60
  private static let day: Double = 86_400

  /// - Parameters:
  ///   - last: seconds since it failed; nil if that is unknown.
  ///   - failing: seconds between its first and its last failure; nil if that is unknown.
  @Test(
    arguments: [
      (nil, nil, true),
      (14 * minute, 0, false),
      (15 * minute, 0, true),
      (15 * minute, nil, true),
      (59 * minute, 60 * minute, false),
      (60 * minute, 60 * minute, true),
      (day - 1, 5 * day, false),
      (day, 5 * day, true),
      (day, 14 * day, false),
      (365 * day, 14 * day, false),
      // Clocks that were wrong.
      (-day, 0, true),
      (15 * minute, -day, true),
    ] as [(Double?, Double?, Bool)])
  func `the wait grows with the time that it has been failing`(
    last: Double?, failing: Double?, isDue: Bool
  ) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let failedAt = last.map { now - $0 }
    let since = failedAt.flatMap { at in failing.map { at - $0 } }
    #expect(
      FailedDownloadPace.isDue(failedAt: failedAt, failingSince: since, now: now) == isDue)
  }
}
