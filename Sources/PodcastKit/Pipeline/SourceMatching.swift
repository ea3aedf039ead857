package import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// Sources by what they mean in a library: one lookup finds those that mean an episode, however
/// many there are.
package struct SourceTable: Sendable {
  private enum Meaning: Hashable {
    case podcast(Int64)
    case episode(Int64, of: Int64)
    case feed(String)
    /// A title without case.
    case title(String)
  }

  private var places: [Meaning: [Int]] = [:]
  /// The ids of podcasts of which single episodes are meant.
  private var linked: Set<Int64> = []
  private var hasTitles = false

  /// Sorts sources by what they mean; each is identified by its position.
  package init(_ sources: [Source]) {
    for (place, source) in sources.enumerated() {
      switch source {
      case .apple(let id, _, nil): places[.podcast(id), default: []].append(place)
      case .apple(let id, _, let episode?):
        places[.episode(episode, of: id), default: []].append(place)
        linked.insert(id)
      case .feed(let url):
        // Records have addresses without logins.
        places[.feed(AddressRedaction.withoutCredentials(url)), default: []].append(place)
      case .file(let url): places[.feed(url), default: []].append(place)
      case .name(let name):
        places[.title(name.lowercased()), default: []].append(place)
        hasTitles = true
      case .standardInput: break
      }
    }
  }

  /// The positions of the sources that mean the podcast, or the very episode, of a plan.
  package func places(of plan: DownloadPlan) -> [Int] {
    places(of: plan.podcast) { plan.episode.id }
  }

  /// The positions of the sources that mean the podcast, or the very episode, of a local episode.
  package func places(of local: LocalEpisode) -> [Int] {
    places(of: local.podcast) { local.episode.id }
  }

  private func places(of podcast: Podcast, episode episodeID: () -> Int64?) -> [Int] {
    var found: [Int] = []
    if let id = podcast.id {
      found += places[.podcast(id)] ?? []
      if linked.contains(id), let episode = episodeID() {
        found += places[.episode(episode, of: id)] ?? []
      }
    }
    if let feed = podcast.feedURL { found += places[.feed(feed.text)] ?? [] }
    if hasTitles { found += places[.title(podcast.title.lowercased())] ?? [] }
    return found
  }
}
