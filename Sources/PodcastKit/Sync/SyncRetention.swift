import FoundationEssentials
import PodcastLibrary
import PodcastModel

/// What `sync` removes by rule after its downloads: of podcasts that are followed only, and never what
/// is starred, incomplete or brought back by a person.
struct SyncRetention: Sendable {
  /// The rules of podcasts whose subscriptions do not say.
  var rules: FollowingRules
  /// How many bytes the podcasts may take together that have no maximum of their own; nil is no limit.
  var total: Int64?
  /// Until when removed files stay in the trash (UTC); nil deletes them immediately.
  var keptUntil: Date?

  /// The rules of a sync.
  init(_ options: SyncOptions, at now: Date) {
    rules = options.rules
    total = options.maximumSize.flatMap { $0 < 1 ? nil : $0 }
    let days = options.trashDays < 0 ? 7 : options.trashDays
    keptUntil = days == 0 ? nil : now + Double(days) * 86_400
  }

  /// The rules of a subscription, with ages that count from a time (UTC).
  private func policy(
    _ subscription: Subscription, _ now: Date
  ) throws(PodgetError) -> RetentionPolicy {
    var rules = rules
    try rules.apply(subscription.settings)
    return try rules.policy(at: now)
  }

  /// A run whose rules are applied.
  struct Round: Sendable {
    /// The subscriptions whose rules count.
    var chosen: [Subscription]
    /// All of the library, which say what is of one podcast.
    var all: [Subscription]
    /// Whether none was left out, so that all podcasts together may have a maximum.
    var isWhole: Bool
    /// What a dry run would have downloaded before.
    var planned: [DownloadPlan] = []
    var isDryRun: Bool
    var time: RetentionTime
  }

  /// Removes what the rules say, and returns what is to be reported. It blocks on the disk.
  ///
  /// The rules of a podcast wait while not all of its folders can be read: a star may be there.
  func apply(to round: Round, in library: Library) -> [RunEvent] {
    var events: [RunEvent] = []
    var policies: [String: RetentionPolicy] = [:]
    for subscription in round.chosen {
      do throws(PodgetError) {
        policies[subscription.name] = try policy(subscription, round.time.now)
      } catch {
        events.append(.sourceFailed(subscription.name, error))
      }
    }
    let total = round.isWhole ? total : nil
    guard total != nil || policies.values.contains(where: \.hasRule) else { return events }
    let counted = round.time.counted(in: library, isRecording: !round.isDryRun)
    for subscription in round.chosen where policies[subscription.name] != nil {
      policies[subscription.name] = try? policy(subscription, counted)
    }
    let reading = library.locatedReading(recording: !round.isDryRun)
    let planned = Self.planned(round.planned, besides: reading.episodes)
    let podcasts = LibraryPodcasts(
      (reading.episodes + planned).lazy.map(\.podcast), subscriptions: round.all,
      facts: reading.facts)
    let waiting = Self.waiting(reading, podcasts)
    if let event = Self.report(waiting, of: policies, round, reading, library) {
      events.append(event)
    }
    for name in policies.keys where waiting.contains(name) { policies[name] = nil }
    var candidates = Self.candidates(
      among: reading.episodes + planned, podcasts, isExpected: { $0.status == .planned })
    candidates = candidates.filter { policies[$0.key] != nil }
    var decided = Decided()
    decide(
      candidates, round.chosen.map(\.name), by: policies, total: total,
      EpisodeSizes(copies: reading.copies),
      at: counted == RetentionTime.never ? nil : round.time.now, &decided)
    events += notes(about: decided, candidates, round, counted: counted)
    guard !round.isDryRun else { return events + decided.retired.map { .removed($0) } }
    return events + remove(decided.retired, reading, library, at: round.time.now)
  }

  private func remove(
    _ retired: [RetiredEpisode], _ reading: LibraryReading, _ library: Library, at now: Date
  ) -> [RunEvent] {
    var events: [RunEvent] = []
    let remover = EpisodeRemover(
      library: library, removesStarred: false, leavesKept: true,
      keptUntil: keptUntil, now: now)
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
}

extension SyncRetention {
  /// The episodes of each subscription, in an order that does not depend on the disk.
  typealias Candidates = [String: [LocalEpisode]]

  /// The complete episodes of each subscription.
  ///
  /// - Parameter isExpected: whether an episode counts that is not complete.
  static func candidates(
    among episodes: [LocalEpisode], _ podcasts: LibraryPodcasts,
    isExpected: (LocalEpisode) -> Bool = { _ in false }
  ) -> Candidates {
    var candidates: Candidates = [:]
    for local in episodes where local.status == .complete || isExpected(local) {
      guard let name = subscription(of: local, podcasts) else { continue }
      candidates[name, default: []].append(local)
    }
    return candidates.mapValues { $0.sorted { $0.path < $1.path } }
  }

  /// The subscription whose rules an episode has. A title alone may be that of another podcast.
  private static func subscription(
    of local: LocalEpisode, _ podcasts: LibraryPodcasts
  ) -> String? {
    guard LibraryPodcasts.isIdentified(local.podcast),
      case .subscription(let name) = podcasts.key(of: local.podcast)
    else { return nil }
    return name
  }

  /// What a dry run would have downloaded, as if it were there.
  private static func planned(
    _ plans: [DownloadPlan], besides episodes: [LocalEpisode]
  ) -> [LocalEpisode] {
    guard !plans.isEmpty else { return [] }
    let complete = Set(episodes.lazy.filter { $0.status == .complete }.map(\.key))
    return plans.filter { !complete.contains($0.key) }.map { LocalEpisode(expected: $0) }
  }

