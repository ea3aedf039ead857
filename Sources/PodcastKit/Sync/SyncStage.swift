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
    /// The time of day (UTC).
    var now: @Sendable () -> Date
    /// Whether only the user can have written the file with the subscriptions.
    var isTrusted: Bool
    /// Whether the user named the subscriptions.
    var isNamed: Bool
    /// Whether nothing is changed.
    var isDryRun: Bool
    var report: @Sendable (RunEvent) -> Void
  }

  private let around: Surroundings
  private let batches: AsyncStream<PlannedBatch>.Continuation
  private let writer: FeedStateWriter
  private var states: [String: FeedState] = [:]
  private var deferrals = Deferrals()
  private var failures: NetworkFailures
  private let library: SyncLibrary
  private var moves = SubscriptionMoves()

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
    failures = NetworkFailures(lastAnswer: surroundings.options.lastAnswer)
  }

  /// Checks feeds to the end. Cancelling the task ends the requests; feeds that were not decided about
  /// by then stay as they were.
  ///
  /// - Parameter file: takes the moves of subscriptions.
  func check(_ feeds: [FollowedFeed], in file: SubscriptionFile) async -> SyncOutcome {
    guard await loadStates() else { return SyncOutcome() }
    async let continued: Void = continueUnfinished(of: feeds)
    var queue = FeedQueue(feeds)
    around.report(.checking(0, of: feeds.count))
    await withTaskGroup(of: (origin: String, checked: CheckedFeed?).self) { group in
      func addNext() {
        while !Task.isCancelled, let feed = queue.next() {
          guard let request = request(feed) else {
            queue.finish(feed.origin)
            continue
          }
          group.addTask {
            let response = await self.perform(request)
            let checked = CheckedFeed(request: request, response: response)
            return (feed.origin, Task.isCancelled ? nil : checked)
          }
        }
      }
      addNext()
      for await (origin, checked) in group {
        queue.finish(origin)
        if await !library.isUnusable { addNext() }
        defer { around.report(.checking(feeds.count - queue.left, of: feeds.count)) }
        guard let checked, !Task.isCancelled else { continue }
        await take(checked)
      }
    }
    await continued
    if !around.isDryRun, let problem = await moves.store(in: file, around.disk) {
      around.report(.note(problem))
    }
    if !Task.isCancelled { await settleFailures() }
    var outcome = SyncOutcome()
    outcome.isNetworkDown = failures.isNetworkDown(at: around.now())
    outcome.hasAnswer = failures.hasAnswer
    outcome.nextCheck = feeds.compactMap { nextCheck(of: $0) }.min()
    return outcome
  }
}

extension SyncStage {
  /// When a feed is asked again; nil for never. What was not decided about waits a little too:
  /// nothing is asked without end.
  private func nextCheck(of feed: FollowedFeed) -> Date? {
    let now = around.now()
    let state = states[feed.subscription.firstURL] ?? FeedState()
    if state.isGone { return nil }
    let address = FeedURL(feed.subscription.feedURL.withoutCredentials)
    if let address, let until = deferrals.notBefore(address, state: state, now: now) {
      return until
    }
    if let next = state.nextCheck, next > now { return next }
    let pause = around.options.pace.interval ?? .seconds(60)
    return now.addingTimeInterval(pause / .seconds(1))
  }

