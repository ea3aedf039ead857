extension PodcastListing {
  /// The listed episode that a planned one is now, whatever its publisher changed about it since;
  /// nil when it is not listed any more.
  public func episode(of plan: DownloadPlan) -> Episode? {
    let known = EpisodeMatching.Known(key: plan.key, episode: plan.episode)
    let keys = EpisodeKeys(of: episodes, podcast: podcast, known: [known])
    return episodes.first { keys.known[$0] != nil }
  }
}
