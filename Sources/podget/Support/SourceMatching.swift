import PodcastKit

extension Source {
  /// Whether this source means the podcast, or the very episode, of a plan that the library keeps.
  func names(_ plan: DownloadPlan) -> Bool {
    switch self {
    case .apple(let id, _, let episode):
      plan.podcast.id == id && (episode == nil || episode == plan.episode.id)
    case .feed(let url), .file(let url): plan.podcast.feedURL == url
    case .name(let name): plan.podcast.title.lowercased() == name.lowercased()
    case .standardInput: false
    }
  }
}
