import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

extension DownloadRun {
  /// Checks the feeds of followed podcasts once, and downloads what is new in them.
  ///
  /// Cancelling the task is the same as ``cancel()``.
  ///
  /// - Parameters:
  ///   - names: only these subscriptions, by their names, titles, ids or addresses; all when nil.
  ///   - round: how feeds are checked.
  package func sync(_ names: [String]? = nil, _ round: SyncRound) async -> SyncOutcome {
    await run { [self] batches in
      await withChecks(outliveRounds: false) { checks in
        var stage: SyncStage?
        return await check(names, round, checks, &stage, batches)
      }
    } finish: { [self] outcome in
      // The downloads may have taken hours: somebody may have taken a rule back meanwhile.
      let file = SubscriptionFile(library)
      guard let read = await disk.look({ try? file.readTrusted() }), let (list, isTrusted) = read,
        isTrusted
      else { return }
      await retain(
        chosen(names, of: list, round.options, isNew: false), of: list.subscriptions,
        isNamed: names != nil, round, serverClock: outcome.serverClock)
    }
  }

  /// Removes by rule, after downloads or between rounds.
  private func retain(
    _ chosen: [Subscription], of all: [Subscription], isNamed: Bool, _ round: SyncRound,
    serverClock: ServerClock
  ) async {
    guard !isCancelled else { return }
    let (library, retention) = (library, SyncRetention(round.options, at: now()))
    let isWhole = !isNamed && round.options.categories.isEmpty && round.options.shard == nil
    let applied = SyncRetention.Round(
      chosen: chosen, all: all, isWhole: isWhole, planned: explained,
      isDryRun: downloader == nil,
      time: RetentionTime(now: now(), servers: serverClock))
    let events = await disk.look { retention.apply(to: applied, in: library) }
    for event in events ?? [] {
      // What stays is said once in a run.
      switch event {
      case .sourceFailed(_, let error), .feedFailed(_, _, let error):
        guard said.isFirst(error.message) else { continue }
      case .note(let text): guard said.isFirst(text) else { continue }
      default: break
      }
      report(event)
    }
  }

  /// Checks the feeds of followed podcasts in rounds, and downloads what is new in them.
  ///
  /// A round ends with its checks, when its episodes are recorded as planned, except for the checks of
  /// slow feeds: a later round takes their answers. Downloads go on
  /// in the next rounds, within the limits of the run: a slow server delays no check. Each round is
  /// followed by ``RunEvent/roundChecked``. Cancelling the task is the same as ``cancel()``.
  ///
  /// - Parameters:
  ///   - names: only these subscriptions; all when nil.
  ///   - next: waits for the next round, and returns it; nil ends the run when all downloads have
  ///     ended. It gets the outcome of the round before; nil at first.
  package func sync(
    _ names: [String]? = nil, rounds next: @escaping @Sendable (SyncOutcome?) async -> SyncRound?
  ) async {
    await run { [self] batches in
      await withChecks(outliveRounds: true) { checks in
        var outcome: SyncOutcome?
        var stage: SyncStage?
        while !Task.isCancelled, let round = await next(outcome) {
          outcome = await check(
            names, round, busy: beginRound(), resting: await downloader?.resting() ?? [], checks,
            &stage, batches)
          if !Task.isCancelled { report(.roundChecked) }
        }
      }
    }
  }

  /// Does something with the checks of a run; at its end, none runs any more.
  private func withChecks<Result: Sendable>(
    outliveRounds: Bool, _ work: (FeedChecks) async -> Result
  ) async -> Result {
    let checks = FeedChecks(clock: clock, outliveRounds: outliveRounds)
    return await withTaskCancellationHandler {
      let result = await work(checks)
      checks.cancel()
      await checks.untilEnded()
      return result
    } onCancel: {
      checks.cancel()
    }
  }
}

extension DownloadRun {
  /// Forgets what was for the last round only.
  ///
  /// - Returns: the keys of the episodes whose downloads go on.
  private func beginRound() async -> Set<String> {
    let busy = await downloader?.beginRound() ?? []
    // Passwords may have changed since.
    credentials.forget(except: busy.flatMap(\.addresses))
    return Set(busy.map(\.key))
  }

