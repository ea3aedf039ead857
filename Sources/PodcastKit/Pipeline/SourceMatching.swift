package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

extension Source {
  /// Whether this source means the podcast, or the very episode, of a plan that the library keeps.
  package func names(_ plan: DownloadPlan) -> Bool { names(plan.podcast) { plan.episode.id } }

  /// Whether this source means the podcast, or the very episode, of a local episode.
  package func names(_ local: LocalEpisode) -> Bool { names(local.podcast) { local.episode.id } }

  private func names(_ podcast: Podcast, episode episodeID: () -> Int64?) -> Bool {
    switch self {
    case .apple(let id, _, let episode):
      podcast.id == id && (episode == nil || episode == episodeID())
    case .feed(let url), .file(let url): podcast.feedURL == url
    case .name(let name): podcast.title.lowercased() == name.lowercased()
    case .standardInput: false
    }
  }
}
