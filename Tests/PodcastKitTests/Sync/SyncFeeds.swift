import Foundation
import Testing

@testable import PodcastModel

extension SyncPieces {
  /// A feed with these episodes, one a day until `newest`, the newest first.
  static func contents(
    _ guids: [String], newest: Date, digest: String = "digest", lookAlikes: Int = 0, known: Int = 0,
    now: Date
  ) -> ListedFeed {
    let episodes = guids.enumerated().map { index, guid in
      episode(guid, newest.addingTimeInterval(-86_400 * Double(index)))
    }
    return ListedFeed(
      digest: digest, episodes: episodes, lookAlikes: lookAlikes, known: known, now: now)
  }

  /// The state of a feed that listed c, b and a at hour 0, the newest one day old.
  static func state() throws -> FeedState {
    let answer = FeedAnswer(
      status: 200, url: try url("https://feeds.example/show"),
      validators: FeedValidators(etag: "\"1\"", lastModified: "Fri, 31 May 2024 12:00:00 GMT"),
      body: .feed(contents(["c", "b", "a"], newest: day(-1), now: hour(0))))
    let request = ConditionalRequest(FeedState(), settingsDigest: "s", now: hour(0))
    return AnswerDecision(answer, to: request, state: FeedState(), now: hour(0)).state
  }
}