  /// Checks feeds, and plans what is new in them; what that needs to be stored is stored.
  ///
  /// - Parameters:
  ///   - busy: the keys of episodes that are downloaded already.
  ///   - resting: the keys of episodes that failed a short time ago.
  ///   - stage: that of the round before; nil in the first one.
  private func check(
    _ names: [String]?, _ round: SyncRound, busy: Set<String> = [], resting: Set<String> = [],
    _ checks: FeedChecks, _ stage: inout SyncStage?,
    _ batches: AsyncStream<PlannedBatch>.Continuation
  ) async -> SyncOutcome {
    let file = SubscriptionFile(library)
    let read = await disk.look {
      Result { () throws(PodgetError) in try file.readTrusted(keptIn: checks.list) }
    }
    guard let read else { return SyncOutcome() }
    // A mistake is said when somebody has made it, and not in each round.
    let isNew = checks.list.isNew
    let states = FeedStateWriter(library, disk: disk)
    let outcome: SyncOutcome
    do throws(PodgetError) {
      let (list, isTrusted) = try read.get()
      let news = isNew ? checks.list.news(in: list) : (warnings: [], subscriptions: [])
      for warning in news.warnings { report(.note(warning)) }
      if names == nil, list.subscriptions.isEmpty, !round.options.allowsEmpty {
        return noSubscriptions(round.options, isNew: isNew)
      }
      // After SIGHUP the settings may be others.
      let isFresh = isNew || round.options.retriesLogins
      let followed: FollowedList
      if !isFresh, let stage {
        followed = await stage.around.list
      } else {
        followed = FollowedList(
          list.subscriptions, chosen: chosen(names, of: list, round.options, isNew: isNew))
        subscribed.use(followed.chosen, counting: round.options.countedSettings)
      }
      let known = SyncLibrary(library, disk: disk) { [self] in
        await loadForPlanning($0, after: $1)
      }
      let surroundings = SyncStage.Surroundings(
        library: library, feeds: feedsAlone, credentials: credentials, logins: round.logins,
        disk: disk, options: round.options, clock: clock, checks: checks, now: now,
        isTrusted: isTrusted, namedOrigins: round.namedOrigins, list: followed,
        isNamed: names != nil,
        isDryRun: downloader == nil, belongings: belongings, busy: busy, resting: resting,
        report: { [channel] in channel.send($0) })
      if let stage {
        await stage.begin(surroundings, library: known, states: states)
      } else {
        stage = SyncStage(surroundings, library: known, states: states, batches: batches)
      }
      guard let stage else { return SyncOutcome() }
      outcome = await stage.check(
        isFresh: isFresh, changed: Set(news.subscriptions.map(\.firstURL)), in: file)
      // What the rounds before have downloaded by now counts. Rules of a file that another user may
      // write remove nothing.
      if isTrusted, isDueToRetain(followed, round) {
        await retain(
          followed.chosen, of: followed.all, isNamed: names != nil, round,
          serverClock: outcome.serverClock)
      }
    } catch {
      if isNew { report(.sourceFailed(SubscriptionFile.name, error)) }
      return nothingToAsk(round.options)
    }
    await states.store()
    if let failure = await states.failure {
      report(
        .note(
          "The state of the feeds could not be stored; the next sync reads them completely. "
            + failure.message))
    }
    return outcome
  }

  /// The outcome of a round without a list: somebody may be writing it.
  private nonisolated func nothingToAsk(_ options: SyncOptions) -> SyncOutcome {
    var outcome = SyncOutcome()
    let usual = Duration.seconds(60)
    outcome.nextCheck = now().addingTimeInterval(
      min(options.pace.interval ?? usual, usual) / .seconds(1))
    return outcome
  }

  /// Whether a later round is to remove by rule now: that reads the whole library.
  private func isDueToRetain(_ followed: FollowedList, _ round: SyncRound) -> Bool {
    guard round.options.isLaterRound, followed.hasRetention || round.options.hasRetention
    else { return false }
    let (usual, now) = (Duration.seconds(600), now())
    let pause = min(round.options.pace.interval ?? usual, usual) / .seconds(1)
    if let lastRetention, (0..<pause).contains(now.timeIntervalSince(lastRetention)) {
      return false
    }
    lastRetention = now
    return true
  }

  /// Reports that the library follows nothing: its disk may be missing.
  ///
  /// - Parameter isNew: whether it was not so in the round before.
  private nonisolated func noSubscriptions(
    _ options: SyncOptions, isNew: Bool
  ) -> SyncOutcome {
    // Later, podcasts may come back.
    let isFirst = !options.isLaterRound
    var outcome = nothingToAsk(options)
    outcome.cannotGoOn = isFirst
    if isFirst {
      report(
        .sourceFailed(
          library.path,
          PodgetError(.notFound, "The library follows no podcast.", remedy: .followOneOrNone)))
    } else if isNew {
      report(.note("The library follows no podcast any more. Is its disk missing?"))
    }
    return outcome
  }

  /// The subscriptions of a run; a name that none has is a failure.
  ///
  /// - Parameter isNew: whether somebody has changed the list since the round before.
  private nonisolated func chosen(
    _ names: [String]?, of list: SubscriptionList, _ options: SyncOptions, isNew: Bool
  ) -> [Subscription] {
    var list = list
    var chosen = list.subscriptions
    if let names {
      chosen = []
      var seen: Set<String> = []
      for name in names {
        guard let subscription = list.subscription(named: name) else {
          if isNew { report(.sourceFailed(name, Subscriber.notFollowed(name, list))) }
          continue
        }
        if seen.insert(subscription.name).inserted { chosen.append(subscription) }
      }
    } else if chosen.isEmpty, isNew {
      report(.note("No podcast is followed; podget subscribe adds one."))
    }
    let all = chosen
    if names == nil {
      // What is paused is asked when it is named.
      chosen.removeAll { $0.settings[.paused] != nil }
    }
    if !options.categories.isEmpty {
      for category in options.categories
      where isNew && !chosen.contains(where: { $0.isIn(category) }) {
        let arePaused = all.contains { $0.isIn(category) }
        report(
          .sourceFailed(
            category,
            PodgetError(
              .notFound,
              arePaused
                ? "All subscriptions in this category are paused."
                : "No subscription is in this category.",
              remedy: arePaused ? .unpause : .listSubscriptions)))
      }
      chosen = chosen.filter { options.categories.contains(where: $0.isIn) }
    }
    guard let shard = options.shard else { return chosen }
    return chosen.filter { shard.contains($0.firstURL) }
  }
}
