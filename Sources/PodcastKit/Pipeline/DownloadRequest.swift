package import PodcastFeeds
package import PodcastModel

/// Episodes that somebody asks for while a run is open.
package struct DownloadRequest: Sendable {
  /// The episodes, as they are known.
  package enum Episodes: Sendable {
    /// Some of a listing, with what the feed says of them besides.
    case listed(PodcastListing, [Episode], details: [Episode: EpisodeDetails] = [:])
    /// Those that the library has planned before.
    case planned([DownloadPlan])
  }

  /// What is asked for. None of it may be running.
  package var episodes: Episodes
  /// Called instead of events when nothing of it can be planned.
  package var refused: @Sendable (PodgetError) -> Void

  /// Creates a request.
  package init(_ episodes: Episodes, refused: @escaping @Sendable (PodgetError) -> Void) {
    self.episodes = episodes
    self.refused = refused
  }
}
