import FoundationEssentials
public import PodcastLibrary
public import PodcastModel

/// An episode that a rule of a followed podcast removes.
public struct RetiredEpisode: Sendable {
  /// The episode as it was.
  public var local: LocalEpisode
  /// The rule.
  public var rule: RetentionPolicy.Rule
  /// The policy that has the rule.
  public var policy: RetentionPolicy
  /// Whether it is removed; false where nothing is to be changed.
  public var isRemoved = false
}

/// What episodes take on the disk, with their copies in other folders of the library.
package struct EpisodeSizes: Sendable {
  private var copied: [String: Int64] = [:]

  /// Adds up the sizes of complete copies.
  package init(copies: [LocalEpisode]) {
    for copy in copies where copy.status == .complete {
      copied[copy.key] = ByteSum.of([copied[copy.key] ?? 0, copy.bytes, copy.otherBytes])
    }
  }

  /// The bytes of an episode with what is stored beside it, and of its copies.
  package func bytes(of local: LocalEpisode) -> Int64 {
    let others = local.status == .complete ? local.otherBytes : nil
    return ByteSum.of([copied[local.key], local.bytes, others])
  }
}

extension RetentionPolicy.Candidate {
  /// What the rules use of an episode.
  ///
  /// - Parameters:
  ///   - podcast: the identity of its podcast.
  ///   - bytes: what it takes on the disk, with its copies in other folders.
  package init(_ local: LocalEpisode, of podcast: String, bytes: Int64) {
    self.init(
      podcast: podcast, date: local.date ?? local.downloadedAt, downloadedAt: local.downloadedAt,
      bytes: bytes, isComplete: local.status == .complete, isStarred: local.isStarred,
      isPlayed: local.isPlayed)
  }
}

extension LocalEpisode {
  /// An episode that is about to be downloaded, with the size that its feed says.
  init(expected plan: DownloadPlan) {
    self.init(planned: plan)
    bytes = max(0, plan.episode.enclosure.length ?? 0)
  }
}
