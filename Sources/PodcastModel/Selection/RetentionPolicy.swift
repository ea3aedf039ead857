public import FoundationEssentials

/// Which of a library's episodes are kept, and which may be removed.
///
/// An episode is removed when any rule matches. Starred and incomplete episodes are never removed.
public struct RetentionPolicy: Sendable, Hashable {
  /// The properties of an episode that the rules use.
  public struct Candidate: Sendable, Hashable {
    /// The identity of its podcast.
    public var podcast: String
    /// When it was published (UTC), or otherwise when it was downloaded.
    public var date: Date?
    /// When it was downloaded (UTC); nil if that is not known.
    public var downloadedAt: Date?
    /// Its bytes on the disk.
    public var bytes: Int64
    /// Whether its file is complete: only complete files can be removed by a rule.
    public var isComplete: Bool
    /// Whether it is starred.
    public var isStarred: Bool
    /// Whether it was played.
    public var isPlayed: Bool

    /// Creates a candidate.
    public init(
      podcast: String, date: Date?, downloadedAt: Date? = nil, bytes: Int64, isComplete: Bool,
      isStarred: Bool, isPlayed: Bool = false
    ) {
      self.podcast = podcast
      self.date = date
      self.downloadedAt = downloadedAt
      self.bytes = bytes
      self.isComplete = isComplete
      self.isStarred = isStarred
      self.isPlayed = isPlayed
    }
  }

  /// The rule that removes an episode; the raw values are the contract with scripts.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// It is not among the newest of its podcast.
    case keep
    /// It is too old.
    case olderThan
    /// It was downloaded too long ago.
    case downloadedBefore
    /// It was played.
    case played
    /// It does not fit into the maximum size.
    case maxSize
  }

  /// The decision about an episode.
  public enum Decision: Sendable, Hashable {
    /// It is removed by the rule, the first one that matches.
    case remove(Rule)
    /// It stays although a rule matches, because it is starred.
    case keepStarred(Rule)
    /// It stays: its file is not complete, so no rule applies to it.
    case keepUnfinished
    /// It stays: no rule matches.
    case keep
  }

  /// How many of each podcast stay, the newest ones; starred ones among the newest count.
  public var newest: Int?
  /// The first day (UTC) of episodes that stay; episodes without a date stay.
  public var firstDay: CivilDay?
  /// The first day (UTC) of downloads that stay; episodes of unknown downloads stay.
  public var firstDownloadDay: CivilDay?
  /// Whether episodes that were played are removed.
  public var removesPlayed: Bool
  /// The maximum total size in bytes. Starred and unfinished episodes count, and the oldest of the
  /// others are removed first.
  public var maximumBytes: Int64?

  /// Creates a policy; without any rule everything stays.
  public init(
    newest: Int? = nil, firstDay: CivilDay? = nil, firstDownloadDay: CivilDay? = nil,
    removesPlayed: Bool = false, maximumBytes: Int64? = nil
  ) {
    self.newest = newest
    self.firstDay = firstDay
    self.firstDownloadDay = firstDownloadDay
    self.removesPlayed = removesPlayed
    self.maximumBytes = maximumBytes
  }

  /// Whether there is any rule.
  public var hasRule: Bool {
    newest != nil || firstDay != nil || firstDownloadDay != nil || removesPlayed
      || maximumBytes != nil
  }

  /// The decision about each candidate, in their order.
  public func decisions(for candidates: [Candidate]) -> [Decision] {
    var decisions = candidates.map { $0.isComplete ? Decision.keep : .keepUnfinished }
    let newestFirst = candidates.indices.filter { candidates[$0].isComplete }
      .sorted { Self.isNewer(candidates[$0].date, $0, than: candidates[$1].date, $1) }
    var ranks: [String: Int] = [:]
    for index in newestFirst {
      let candidate = candidates[index]
      ranks[candidate.podcast, default: 0] += 1
      if let rule = rule(for: candidate, rank: ranks[candidate.podcast, default: 0]) {
        decisions[index] = candidate.isStarred ? .keepStarred(rule) : .remove(rule)
      }
    }
    makeRoom(candidates, newestFirst, &decisions)
    return decisions
  }
}

extension RetentionPolicy {
  private func rule(for candidate: Candidate, rank: Int) -> Rule? {
    if let newest, rank > newest { return .keep }
    if let firstDay, let date = candidate.date, CivilDay(date) < firstDay { return .olderThan }
    if let firstDownloadDay, let date = candidate.downloadedAt, CivilDay(date) < firstDownloadDay {
      return .downloadedBefore
    }
    return removesPlayed && candidate.isPlayed ? .played : nil
  }

  /// Removes the oldest until the rest fits.
  private func makeRoom(
    _ candidates: [Candidate], _ newestFirst: [Int], _ decisions: inout [Decision]
  ) {
    guard let maximumBytes else { return }
    // In Double: sparse files may claim any size, and a sum must not overflow.
    var excess = -Double(maximumBytes)
    for (candidate, decision) in zip(candidates, decisions) {
      if case .remove = decision { continue }
      excess += Double(candidate.bytes)
    }
    for index in newestFirst.reversed() where excess > 0 {
      if case .remove = decisions[index] { continue }
      if candidates[index].isStarred {
        if decisions[index] == .keep { decisions[index] = .keepStarred(.maxSize) }
      } else {
        decisions[index] = .remove(.maxSize)
        excess -= Double(candidates[index].bytes)
      }
    }
  }

  /// The newest first, then those without a date; equal ones keep their order.
  private static func isNewer(
    _ first: Date?, _ place: Int, than second: Date?, _ otherPlace: Int
  ) -> Bool {
    let (one, other) = (first ?? .distantPast, second ?? .distantPast)
    return one == other ? place < otherPlace : one > other
  }
}