  private func loadStates() async -> Bool {
    let library = around.library
    let result = await around.disk.look {
      Result { () throws(DiskError) in try FeedStateLog.states(of: library) }
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

  /// Continues what was planned for these podcasts and is not finished, each when its login is there:
  /// without it an episode would only be refused.
  private func continueUnfinished(of feeds: [FollowedFeed]) async {
    let batch = await library.unfinished(
      of: feeds, retriesAll: around.isNamed, now: around.now())
    guard let batch else { return }
    let parts = PlansByLogin(batch.plans, of: feeds.map(\.subscription))
    if !parts.others.isEmpty { batches.yield(PlannedBatch(parts.others, known: batch.known)) }
    for (subscription, plans) in parts.own {
      let own = OriginCredentials()
      do throws(PodgetError) {
        try await around.logins.logIn(to: subscription, isTrusted: around.isTrusted, own)
      } catch {
        // The check of the feed reports it.
        continue
      }
      for plan in plans { around.credentials.adopt(plan.episode.enclosure.url, from: own) }
      batches.yield(PlannedBatch(plans, known: batch.known))
    }
  }

  /// What to ask a feed; nil if it is not asked now, which is reported where that matters.
  private func request(_ feed: FollowedFeed) -> FeedRequest? {
    let now = around.now()
    let subscription = feed.subscription
    let state = states[subscription.firstURL] ?? FeedState()
    if state.isGone {
      if around.isNamed {
        around.report(
          .note(
            "\(subscription.title) has ended: its server answered 410 (Gone). To ask it again, "
              + "subscribe to it again."))
      }
      return nil
    }
    if around.options.asksDueOnly, !around.options.pace.isDue(state, now: now) { return nil }
    let own = OriginCredentials()
    guard let url = FeedURL(own.take(from: subscription.feedURL.text)) else { return nil }
    if let notBefore = deferrals.notBefore(url, state: state, now: now) {
      var check = FeedCheck(
        name: subscription.name, podcast: subscription.podcast, feedURL: url, result: .deferred)
      check.notBefore = notBefore
      around.report(.checked(check))
      return nil
    }
    return FeedRequest(
      feed: feed, state: state,
      request: ConditionalRequest(state, settingsDigest: feed.settingsDigest, now: now), url: url,
      feeds: around.feeds.authorized(by: own), credentials: own)
  }

  /// Logs in, and asks.
  private nonisolated func perform(_ request: FeedRequest) async -> FeedRequest.Response {
    do throws(PodgetError) {
      try await around.logins.logIn(
        to: request.feed.subscription, isTrusted: around.isTrusted, request.credentials)
    } catch {
      return FeedRequest.Response(
        answer: .failure(FetchFailure(error: error, isTransient: false)), isAsked: false)
    }
    return await request.perform(at: around.now())
  }
}

extension SyncStage {
  /// Decides about an answer.
  private func take(_ answer: CheckedFeed) async {
    var checked = answer
    let now = around.now()
    if checked.response.isAsked {
      failures.add(checked.request.url, error: checked.unanswered?.code)
    }
    var identified: IdentifiedListing?
    if let document = checked.completeDocument {
      guard
        let found = await library.identify(document, of: checked.request.feed.subscription)
      else { return }
      identified = found
      if remembersAnother(checked, document) { checked.request.state.forgetList() }
    }
    let decision = checked.decision(identified, now: now)
    await settle(decision, checked, identified, now)
  }
}

extension SyncStage {
  /// Whether what is remembered of a feed is another followed podcast, and this answer is the one
  /// that the user follows: the first answer of all was wrong.
  private func remembersAnother(_ checked: CheckedFeed, _ document: FeedDocument) -> Bool {
    let (subscription, state) = (checked.request.feed.subscription, checked.request.state)
    let remembered = Set(state.listedKeys)
    guard !remembered.isEmpty,
      PodcastIdentity(document.podcast).title == PodcastIdentity(subscription.podcast).title,
      remembered.isDisjoint(with: ListedKey.keys(of: document.episodes))
    else { return false }
    return states.contains { feed, other in
      feed != subscription.firstURL
        && 2 * other.listedKeys.count(where: remembered.contains) >= remembered.count
    }
  }

  /// Reports what a decision means, plans what is new, and stores the state.
  private func settle(
    _ decision: AnswerDecision, _ checked: CheckedFeed, _ identified: IdentifiedListing?,
    _ now: Date
  ) async {
    let (feed, url) = (checked.request.feed, checked.request.url)
    let subscription = feed.subscription
    var state = decision.state
    var check = FeedCheck(
      name: subscription.name, podcast: subscription.podcast, feedURL: url, result: .read)
    var batch: PlannedBatch?
    switch decision.result {
    case .failed(let problem):
      return await fail(feed, checked.error(of: problem), decision, now)
    case .deferred(let deferral):
      deferrals.add(deferral)
      check.result = .deferred
      check.notBefore = deferral.until
    case .gone: check.result = .gone
    case .unchanged:
      check.result = .unchanged
      state.record(newEpisodes: 0, at: now)
    case .read:
      guard let document = checked.response.document, let identified,
        let planned = await plan(document, identified, checked, &state, &check, now)
      else { return }
      batch = planned
    }
    await move(&state, &check, decision, checked, now)
    state.nextCheck = around.options.pace.nextCheck(
      after: decision.result, state: state, address: url, now: now)
    states[subscription.firstURL] = state
    around.report(.checked(check))
    let line = Self.line(subscription.firstURL, state, after: checked.request.state)
    guard var batch, !batch.plans.isEmpty else { return await store(line) }
    let keys = batch.plans.map(\.key)
    batch.whenRecorded = { [writer, isDryRun = around.isDryRun] isRecorded in
      if isRecorded, !isDryRun { await writer.add(line, plans: keys) }
    }
    batches.yield(batch)
  }

  /// Plans what a feed that was read has to download; nil when the run was cancelled, or nothing can
  /// be planned, which is reported. The state then stays as it was: the next sync sees the same news.
  private func plan(
    _ document: FeedDocument, _ identified: IdentifiedListing, _ checked: CheckedFeed,
    _ state: inout FeedState, _ check: inout FeedCheck, _ now: Date
  ) async -> PlannedBatch? {
    let (feed, before) = (checked.request.feed, checked.request.state)
    let episodes = document.episodes
    // A regular expression may take forever: a thread that may be left behind tries it.
    let found = await around.disk.look {
      let looksKnown = episodes.map { identified.locals[$0] != nil }
      let chosen = NewEpisodes(
        in: episodes, looksKnown: looksKnown, state: before, filter: feed.filter, now: now)
      // Options of one run must not hide episodes from the next one.
      let passed =
        feed.isOverridden
        ? chosen.keysPassedOver(in: episodes, looksKnown: looksKnown, state: before) : []
      return (chosen, passed)
    }
    guard let (chosen, passed) = found else { return nil }
    let batch: PlannedBatch
    do throws(PodgetError) {
      let planned = try await library.plans(
        for: chosen.wanted.map { episodes[$0] }, of: identified, feed,
        reportsKnown: around.options.reportsKnown)
      guard let planned else { return nil }
      batch = planned
    } catch {
      let subscription = feed.subscription
      around.report(.feedFailed(subscription.name, subscription.podcast, error))
      return nil
    }
    for plan in batch.plans {
      around.credentials.adopt(plan.episode.enclosure.url, from: checked.request.credentials)
    }
    check.podcast = identified.listing.podcast
    check.olderAdded = chosen.olderAddedCount
    check.newEpisodes = batch.plans.count { identified.locals[$0.episode] == nil }
    if !passed.isEmpty { state.listedKeys.removeAll(where: passed.contains) }
    if case .success(let answer) = checked.response.answer {
      state.bodyBytes = answer.fingerprint?.bytes
    }
    state.record(newEpisodes: check.newEpisodes, at: now)
    if let note = DownloadPlanner.note(about: identified.listing, limit: 0) {
      around.report(.note(note))
    }
    if checked.response.isIncomplete {
      state.needsFullAnswer = true
      // As with other settings, all pages are wanted again.
      state.settingsDigest = nil
      around.report(
        .note(
          "Further pages of \(feed.subscription.title) could not be read; the next sync asks for "
            + "them again."))
    }
    return batch
  }

  private func store(_ line: FeedLine) async {
    if !around.isDryRun { await writer.add(line) }
  }

  /// A feed that is as it was needs only the time of the check.
  private static func line(_ feed: String, _ state: FeedState, after before: FeedState) -> FeedLine
  {
    var unchanged = before
    unchanged.lastChecked = state.lastChecked
    unchanged.nextCheck = state.nextCheck
    unchanged.quietChecks = state.quietChecks
    return unchanged == state ? FeedLine(feed, checked: state) : FeedLine(feed, state)
  }

  private func fail(
    _ feed: FollowedFeed, _ error: PodgetError, _ decision: AnswerDecision, _ now: Date
  ) async {
    var state = decision.state
    state.lastError = error
    state.nextCheck = around.options.pace.nextCheck(
      after: decision.result, state: state, address: feed.subscription.feedURL, now: now)
    let failure = NetworkFailures.Failure(
      feed: feed, error: error, line: FeedLine(feed.subscription.firstURL, state))
    guard !failures.take(failure) else { return }
    states[feed.subscription.firstURL] = state
    await report(failure)
  }

  private func report(_ failure: NetworkFailures.Failure) async {
    around.report(failure.event)
    await store(failure.line)
  }

  /// Reports failures of the network: as one, if no host answered.
  private func settleFailures() async {
    if failures.isNetworkDown(at: around.now()) {
      if let event = failures.event { around.report(event) }
    } else {
      for failure in failures.failures { await report(failure) }
    }
  }
}

extension SyncStage {
  /// Moves the subscription when the answer says so.
  private func move(
    _ state: inout FeedState, _ check: inout FeedCheck, _ decision: AnswerDecision,
    _ checked: CheckedFeed, _ now: Date
  ) async {
    guard case .success(let answer) = checked.response.answer else { return }
    let subscription = checked.request.feed.subscription
    let url = checked.request.url
    let move = FeedMove(from: url, through: answer.hops, decision: decision, now: now)
    state.move = move.note
    var target = move.address
    var keepsValidators = true
    if let announced = move.check {
      state.announcement?.lastAsked = now
      if let document = checked.response.announced,
        let found = await library.identify(document, of: subscription),
        checked.list(document, found, digest: "", now: now).sharesEpisode(with: decision.state)
      {
        target = announced
        keepsValidators = false
      }
    }
    guard let target, target != url else { return }
    moves.add(subscription, to: target)
    state.recordMove(keepsValidators: keepsValidators)
    check.movedTo = target
    check.feedURL = target
  }
}
