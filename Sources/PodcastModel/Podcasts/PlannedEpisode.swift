extension PodcastListing {
  /// The listed episode for a planned one, whatever its publisher has changed since; nil when it is
  /// no longer listed.
  public func episode(of plan: DownloadPlan) -> Episode? {
    let known = EpisodeMatching.Known(key: plan.key, episode: plan.episode)
    let keys = EpisodeKeys(of: episodes, podcast: podcast, known: [known])
    return episodes.first { keys.known[$0] != nil }
  }
}
