import PodcastFeeds
package import PodcastLibrary
package import PodcastModel

/// Sources by what they mean in a library: one lookup finds those that mean an episode, however
/// many there are.
package struct SourceTable: Sendable {
  private struct LinkedEpisode: Hashable {
    var podcast: Int64
    var episode: Int64
  }

  /// The podcasts of the library.
  package let podcasts: LibraryPodcasts
  private var places: [LibraryPodcasts.Key: [Int]] = [:]
  private var linkedPlaces: [LinkedEpisode: [Int]] = [:]
  /// The ids of podcasts of which single episodes are meant.
  private var linked: Set<Int64> = []

  /// The sources that are titles of several podcasts, by their positions, with these podcasts.
  private var ambiguous: [Int: [LibraryPodcasts.Key]] = [:]
  /// Podcasts that are not followed and have the title of a subscription that is meant, with the
  /// positions of the sources that mean the subscription. They are not meant.
  package private(set) var namesakes: [LibraryPodcasts.Key: [Int]] = [:]

  /// Sorts sources by what they mean; each is identified by its position. One without a meaning is
  /// nil.
  package init(_ sources: [LibrarySources.Meaning?], in podcasts: LibraryPodcasts) {
    self.podcasts = podcasts
    for (place, source) in sources.enumerated() {
      switch source {
      case nil, .source(.standardInput), .source(.file): break
      case .subscription(let subscription): add(subscription, at: place)
      case .source(.apple(let id, _, let episode?)):
        let meant = LinkedEpisode(podcast: id, episode: episode)
        linkedPlaces[meant, default: []].append(place)
        linked.insert(id)
      case .source(.name(let title)):
        let keys = podcasts.keys(titled: title)
        for key in keys { places[key, default: []].append(place) }
        if keys.count > 1 { ambiguous[place] = keys.sorted { $0.text < $1.text } }
      case .source(let source):
        for key in podcasts.keys(of: source) { places[key, default: []].append(place) }
      }
    }
  }

  private mutating func add(_ subscription: Subscription, at place: Int) {
    let own = podcasts.whole(of: .subscription(subscription.name))
    places[own, default: []].append(place)
    for key in podcasts.keys(titled: subscription.title) {
      if case .subscription = key { continue }
      namesakes[key, default: []].append(place)
    }
  }

  /// Why a source must not be used for a change: it is the title of several podcasts, which the
  /// sentence names. Nil if it is not.
  ///
  /// - Parameter place: the position of the source.
  package func ambiguity(at place: Int) -> PodgetError? {
    guard let keys = ambiguous[place] else { return nil }
    let names = keys.compactMap { podcasts.typedName(of: $0) }
    let count = "\(keys.count) podcasts have this title"
    let choice =
      names.isEmpty ? count : "\(count); name one of them: \(names.joined(separator: ", "))"
    guard names.count < keys.count else { return PodgetError(.notFound, "\(choice).") }
    return PodgetError(.notFound, "\(choice).", remedy: .listWithAddresses)
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
    var found = places[podcasts.key(of: podcast)] ?? []
    if let id = podcast.id, linked.contains(id), let episode = episodeID() {
      found += linkedPlaces[LinkedEpisode(podcast: id, episode: episode)] ?? []
    }
    return found
  }
}
