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
    /// Reads the library; nil when the run was cancelled, or the library cannot be used.
    var loadKnown: @Sendable (EpisodeQuery) async -> KnownEpisodes?
  }

  private struct Checked: Sendable {
    var request: FeedRequest
    var response: FeedRequest.Response
  }

  private struct PlannedItem: Hashable {
    var guid: String?
    var url: String
  }

  private struct Failure {
    var feed: FollowedFeed
    var error: PodgetError
    var line: FeedLine
  }

  private let around: Surroundings
  private let batches: AsyncStream<PlannedBatch>.Continuation
  private let writer: FeedStateWriter
  private var states: [String: FeedState] = [:]
  private var deferrals = Deferrals()
  private var round = NetworkRound()
  /// Failures of the network, which are none of the feeds if no host answers.
  private var withheld: [Failure] = []
  private var known: KnownEpisodes?
  /// Whether all of the library is known.
  private var knowsAll = false
  /// How many feeds are taken; for one of them only its own episodes matter.
  private var count = 0
  /// Whether the library cannot be used, which was reported.
  private var isUnusable = false
  /// The episodes planned in this run, by what makes them equal: two feeds may be of one podcast.
  private var planned: Set<PlannedItem> = []
  /// The subscriptions that move; the file is written once.
  private var moves: [(name: String, from: FeedURL, to: FeedURL)] = []

  /// Makes a stage that passes its plans on.
  ///
  /// - Parameters:
  ///   - surroundings: what it needs of its run.
  ///   - states: stores the states of the feeds; the caller stores the last ones.
  ///   - batches: receives the plans.
  init(
    _ surroundings: Surroundings, states: FeedStateWriter,
    batches: AsyncStream<PlannedBatch>.Continuation
  ) {
    around = surroundings
    self.batches = batches
    writer = states
  }

  /// Checks feeds to the end. Cancelling the task ends the requests; feeds that were not decided about
  /// by then stay as they were.
  ///
  /// - Parameter file: takes the moves of subscriptions.
  func check(_ feeds: [FollowedFeed], in file: SubscriptionFile) async -> SyncOutcome {
    count = feeds.count
    var outcome = SyncOutcome()
    guard await loadStates() else { return outcome }
    await continueUnfinished(of: feeds)
    var queue = FeedQueue(feeds)
    around.report(.checking(0, of: feeds.count))
    await withTaskGroup(of: (origin: String, checked: Checked?).self) { group in
      func addNext() {
        while !Task.isCancelled, !isUnusable, let feed = queue.next() {
          guard let request = request(feed) else {
            queue.finish(feed.origin)
            continue
          }
          group.addTask {
            if let error = await self.logIn(request) {
              let failure = FetchFailure(error: error, isTransient: false)
              return (
                feed.origin,
                Checked(
                  request: request,
                  response: .init(answer: .failure(failure), isAsked: false))
              )
            }
            let response = await request.perform()
            return (
              feed.origin,
              Task.isCancelled ? nil : Checked(request: request, response: response)
            )
          }
        }
      }
      addNext()
      for await (origin, checked) in group {
        queue.finish(origin)
        addNext()
        defer { around.report(.checking(feeds.count - queue.left, of: feeds.count)) }
        guard let checked, !Task.isCancelled else { continue }
        await take(checked)
      }
    }
    await storeMoves(in: file)
    if !Task.isCancelled { await settleWithheld() }
    outcome.isNetworkDown = isNetworkDown
    outcome.hasAnswer = round.hasAnswer
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

  /// Whether every host failed, and none answered lately: then it is the network.
  private var isNetworkDown: Bool {
    guard round.isNetworkDown else { return false }
    guard let last = around.options.lastAnswer else { return true }
    return !(0..<Self.answerCounts).contains(around.now().timeIntervalSince(last))
  }

  /// How long, in seconds, an answer of any host shows that the network works.
  private static let answerCounts: Double = 600

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

  /// Continues what was planned for these podcasts and is not finished.
  private func continueUnfinished(of feeds: [FollowedFeed]) async {
    let library = around.library
    guard let unfinished = await around.disk.look({ library.unfinished() }) else { return }
    let ids = Set(feeds.compactMap(\.subscription.id))
    let addresses = Set(feeds.map { FeedIdentity($0.subscription.feedURL) })
    let plans = unfinished.filter { $0.failure == nil }.map(\.plan).filter { plan in
      plan.podcast.id.map(ids.contains) == true
        || plan.podcast.feedURL.map { addresses.contains(FeedIdentity($0)) } == true
    }
    guard !plans.isEmpty,
      let known = await around.loadKnown(.keys(plans.map(\.episodeKey)))
    else { return }
    for feed in feeds {
      // A login by a command comes later, when the feed is asked.
      let own = OriginCredentials()
      _ = own.take(from: feed.subscription.feedURL.text)
      let identity = FeedIdentity(feed.subscription.feedURL)
      for plan in plans where plan.podcast.feedURL.map(FeedIdentity.init) == identity {
        around.credentials.adopt(plan.episode.enclosure.url, from: own)
      }
    }
    batches.yield(PlannedBatch(plans, known: known))
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

  private nonisolated func logIn(_ request: FeedRequest) async -> PodgetError? {
    let feed = request.feed
    do throws(PodgetError) {
      guard
        let login = try await around.options.login(
          feed.subscription, around.isTrusted)
      else { return nil }
      request.credentials.set(
        user: login.user, password: login.password, for: request.url.text)
      return nil
    } catch {
      return error
    }
  }
}

extension SyncStage {
  /// Decides about an answer.
  private func take(_ checked: Checked) async {
    let now = around.now()
    let (request, response) = (checked.request, checked.response)
    let decision: AnswerDecision
    var identified: IdentifiedListing?
    switch response.answer {
    case .failure(let failure) where !response.isAsked:
      decision = AnswerDecision(noAnswer: failure.error, state: request.state, now: now)
    case .failure(let failure):
      round.add(request.url, error: failure.answer == nil ? failure.error.code : nil)
      guard let answer = failure.answer else {
        decision = AnswerDecision(noAnswer: failure.error, state: request.state, now: now)
        break
      }
      decision = AnswerDecision(
        FeedAnswer(answer.head, url: FeedURL(answer.url) ?? request.url, body: .none, now: now),
        to: request.request, state: request.state, now: now)
    case .success(let answer):
      round.add(request.url, error: nil)
      let body: FeedAnswer.Body
      if let document = response.document, document.error == nil {
        guard let found = await identify(document, of: request.feed.subscription) else { return }
        identified = found
        body = .feed(
          contents(document, found, answer.fingerprint?.sha256 ?? "", request, now: now))
      } else {
        body = Self.body(answer)
      }
      var state = request.state
      if case .feed = body { state.bodyBytes = answer.fingerprint?.bytes }
      decision = AnswerDecision(
        FeedAnswer(answer.head, url: FeedURL(answer.url) ?? request.url, body: body, now: now),
        to: request.request, state: state, now: now)
    }
    await settle(decision, checked, identified, now)
  }

  private static func body(_ answer: FeedCatalog.Answer) -> FeedAnswer.Body {
    switch answer.content {
    case .success(.notModified): .none
    case .success(.sameBody): .same
    case .success(.read(.webPage)): .webPage
    case .success(.read(.feed)), .failure: answer.fingerprint?.bytes == 0 ? .none : .broken
    }
  }

  /// The listing of a feed, looked up in the library; nil when the run was cancelled, or the library
  /// cannot be used.
  private func identify(
    _ document: FeedDocument, of subscription: Subscription
  ) async -> IdentifiedListing? {
    var listing = document.listing
    listing.podcast.id = listing.podcast.id ?? subscription.id
    listing.podcast.feedURL = subscription.podcast.feedURL
    if known == nil {
      known = await around.loadKnown(count == 1 ? .podcast(listing.podcast) : .all)
    }
    guard let known else {
      isUnusable = true
      return nil
    }
    return await around.disk.look { [listing] in known.index.identify(listing) }
  }

  private func contents(
    _ document: FeedDocument, _ identified: IdentifiedListing, _ digest: String,
    _ request: FeedRequest, now: Date
  ) -> ListedFeed {
    let subscription = request.feed.subscription
    // Another podcast that is known too is no sign of this one: a feed may lie.
    let own = PodcastIdentity(subscription.podcast)
    var isOwn: [Podcast: Bool] = [:]
    let lookAlikes = document.episodes.count { episode in
      guard let podcast = identified.locals[episode]?.podcast else { return false }
      if let known = isOwn[podcast] { return known }
      let found = PodcastIdentity(podcast).relation(to: own) != nil
      isOwn[podcast] = found
      return found
    }
    var contents = ListedFeed(
      digest: digest, episodes: document.episodes, lookAlikes: lookAlikes,
      known: identified.knownCount, now: now)
    contents.hasPodcastGUID = document.podcastGUID.map { $0 == subscription.guid } ?? false
    contents.hasTitle =
      PodcastIdentity(Podcast(title: document.podcast.title)).title
      == PodcastIdentity(Podcast(title: subscription.title)).title
    contents.isComplete = document.isComplete
    contents.ttl = document.ttl
    contents.announcement = document.newFeedURL
    if document.nextPage != nil {
      // Only the first pages were read: what older ones list is not new.
      contents.keys = Set(contents.keys + request.state.listedKeys.prefix(20_000)).sorted()
    }
    return contents
  }
}

extension SyncStage {
  /// Reports what a decision means, plans what is new, and stores the state.
  private func settle(
    _ decision: AnswerDecision, _ checked: Checked, _ identified: IdentifiedListing?, _ now: Date
  ) async {
    let (feed, url) = (checked.request.feed, checked.request.url)
    let subscription = feed.subscription
    var state = decision.state
    var check = FeedCheck(
      name: subscription.name, podcast: subscription.podcast, feedURL: url, result: .read)
    var plans: [DownloadPlan] = []
    switch decision.result {
    case .failed(let problem):
      await fail(feed, Self.error(problem, of: checked), decision, now)
      return
    case .deferred(let deferral):
      deferrals.add(deferral)
      check.result = .deferred
      check.notBefore = deferral.until
    case .gone: check.result = .gone
    case .unchanged:
      check.result = .unchanged
      state.record(newEpisodes: 0, at: now)
    case .read:
      guard let document = checked.response.document, let identified else { return }
      check.podcast = identified.listing.podcast
      let episodes = document.episodes
      // A regular expression may take for ever: a thread that may be left behind tries it.
      let before = checked.request.state
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
      guard let (chosen, passed) = found else { return }
      if !passed.isEmpty { state.listedKeys.removeAll(where: passed.contains) }
      check.olderAdded = chosen.olderAddedCount
      do throws(PodgetError) {
        guard let planned = try await plan(chosen.wanted.map { episodes[$0] }, identified, feed)
        else { return }
        plans = planned.filter { plan in
          let episode = plan.episode
          return self.planned.insert(
            PlannedItem(guid: episode.guid, url: episode.enclosure.url)
          ).inserted
        }
        for plan in plans {
          around.credentials.adopt(plan.episode.enclosure.url, from: checked.request.credentials)
        }
      } catch {
        // The state stays as it was, so that the next sync sees the same news.
        around.report(.feedFailed(subscription.name, subscription.podcast, error))
        return
      }
      check.newEpisodes = plans.count { identified.locals[$0.episode] == nil }
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
            "Further pages of \(subscription.title) could not be read; the next sync asks for them "
              + "again."))
      }
    }
    await move(&state, &check, decision, checked, now)
    state.nextCheck = around.options.pace.nextCheck(
      after: decision.result, state: state, address: url, now: now)
    states[subscription.firstURL] = state
    around.report(.checked(check))
    let line = Self.line(subscription.firstURL, state, after: checked.request.state)
    guard !plans.isEmpty, let known else { return await store(line) }
    let keys = plans.map(\.key)
    batches.yield(
      PlannedBatch(plans, known: known) { [writer, isDryRun = around.isDryRun] isRecorded in
        if isRecorded, !isDryRun { await writer.add(line, plans: keys) }
      })
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

  /// The plans of chosen episodes without those that the library has; nil when the run was cancelled.
  private func plan(
    _ chosen: [Episode], _ identified: IdentifiedListing, _ feed: FollowedFeed
  ) async throws(PodgetError) -> [DownloadPlan]? {
    guard var known else { return nil }
    while true {
      let state = known
      let result = await around.disk.look {
        Result { () throws(PodgetError) in
          try DownloadPlanner.plans(
            for: chosen, of: identified, template: feed.template, state)
        }
      }
      guard let result else { return nil }
      if let plans = try result.get() {
        guard !around.options.reportsKnown else { return plans }
        return plans.filter { plan in
          state.finished(plan)?.skipReason(for: plan, isForced: false) == nil
        }
      }
      // A new name is needed, and not all of the library is known.
      guard !knowsAll, let all = await around.loadKnown(.all) else { return nil }
      knowsAll = true
      known = all
      self.known = all
    }
  }

  private func fail(
    _ feed: FollowedFeed, _ error: PodgetError, _ decision: AnswerDecision, _ now: Date
  ) async {
    var state = decision.state
    state.lastError = error
    state.nextCheck = around.options.pace.nextCheck(
      after: decision.result, state: state, address: feed.subscription.feedURL, now: now)
    let failure = Failure(
      feed: feed, error: error, line: FeedLine(feed.subscription.firstURL, state))
    if error.code == .network || error.code == .timeout {
      withheld.append(failure)
    } else {
      states[feed.subscription.firstURL] = state
      await report(failure)
    }
  }

  private func report(_ failure: Failure) async {
    let subscription = failure.feed.subscription
    around.report(.feedFailed(subscription.name, subscription.podcast, failure.error))
    await store(failure.line)
  }

  /// Reports failures of the network: as one, if no host answered.
  private func settleWithheld() async {
    guard !withheld.isEmpty else { return }
    guard isNetworkDown else {
      for failure in withheld { await report(failure) }
      return
    }
    // It counts against no feed.
    guard withheld.count > 1 else {
      let subscription = withheld[0].feed.subscription
      around.report(.feedFailed(subscription.name, subscription.podcast, withheld[0].error))
      return
    }
    let hosts = round.failedHosts == 1 ? "The only host" : "None of the \(round.failedHosts) hosts"
    let verb = round.failedHosts == 1 ? "could not be reached" : "could be reached"
    around.report(
      .sourceFailed(
        "network",
        PodgetError(
          withheld[0].error.code,
          "\(hosts) \(verb); the network seems to be down.")))
  }

  private static func error(_ problem: FeedProblem, of checked: Checked) -> PodgetError {
    // The transport knows which host it was, and which part of the feed is broken.
    if case .failure(let failure) = checked.response.answer, problem != .passwordRequired {
      return failure.error
    }
    if problem == .broken {
      if let error = checked.response.document?.error { return error }
      if case .success(let answer) = checked.response.answer,
        case .failure(let error) = answer.content
      {
        return error
      }
    }
    return problem.error
  }
}

extension SyncStage {
  /// Moves the subscription when the answer says so.
  private func move(
    _ state: inout FeedState, _ check: inout FeedCheck, _ decision: AnswerDecision,
    _ checked: Checked, _ now: Date
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
      if let document = await FeedRequest.read(announced, with: checked.request.feeds),
        let found = await identify(document, of: subscription),
        contents(document, found, "", checked.request, now: now)
          .sharesEpisode(with: decision.state)
      {
        target = announced
        keepsValidators = false
      }
    }
    guard let target, target != url else { return }
    moves.append((subscription.name, subscription.feedURL, target))
    state.recordMove(keepsValidators: keepsValidators)
    check.movedTo = target
    check.feedURL = target
  }

  /// Writes the moves. What is lost of them is seen again at the next sync.
  private func storeMoves(in file: SubscriptionFile) async {
    guard !moves.isEmpty, !around.isDryRun else { return }
    let moves = moves
    let result = await around.disk.perform {
      Result { () throws(PodgetError) in
        try file.update { list in
          for move in moves { list.move(move.name, from: move.from, to: move.to) }
        }
      }
    }
    if case .failure(let error) = result {
      around.report(.note("Subscriptions could not be moved: \(error.message)"))
    }
  }
}
