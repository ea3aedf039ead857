import PodcastKit

/// An episode of the library and the decision of a retention policy about it.
struct PruneDecision: Sendable, Hashable {
  /// The episode.
  var local: LocalEpisode
  /// What it takes on the disk, with its copies in other folders.
  var bytes: Int64
  /// What identifies its podcast.
  var podcast: LibraryPodcasts.Key
  /// The decision.
  var decision: RetentionPolicy.Decision
  /// Why it was kept although it was to be removed; nil if nothing went wrong.
  var error: PodgetError?

  /// Whether it is removed.
  var isRemoved: Bool {
    if case .remove = decision { error == nil } else { false }
  }

  /// How many bytes of the disk become free.
  var freedBytes: Int64 { isRemoved ? bytes : 0 }

  /// Decides about episodes, in their order.
  ///
  /// - Parameter copies: the same episodes in other folders.
  static func decisions(
    _ episodes: [LocalEpisode], copies: [LocalEpisode] = [], of podcasts: LibraryPodcasts,
    by policy: RetentionPolicy
  ) -> [PruneDecision] {
    let sizes = EpisodeSizes(copies: copies)
    let keys = episodes.map { podcasts.key(of: $0.podcast) }
    let candidates = zip(episodes, keys).map { local, key in
      RetentionPolicy.Candidate(local, of: key.text, bytes: sizes.bytes(of: local))
    }
    return zip(zip(episodes, keys), policy.decisions(for: candidates)).map {
      PruneDecision(
        local: $0.0, bytes: sizes.bytes(of: $0.0), podcast: $0.1, decision: $1)
    }
  }

  /// The message that protected episodes alone take more than the allowed size; nil if they do not.
  static func excess(_ decisions: [PruneDecision], over maximum: Int64?) -> String? {
    guard let maximum else { return nil }
    let kept = ByteSum.of(decisions.filter { !$0.isRemoved }.map(\.bytes))
    guard kept > maximum else { return nil }
    return "The starred and unfinished episodes alone take \(ByteText.size(kept)), more than "
      + "\(ByteText.size(maximum))."
  }
}
