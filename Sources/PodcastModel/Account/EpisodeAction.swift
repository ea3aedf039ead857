/// What a device did with an episode, as the servers of gPodder's kind keep it.
package struct EpisodeAction: Sendable {
  /// How far somebody is with an episode, and since when.
  package struct State: Sendable, Comparable {
    /// When it was said, in seconds since 1970 (UTC).
    package var time: Int64
    /// Seconds from the start; 0 for an episode that was not played, -1 for one that was.
    package var progress: Int64
    /// How long the device takes the episode to be, where that does not count yet; 0 otherwise.
    package var total: Int64

    package init(time: Int64, progress: Int64, total: Int64 = 0) {
      (self.time, self.progress, self.total) = (time, progress, total)
    }

    /// What it means for an episode.
    ///
    /// - Parameter duration: how long the episode is, if that is known.
    package func counted(duration: Int64?) -> State {
      State(
        time: time,
        progress: EpisodeAction.progress(position: progress, total: total, duration: duration))
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
  /// How long the episode is in seconds, if that is known.
  package var duration: Int64?

  /// What became of a device's file.
  package enum FileChange: String, Sendable {
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
  /// short one, are left of what the device takes for its length. Any device may say any length, so
  /// three quarters of what is known must have been played too.
  ///
  /// - Parameters:
  ///   - position: in seconds; one that is none means what it says.
  ///   - total: the length that the device says; 0 for none.
  ///   - duration: how long the episode is, if that is known.
  package static func progress(position: Int64, total: Int64, duration: Int64? = nil) -> Int64 {
    guard position > 0 else { return position }
    let known = max(duration ?? 0, 0)
    let whole = total > 0 ? total : known
    guard whole > 0, position >= whole - min(30, whole / 10) else { return position }
    return position >= known - known / 4 ? -1 : position
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

  /// What has to be done for the episodes with one address.
  package enum Step: Sendable, Equatable {
    /// Both sides agree.
    case none
    /// The library takes this.
    case take(State)
    /// The server gets this, and all episodes in the library.
    case send(State)
  }

  /// Decides what has to be done for the episodes with one address: what changed since the agreement
  /// counts, and of several changes the latest one.
  ///
  /// A folder that was lost, or one that a backup restored, says nothing that is later than the
  /// agreement. The agreement counts then.
  ///
  /// - Parameters:
  ///   - base: what both sides agreed on.
  ///   - local: the progress of each episode in the library, and when it was set; 0 for never.
  ///   - remote: the latest of the server's actions that are known.
  package static func step(base: State?, local: [State], remote: State?) -> Step {
    let news = remote.flatMap { remote in base.map { $0 < remote } ?? true ? remote : nil }
    // Without an agreement, what somebody has set to the start is news only for who says something else.
    let before = base?.progress ?? (news == nil ? 0 : nil)
    let own = local.filter {
      $0.progress != before && $0.time > 0 && $0.time >= base?.time ?? 0
    }.max()
    if let own, news.map({ $0 < own && $0.progress != own.progress }) ?? true {
      // It must be later than what it replaces, or no other device takes it.
      let time = max(own.time, (news == nil ? base?.time ?? 0 : 0) + 1)
      return .send(State(time: time, progress: own.progress))
    }
    guard let agreed = news ?? base, local.contains(where: { $0.progress != agreed.progress })
    else { return .none }
    return .take(agreed)
  }
}

extension [EpisodeAction] {
  /// The latest ones, in the order in which they count.
  package func latest(_ count: Int) -> [EpisodeAction] {
    Array(sorted { $0.state < $1.state }.suffix(count))
  }
}
