import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// The first stage of a sync: checks feeds, several at a time, and plans what they have that is new.
///
/// Answers are decided about one at a time, in the order in which they arrive. A feed's state is
/// stored last, when its episodes are recorded.
actor SyncStage {
  /// What the stage needs of its run.
  struct Surroundings: Sendable {
    var library: Library
    var feeds: FeedCatalog
    var credentials: OriginCredentials
    var logins: SubscriptionLogins
    /// Reads the library and the records.
    var disk: DiskPool
    var options: SyncOptions
    /// Measures waits and deadlines.
    var clock: any Clock<Duration>
    /// The checks that run.
    var checks: FeedChecks
    /// The time of day (UTC).
    var now: @Sendable () -> Date
    /// Whether only the user can have written the file with the subscriptions.
    var isTrusted: Bool
    /// What the run wants of a subscription; an error is one of its feed.
    var follow: @Sendable (Subscription) throws(PodgetError) -> FollowedFeed
    /// All subscriptions, also those that are not asked.
    var subscriptions: [Subscription]
    /// Whether the user named the subscriptions.
    var isNamed: Bool
    /// Whether nothing is changed.
    var isDryRun: Bool
    /// The keys of episodes that earlier rounds planned and that are being downloaded.
    var busy: Set<String>
    /// The keys of episodes that failed in an earlier round a short time ago.
    var resting: Set<String>
    var report: @Sendable (RunEvent) -> Void

    /// Whether the user asks for these subscriptions once: later rounds, and runs by a timer, treat them
    /// as all others.
    var isAskedFor: Bool { isNamed && !options.asksDueOnly }
  }

  let around: Surroundings
  private let batches: AsyncStream<PlannedBatch>.Continuation
  /// How many batches were passed on and are not recorded.
  private var unrecorded = 0
  private var recordingWaiter: CheckedContinuation<Void, Never>?
  let writer: FeedStateWriter
  var states: [String: FeedState] = [:]
  var deferrals = Deferrals()
  var failures: NetworkFailures
  let library: SyncLibrary
  /// The feeds that this stage has asked and that have not answered.
  private var asked: Set<String> = []
  /// What is unfinished and needs a login that is awaited.
  private var unfinished: [String: PlannedBatch] = [:]
  /// What was not so in the round before, by the addresses first subscribed.
  private var changed: Set<String> = []
  /// The feeds whose settings cannot be used.
  private var unusable: Set<String> = []
  /// What is unfinished of feeds that are asked, by the feeds: an answer may have other addresses.
  private var held: [String: HeldDownloads] = [:]
  var moves = SubscriptionMoves()
  /// The subscriptions by the addresses of their feeds.
  lazy var followed = Dictionary(
    around.subscriptions.map { (FeedIdentity($0.feedURL), $0) }
  ) { first, _ in first }
  /// The subscriptions by the addresses first subscribed.
  private lazy var followedFirst = Dictionary(
    around.subscriptions.map { ($0.firstURL, $0) }
  ) { first, _ in first }

  /// Makes a stage that passes its plans on.
  ///
  /// - Parameters:
  ///   - surroundings: what it needs of its run.
  ///   - library: identifies and plans episodes.
  ///   - states: stores the states of the feeds; the caller stores the last ones.
  ///   - batches: receives the plans.
  init(
    _ surroundings: Surroundings, library: SyncLibrary, states: FeedStateWriter,
    batches: AsyncStream<PlannedBatch>.Continuation
  ) {
    around = surroundings
    self.library = library
    self.batches = batches
    writer = states
    failures = NetworkFailures(surroundings.options.network)
  }

  /// Checks feeds to the end. Cancelling the task ends the requests; feeds that were not decided about
  /// by then stay as they were.
  ///
  /// - Parameters:
  ///   - changed: the addresses first subscribed of what was not so in the round before. If it cannot be
  ///     used, that is reported now, although its feed may be due much later.
  ///   - file: takes the moves of subscriptions.
  func check(
    _ subscriptions: [Subscription], changed: Set<String>, in file: SubscriptionFile
  ) async -> SyncOutcome {
    guard await loadStates() else { return SyncOutcome() }
    self.changed = changed
    // As many as matter: only one host of several says nothing about the network.
    failures.hosts = Set(subscriptions.lazy.map(\.host).prefix(1000)).count
    await ask(subscriptions)
    await untilRecorded()
    if !around.isDryRun { await settleMoves(in: file) }
    if !Task.isCancelled { await settleFailures() }
    var outcome = SyncOutcome()
    outcome.isNetworkDown = failures.isNetworkDown(at: around.now())
    outcome.network = failures.remembered(at: around.now())
    outcome.nextCheck = subscriptions.compactMap { nextCheck(of: $0) }.min()
    outcome.following = (around.subscriptions, states)
    return outcome
  }
}