  /// The subscriptions with episodes in folders that could not be read as a whole.
  private static func waiting(
    _ reading: LibraryReading, _ podcasts: LibraryPodcasts
  ) -> Set<String> {
    guard !reading.incomplete.isEmpty else { return [] }
    var names: Set<String> = []
    for local in reading.episodes + reading.copies + reading.absent {
      let folder = local.plan.file.folder
      guard reading.incomplete.contains(where: { folder.isSame(orIn: $0) }),
        let name = subscription(of: local, podcasts)
      else { continue }
      names.insert(name)
    }
    return names
  }

  private static func report(
    _ waiting: Set<String>, of policies: [String: RetentionPolicy], _ round: Round,
    _ reading: LibraryReading, _ library: Library
  ) -> RunEvent? {
    let names = waiting.filter { policies[$0] != nil }.sorted()
    guard !reading.incomplete.isEmpty, let problem = reading.problems.first else { return nil }
    let sentence =
      switch names.count {
      case 0: "Rules do not count what cannot be read"
      case 1: "The rules of \(names[0]) wait, since not all of its episodes can be read"
      case let count:
        "The rules of \(count) podcasts wait, since not all of their episodes can be read"
      }
    let error = PodgetError(problem.code, "\(sentence): \(problem.message)")
    // The library as a whole can be used, if it is known what cannot be read.
    guard let first = round.chosen.first(where: { $0.name == names.first }) else {
      return .sourceFailed(library.path, error)
    }
    return .feedFailed(names.joined(separator: ", "), first.podcast, error)
  }
}

extension SyncRetention {
  /// What the rules say.
  private struct Decided {
    var retired: [RetiredEpisode] = []
    /// What stays only because a person brought it back, with the rule.
    var kept: [(local: LocalEpisode, rule: RetentionPolicy.Rule)] = []
  }

  private func decide(
    _ candidates: Candidates, _ names: [String], by policies: [String: RetentionPolicy],
    total: Int64?, _ sizes: EpisodeSizes, at now: Date?, _ decided: inout Decided
  ) {
    var rest: [LocalEpisode] = []
    for name in names {
      guard let episodes = candidates[name], let policy = policies[name] else { continue }
      let stay = take(episodes, by: policy, sizes, at: now, &decided)
      if policy.maximumBytes == nil { rest += stay }
    }
    if let total {
      _ = take(rest, by: RetentionPolicy(maximumBytes: total), sizes, at: now, &decided)
    }
  }

  /// Adds what a policy removes, and returns what stays.
  private func take(
    _ episodes: [LocalEpisode], by policy: RetentionPolicy, _ sizes: EpisodeSizes, at now: Date?,
    _ decided: inout Decided
  ) -> [LocalEpisode] {
    let decisions = policy.decisions(for: episodes.map { Self.candidate($0, sizes, at: now) })
    var stay: [LocalEpisode] = []
    for (local, decision) in zip(episodes, decisions) {
      switch decision {
      case .remove(let rule):
        decided.retired.append(RetiredEpisode(local: local, rule: rule, policy: policy))
        continue
      case .keepStarred(let rule) where !local.isStarred: decided.kept.append((local, rule))
      default: break
      }
      stay.append(local)
    }
    return stay
  }

  /// What the rules use of an episode. What is expected counts as if it were there.
  ///
  /// An episode with a day that is to come would be the newest for years, and no other would stay: it
  /// counts as of the day of its download.
  ///
  /// - Parameter now: the time of day, if something confirms it.
  static func candidate(
    _ local: LocalEpisode, _ sizes: EpisodeSizes, at now: Date?
  ) -> RetentionPolicy.Candidate {
    var candidate = RetentionPolicy.Candidate(local, of: "", bytes: sizes.bytes(of: local))
    candidate.isComplete = true
    if let now, let date = candidate.date, date > now + 86_400 {
      candidate.date = min(date, local.downloadedAt ?? now)
    }
    candidate.isStarred = local.isStarred || local.isKept
    return candidate
  }

  /// Why something stays that a person may expect to go.
  private func notes(
    about decided: Decided, _ candidates: Candidates, _ round: Round, counted: Date
  ) -> [RunEvent] {
    var events: [RunEvent] = []
    if round.isDryRun {
      for (local, rule) in decided.kept {
        events.append(
          .note("\(local.title) stays, since you brought it back; \(rule.name) would remove it."))
      }
    }
    guard counted < round.time.now else { return events }
    var count = 0
    for subscription in round.chosen {
      guard let episodes = candidates[subscription.name],
        let policy = try? policy(subscription, round.time.now), let day = policy.firstDay
      else { continue }
      let retired = Set(decided.retired.map(\.local.key))
      count += episodes.count { local in
        guard let date = local.date ?? local.downloadedAt, CivilDay(date) < day else {
          return false
        }
        return !local.isStarred && !local.isKept && !retired.contains(local.key)
      }
    }
    guard count > 0 else { return events }
    let what =
      count == 1 ? "1 episode that is too old stays" : "\(count) episodes that are too old stay"
    let day = CivilDay(round.time.now)
    events.append(
      .note(
        round.time.servers == .differs
          ? "\(what): the date of this machine, \(day), differs from that of a server."
          : "\(what): no server and no run of an earlier day confirms the date of this machine, "
            + "\(day)."))
    return events
  }
}

extension RetentionPolicy.Rule {
  /// The setting that has the rule.
  var name: String {
    switch self {
    case .keep: "keep"
    case .olderThan: "older-than"
    case .downloadedBefore: "downloaded-before"
    case .played: "played"
    case .maxSize: "max-size"
    }
  }
}
