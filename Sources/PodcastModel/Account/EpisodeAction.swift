/// What a device did with an episode, as the servers of gPodder's kind keep it.
package struct EpisodeAction: Sendable, Hashable {
  /// How far somebody is with an episode, and since when.
  package struct State: Sendable, Hashable, Comparable {
    /// When it was said, in seconds since 1970 (UTC).
    package var time: Int64
    /// Seconds from the start; 0 for an episode that was not played, -1 for one that was.
    package var progress: Int64

    package init(time: Int64, progress: Int64) {
      self.time = time
      self.progress = progress
    }

    /// The later one counts. Of two that were said within a second, each side takes the same one.
    package static func < (first: State, second: State) -> Bool {
      (first.time, first.progress) < (second.time, second.progress)
    }
  }

  /// The address of the podcast's feed.
  package var podcast: String
  /// The address of the episode's enclosure.
  package var episode: String
  /// The episode's id in its feed, if the device says it.
  package var guid: String?
  /// What it says.
  package var state: State
  /// What became of the device's file, if it says that and no progress.
  package var file: FileChange?

  /// What became of a device's file.
  package enum FileChange: String, Sendable, Hashable {
    case download, delete
  }

  package init(
    podcast: String, episode: String, guid: String? = nil, state: State, file: FileChange? = nil
  ) {
    self.file = file
    self.podcast = podcast
    self.episode = episode
    self.guid = guid
    self.state = state
  }

  /// The progress that a position means: an episode was played if at most 30 seconds, or a tenth of a
  /// short one, are left.
  package static func progress(position: Int64, total: Int64) -> Int64 {
    guard position > 0 else { return 0 }
    guard total > 0 else { return position }
    return position >= total - min(30, total / 10) ? -1 : position
  }

  /// Position and length of a `play` action. Clients leave out one whose length is zero.
  ///
  /// - Parameter duration: how long the episode is, if that is known.
  package static func position(
    of progress: Int64, duration: Int64?
  ) -> (position: Int64, total: Int64) {
    let known = duration.flatMap { $0 > 0 ? $0 : nil }
    guard progress > 0 else { return (known ?? 86_400, known ?? 86_400) }
    // A position near the end of what the feed says is none of a played episode.
    let total = known.flatMap { Self.progress(position: progress, total: $0) > 0 ? $0 : nil }
    return (progress, total ?? progress * 2 + 60)
  }

  /// What has to be done for one episode.
  package enum Step: Sendable, Hashable {
    /// Both sides agree.
    case none
    /// The library takes what the server says.
    case take
    /// The server gets this.
    case send(State)
  }

  /// Decides what has to be done for one episode: what changed since the agreement counts, and of two
  /// changes the later one.
  ///
  /// - Parameters:
  ///   - base: what both sides agreed on.
  ///   - local: the progress in the library, and when it was set.
  ///   - remote: the latest of the server's actions that are known.
  package static func step(base: State?, local: State, remote: State?) -> Step {
    let hasChanged = local.progress != base?.progress ?? 0
    let isNews = remote.map { remote in base.map { $0 < remote } ?? true } ?? false
    guard let remote, isNews else {
      guard hasChanged else { return .none }
      // It must be later than what it replaces, or no other device takes it.
      return .send(State(time: max(local.time, (base?.time ?? 0) + 1), progress: local.progress))
    }
    if remote.progress == local.progress { return .none }
    guard hasChanged, remote < local else { return .take }
    return .send(local)
  }
}