extension SyncStage {
  /// Asks feeds, as many at once as there are places, and takes their answers. In a run of rounds it
  /// does not wait for slow ones: a later round takes their answers.
  private func ask(_ subscriptions: [Subscription]) async {
    let followed = Dictionary(subscriptions.map { ($0.firstURL, $0) }) { first, _ in first }
    let checks = around.checks
    around.report(.checking(0, of: subscriptions.count))
    // What the run wants is settled for those only: it takes longer than all else, and few are due.
    let due = self.followed(subscriptions.filter { !checks.isRunning($0.firstURL) && isDue($0) })
    if around.options.isLaterRound, !changed.isEmpty {
      let seen = unusable.union(due.map(\.subscription.firstURL))
      _ = self.followed(
        subscriptions.filter { changed.contains($0.firstURL) && !seen.contains($0.firstURL) })
    }
    await continueUnfinished(
      of: subscriptions, asking: Set(due.map(\.subscription.firstURL)))
    var queue = FeedQueue(due)
    var done = subscriptions.count - due.count
    var hasBegun = false
    checks.send(.begun)
    loop: for await step in checks.progress {
      var isUsable = await !library.isUnusable
      switch step {
      case .begun, .room:
        if case .begun = step { hasBegun = true }
        if isUsable, hasBegun { done += await askNext(in: &queue) }
      case .checked(let key, let checked):
        checks.end(key)
        if asked.remove(key) != nil { done += 1 }
        if let checked, !Task.isCancelled, followed[key] == checked.request.feed.subscription {
          await take(checked)
        }
        isUsable = await !library.isUnusable
      case .loggedIn(let key, let credentials):
        checks.end(key)
        if let batch = unfinished.removeValue(forKey: key), let credentials {
          for plan in batch.plans {
            around.credentials.adopt(plan.episode.enclosure.url, from: credentials)
          }
          pass(batch)
        }
      case .quiet(let number):
        // A password command ends in time, and what it is for would be forgotten.
        let isOver = queue.isEmpty && unfinished.isEmpty && isNetworkUp && hasBegun
        if checks.isLast(quiet: number), isOver { break loop }
      }
      around.report(.checking(done, of: subscriptions.count))
      let isIdle = asked.isEmpty && unfinished.isEmpty
      if hasBegun, isIdle, queue.isEmpty || !isUsable { break }
      checks.awaitQuiet()
    }
    around.report(.checking(subscriptions.count, of: subscriptions.count))
  }

  /// What the run wants of subscriptions; what cannot be used is reported.
  private func followed(_ subscriptions: [Subscription]) -> [FollowedFeed] {
    subscriptions.compactMap { subscription in
      do throws(PodgetError) {
        return try around.follow(subscription)
      } catch {
        unusable.insert(subscription.firstURL)
        if changed.contains(subscription.firstURL) {
          around.report(.feedFailed(subscription.name, subscription.podcast, error))
        }
        return nil
      }
    }
  }

  /// Asks the next feeds, as many as there are places.
  ///
  /// - Returns: how many need not be asked.
  private func askNext(in queue: inout FeedQueue) async -> Int {
    var skipped = 0
    while !Task.isCancelled, let (feed, place) = await queue.next(in: around.checks.places) {
      guard let request = request(feed) else {
        skipped += 1
        await place.leave()
        release(feed.subscription.firstURL)
        continue
      }
      let key = feed.subscription.firstURL
      asked.insert(key)
      around.checks.start(key, in: place) {
        let response = await self.perform(request, in: place)
        let checked = CheckedFeed(request: request, response: response)
        return .checked(key, Task.isCancelled ? nil : checked)
      }
    }
    return skipped
  }

  /// Whether any host has answered lately: then a feed that does not end is no sign of a network that
  /// is down.
  private var isNetworkUp: Bool {
    failures.hasAnswer || failures.hadAnswer(at: around.now()) || around.checks.hasAnswer
  }

  /// Passes plans on, without those that are being downloaded already.
  func pass(_ batch: PlannedBatch) {
    var batch = batch
    batch.plans.removeAll { around.busy.contains($0.key) }
    let note = batch.whenRecorded
    batch.whenRecorded = { isRecorded in
      await note(isRecorded)
      await self.noteRecorded()
    }
    // A dry run records nothing.
    if !around.isDryRun { unrecorded += 1 }
    batches.yield(batch)
  }

