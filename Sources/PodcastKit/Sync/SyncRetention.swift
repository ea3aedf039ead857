package import FoundationEssentials
public import PodcastLibrary
public import PodcastModel

/// What `sync` removes by rule after its downloads: of podcasts that are followed only, and never what
/// is starred or incomplete.
package struct SyncRetention: Sendable {
  /// The rules of a subscription.
  package var policy: @Sendable (Subscription) throws(PodgetError) -> RetentionPolicy
  /// How many bytes the podcasts may take together that have no maximum of their own; nil is no limit.
  package var total: Int64?
  /// Whether there is a rule besides those of subscriptions.
  package var isUsual: Bool
  /// Until when removed files stay in the trash (UTC); nil deletes them immediately.
  package var keptUntil: Date?

  /// Creates rules.
  package init(
    total: Int64?, isUsual: Bool, keptUntil: Date?,
    policy: @escaping @Sendable (Subscription) throws(PodgetError) -> RetentionPolicy
  ) {
    (self.total, self.isUsual, self.keptUntil, self.policy) = (total, isUsual, keptUntil, policy)
  }

  /// Removes what the rules say, and returns what is to be reported. It blocks on the disk.
  ///
  /// Nothing is removed if a record cannot be read or a disk is missing: the rules count episodes.
  ///
  /// - Parameters:
  ///   - chosen: the subscriptions whose rules count.
  ///   - all: all of the library, which say what is of one podcast.
  ///   - isWhole: whether none was left out, so that all podcasts together may have a maximum.
  ///   - isDryRun: whether it is only reported.
  ///   - now: the time of day (UTC).
  func apply(
    to chosen: [Subscription], of all: [Subscription], isWhole: Bool, in library: Library,
    isDryRun: Bool, at now: Date
  ) -> [RunEvent] {
    var events: [RunEvent] = []
    var policies: [String: RetentionPolicy] = [:]
    for subscription in chosen {
      do throws(PodgetError) {
        policies[subscription.name] = try policy(subscription)
      } catch {
        events.append(.sourceFailed(subscription.name, error))
      }
    }
    let total = isWhole ? total : nil
    guard total != nil || policies.values.contains(where: \.hasRule) else { return events }
    let reading = library.locatedReading(recording: !isDryRun)
    if let problem = reading.problems.first {
      let sentence =
        "Nothing is removed by rule, since not all of the library can be read: \(problem.message)"
      return events + [.sourceFailed(library.path, PodgetError(problem.code, sentence))]
    }
    let candidates = candidates(
      among: reading.episodes, of: policies,
      LibraryPodcasts(reading.episodes.lazy.map(\.podcast), subscriptions: all))
    let retired = retired(
      candidates, chosen.map(\.name), by: policies, total: total,
      sizes: EpisodeSizes(copies: reading.copies))
    guard !isDryRun else {
      let note = RunEvent.note("What is to be removed is shown as before the downloads.")
      return events + (retired.isEmpty ? [] : [note]) + retired.map { .removed($0) }
    }
    let remover = EpisodeRemover(
      library: library, removesStarred: false, keptUntil: keptUntil, now: now)
    let locals = retired.map(\.local)
    let outcomes = remover.remove(locals, copies: reading.copies(of: locals))
    for (retired, outcome) in zip(retired, outcomes) {
      switch outcome {
      case .removed:
        var retired = retired
        retired.isRemoved = true
        events.append(.removed(retired))
      // It was starred meanwhile, or another podget is using it: the next sync decides again.
      case .starred, .busy: break
      case .failed(let error): events.append(.sourceFailed(retired.local.title, error))
      }
    }
    return events
  }

  private typealias Candidates = [String: [LocalEpisode]]

  /// The episodes of each subscription, in an order that does not depend on the disk.
  private func candidates(
    among episodes: [LocalEpisode], of policies: [String: RetentionPolicy],
    _ podcasts: LibraryPodcasts
  ) -> Candidates {
    var candidates: Candidates = [:]
    // A title alone may be that of another podcast.
    for local in episodes
    where local.status == .complete && LibraryPodcasts.isIdentified(local.podcast) {
      guard case .subscription(let name) = podcasts.key(of: local.podcast), policies[name] != nil
      else { continue }
      candidates[name, default: []].append(local)
    }
    return candidates.mapValues { $0.sorted { $0.path < $1.path } }
  }

  private func retired(
    _ candidates: Candidates, _ names: [String], by policies: [String: RetentionPolicy],
    total: Int64?, sizes: EpisodeSizes
  ) -> [RetiredEpisode] {
    var retired: [RetiredEpisode] = []
    var rest: [LocalEpisode] = []
    for name in names {
      guard let episodes = candidates[name], let policy = policies[name] else { continue }
      let stay = take(episodes, by: policy, sizes, &retired)
      if policy.maximumBytes == nil { rest += stay }
    }
    if let total { _ = take(rest, by: RetentionPolicy(maximumBytes: total), sizes, &retired) }
    return retired
  }

  /// Adds what a policy removes, and returns what stays.
  private func take(
    _ episodes: [LocalEpisode], by policy: RetentionPolicy, _ sizes: EpisodeSizes,
    _ retired: inout [RetiredEpisode]
  ) -> [LocalEpisode] {
    let decisions = policy.decisions(
      for: episodes.map { RetentionPolicy.Candidate($0, of: "", bytes: sizes.bytes(of: $0)) })
    var stay: [LocalEpisode] = []
    for (local, decision) in zip(episodes, decisions) {
      if case .remove(let rule) = decision {
        retired.append(RetiredEpisode(local: local, rule: rule, policy: policy))
      } else {
        stay.append(local)
      }
    }
    return stay
  }
}

/// What episodes take on the disk, with their copies in other folders of the library.
package struct EpisodeSizes: Sendable {
  private var copied: [String: Int64] = [:]

  /// Adds up the sizes of complete copies.
  package init(copies: [LocalEpisode]) {
    for copy in copies where copy.status == .complete {
      copied[copy.key] = ByteSum.of([copied[copy.key] ?? 0, copy.bytes])
    }
  }

  /// The bytes of an episode and of its copies.
  package func bytes(of local: LocalEpisode) -> Int64 {
    copied[local.key].map { ByteSum.of([$0, local.bytes]) } ?? local.bytes
  }
}

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
