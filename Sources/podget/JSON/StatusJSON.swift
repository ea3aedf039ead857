import PodcastKit

extension JSONForms {
  /// What `status` writes, and `sync --status`.
  static let status = JSONForm<FollowingStatus> {
    JSONMember("time", .date, \.time)
    JSONMember("lastCheck", .date, \.lastCheck)
    JSONMember("nextCheck", .date, \.nextCheck)
    JSONMember("feeds", feeds, \.self)
    JSONMember("episodes", episodes, \.self)
    JSONMember("freeBytes", .count, \.freeBytes)
    JSONMember("matters", matter.list, \.matters)
  }

  private static let feeds = JSONForm<FollowingStatus> {
    FollowedPodcast.Status.allCases.map { state in
      JSONMember(state.rawValue, .count) { $0.feeds[state] ?? 0 }
    }
    JSONMember("deferred", .count, \.deferred)
  }

  private static let episodes = JSONForm<FollowingStatus> {
    JSONMember("unfinished", .count, \.unfinished)
    JSONMember("failed", .count, \.failed)
    JSONMember("waiting", .count, \.waiting)
  }

  private static let matter = JSONForm<FollowingStatus.Matter> {
    JSONMember("kind", .word, \.kind)
    JSONMember("name", .string, \.podcast.subscription.name)
    JSONMember("title", .string, \.podcast.subscription.title)
    JSONMember("waiting", .count, \.podcast.waiting)
    JSONMember("failingSince", .date, \.podcast.failingSince)
    JSONMember("waitingMove", .address, \.podcast.waitingMove?.text)
    JSONMember("error", error, \.podcast.lastError)
  }
}