  private func noteRecorded() {
    unrecorded -= 1
    guard unrecorded == 0 else { return }
    recordingWaiter?.resume()
    recordingWaiter = nil
  }

  /// Waits until everything that was passed on is recorded: then the states that depend on it are
  /// complete, and another round may plan.
  private func untilRecorded() async {
    guard unrecorded > 0 else { return }
    await withCheckedContinuation { recordingWaiter = $0 }
  }

  /// When a feed is asked again; nil for never. What was not decided about waits a little too:
  /// nothing is asked without end.
  func nextCheck(of subscription: Subscription) -> Date? {
    let now = around.now()
    let state = states[subscription.firstURL] ?? FeedState()
    if state.isGone || unusable.contains(subscription.firstURL) { return nil }
    let usual = Duration.seconds(60)
    if around.checks.isRunning(subscription.firstURL) {
      // The next round takes its answer.
      return now.addingTimeInterval(
        min(pace(of: subscription).interval ?? usual, usual) / .seconds(1))
    }
    let address = FeedURL(subscription.feedURL.withoutCredentials)
    if let address, let until = deferrals.notBefore(address, state: state, now: now) {
      return until
    }
    if let next = state.nextCheck, next > now { return next }
    let pause = pace(of: subscription).interval ?? usual
    return now.addingTimeInterval(pause / .seconds(1))
  }

  /// When a feed is due again: an interval of its own comes before that of the run.
  func pace(of subscription: Subscription) -> CheckPace {
    guard around.options.usesOwnIntervals,
      let interval = subscription.settings[.interval].flatMap({ try? Duration(option: $0) })
    else { return around.options.pace }
    return CheckPace(interval: interval)
  }

  private func loadStates() async -> Bool {
    let (library, memory) = (around.library, around.checks.states)
    let result = await around.disk.look {
      Result { () throws(DiskError) in try FeedStateLog.states(of: library, keptIn: memory) }
    }
    guard let result else { return false }
    switch result {
    case .success(let found): states = found
    case .failure(let error):
      // What is not remembered costs full requests, and nothing else.
      around.report(.note(error.podgetError.message))
    }
    deferrals = Deferrals(states.values)
    return true
  }

  /// Continues what was planned for these podcasts and is not finished: at once, or when its feed has
  /// answered, which may have another address for it. Each waits for its login: without it an episode
  /// would only be refused.
  ///
  /// - Parameter asking: the feeds that are asked now.
  private func continueUnfinished(of subscriptions: [Subscription], asking: Set<String>) async {
    let found = await library.unfinished(
      of: subscriptions, besides: around.busy, resting: around.resting,
      refetching: around.options.refetchesMissing(of:), retriesAll: around.isAskedFor,
      now: around.now())
    guard let found else { return }
    let checks = around.checks
    var ready: [DownloadPlan] = []
    for (subscription, downloads) in found.downloads {
      let key = subscription.firstURL
      // The check of a slow feed may end in this round.
      if asking.contains(key) || checks.isRunning(key) {
        held[key] = HeldDownloads(downloads: downloads, known: found.known)
      } else {
        ready += begin(downloads.filter(\.isDue), of: subscription)
      }
    }
    let parts = PlansByLogin(ready, of: subscriptions)
    if !parts.others.isEmpty { pass(PlannedBatch(parts.others, known: found.known)) }
    for (subscription, plans) in parts.own {
      // A command that does not end delays nothing else.
      let key = "unfinished \(subscription.firstURL)"
      guard !checks.isRunning(key) else { continue }
      unfinished[key] = PlannedBatch(plans, known: found.known)
      checks.start(key) { [around] in
        let own = OriginCredentials()
        do throws(PodgetError) {
          try await around.logins.logIn(to: subscription, isTrusted: around.isTrusted, own)
        } catch {
          // The check of the feed reports it.
          return .loggedIn(key, nil)
        }
        return .loggedIn(key, own)
      }
    }
  }

  /// The plans of unfinished downloads, which are tried now. A last time is reported.
  private func begin(
    _ downloads: [HeldDownloads.Download], of subscription: Subscription
  ) -> [DownloadPlan] {
    for download in downloads where download.isLastTime {
      around.report(
        .note(
          "\(download.plan.episode.title) has been failing for two weeks. This is the last time that "
            + "podget sync tries it; podget resume \(subscription.name) tries it again."))
    }
    return downloads.map(\.plan)
  }

  /// Continues what waited for the answer of a feed.
  ///
  /// - Parameters:
  ///   - checked: the answer; nil if there is none. Without a login nothing is continued.
  ///   - listed: what is unfinished as the feed lists it now.
  func release(_ key: String, _ checked: CheckedFeed? = nil, listed: [DownloadPlan] = []) {
    guard let waiting = held.removeValue(forKey: key) else { return }
    let subscription = checked?.request.feed.subscription ?? followedFirst[key]
    guard let subscription else { return }
    if let checked, !checked.response.isAsked { return }
    let plans = begin(waiting.settled(by: listed), of: subscription)
    guard !plans.isEmpty else { return }
    if let own = checked?.request.credentials {
      for plan in plans { around.credentials.adopt(plan.episode.enclosure.url, from: own) }
    }
    pass(PlannedBatch(plans, known: waiting.known))
  }

  /// The keys of what waits for the answer of a feed, without those that are planned anew.
  func keepHeld(_ key: String, besides planned: Set<String>) -> Set<String> {
    held[key]?.downloads.removeAll { planned.contains($0.plan.key) }
    return Set((held[key]?.downloads ?? []).map(\.plan.key))
  }

  /// Whether a feed is to be asked in this round.
  private func isDue(_ subscription: Subscription) -> Bool {
    let state = states[subscription.firstURL] ?? FeedState()
    if state.isGone, !around.options.refreshes {
      if around.isAskedFor {
        around.report(
          .note(
            "\(subscription.title) has ended: its server answered 410 (Gone). To ask it again, "
              + "subscribe to it again, or use podget sync \(subscription.name) --refresh."))
      }
      return false
    }
    guard around.options.asksDueOnly else { return true }
    if around.options.retriesLogins, state.lastError?.httpStatus == 401 { return true }
    let now = around.now()
    // What is deferred was reported when it began.
    if let url = FeedURL(subscription.feedURL.withoutCredentials),
      deferrals.notBefore(url, state: state, now: now) != nil
    {
      return false
    }
    return pace(of: subscription).isDue(state, now: now)
  }

  /// What to ask a feed; nil if its server wants no request now, which is reported.
  func request(_ feed: FollowedFeed) -> FeedRequest? {
    let now = around.now()
    let subscription = feed.subscription
    var state = states[subscription.firstURL] ?? FeedState()
    if around.options.refreshes { state.refresh() }
    let own = OriginCredentials()
    guard let url = FeedURL(own.take(from: subscription.feedURL.text)) else { return nil }
    // A user who names a feed wants it to be asked, once.
    if !around.isAskedFor, let notBefore = deferrals.notBefore(url, state: state, now: now) {
      guard !around.options.asksDueOnly else { return nil }
      var check = FeedCheck(
        name: subscription.name, podcast: subscription.podcast, feedURL: url, result: .deferred)
      check.notBefore = notBefore
      check.waiting = state.waiting
      around.report(.checked(check))
      return nil
    }
    var asked = state
    if state.waiting > 0, feed.accepts || around.isAskedFor {
      // The list is needed, also if it has not changed: what waited may be there by now.
      asked.needsFullAnswer = true
      asked.bodyDigest = nil
    }
    var request = ConditionalRequest(asked, settingsDigest: feed.settingsDigest, now: now)
    request.isTrusted = around.options.refreshes
    return FeedRequest(
      feed: feed, state: state, request: request, url: url,
      feeds: around.feeds.authorized(by: own).sending(feed.userAgent)
        .preferring(feed.preference), credentials: own)
  }

  /// Logs in, and asks, within the time that a feed has.
  private nonisolated func perform(
    _ request: FeedRequest, in place: FeedPlace
  ) async -> FeedRequest.Response {
    let limit = around.options.feedTimeout
    var (response, isLate) = await Deadline.run(limit, clock: around.clock) {
      await self.performAlone(request, in: place)
    }
    if isLate { response.endLate(after: limit, isAnswered: place.hasAnswer) }
    return response
  }

  private nonisolated func performAlone(
    _ request: FeedRequest, in place: FeedPlace
  ) async -> FeedRequest.Response {
    let subscription = request.feed.subscription
    do throws(PodgetError) {
      if subscription.settings[.passwordCommand] != nil {
        // Other feeds need not wait for its command.
        try await place.aside { () async throws(PodgetError) in
          _ = try await around.logins.logIn(
            to: subscription, isTrusted: around.isTrusted, request.credentials)
        }
      }
    } catch {
      return FeedRequest.Response(
        answer: .failure(FetchFailure(error: error, isTransient: false)), isAsked: false)
    }
    var request = request
    request.feeds = request.feeds.asking(in: place)
    return await request.perform(at: around.now())
  }
}
