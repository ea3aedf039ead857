import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What follows from the answers to a sync's requests: reports, plans, states and moves.
extension SyncStage {
  /// Decides about an answer.
  func take(_ answer: CheckedFeed) async {
    var checked = answer
    let now = around.now()
    let key = checked.request.feed.subscription.firstURL
    // On every path; what the feed lists has been released by then.
    defer { release(key, checked) }
    if checked.response.isAsked {
      failures.add(
        checked.request.url, error: checked.unanswered?.code,
        // Where all feeds are asked, and no host answers, it is the network all the same.
        failedBefore: around.options.asksDueOnly && checked.request.state.failures > 0)
    }
    if checked.response.isAsked, case .success(let answer) = checked.response.answer {
      serverClock.take(answer.head, from: FeedURL(answer.url)?.parts, at: now)
    }
    var identified: IdentifiedListing?
    var items: [ListedItem] = []
    var places: [Int?] = []
    if let document = checked.completeDocument {
      guard
        let found = await library.identify(document, of: checked.request.feed.subscription)
      else { return }
      identified = found
      items = ListedItem.items(of: document.episodes)
      places = checked.request.state.listed.places(of: items)
      if remembersAnother(checked, document, items, at: places) {
        checked.request.state.forgetList()
        places = Array(repeating: nil, count: items.count)
      }
    }
    let decision = checked.decision(identified, items, at: places, now: now)
    await settle(decision, checked, identified, items, at: places, now)
  }
}

extension SyncStage {
  /// Whether what is remembered of a feed is another followed podcast, and this answer is the one
  /// that the user follows: the first answer of all was wrong.
  private func remembersAnother(
    _ checked: CheckedFeed, _ document: FeedDocument, _ items: [ListedItem], at places: [Int?]
  ) -> Bool {
    let (subscription, state) = (checked.request.feed.subscription, checked.request.state)
    let remembered = Set(state.listed.keys)
    guard !remembered.isEmpty,
      PodcastIdentity(document.podcast).title == PodcastIdentity(subscription.podcast).title,
      !state.listed.shares(items, at: places)
    else { return false }
    return states.all.contains { feed, other in
      feed != subscription.firstURL
        && 2 * other.listed.keys.count(where: remembered.contains) >= remembered.count
    }
  }

  /// Reports what a decision means, plans what is new, and stores the state.
  private func settle(
    _ decision: AnswerDecision, _ checked: CheckedFeed, _ identified: IdentifiedListing?,
    _ items: [ListedItem], at places: [Int?], _ now: Date
  ) async {
    let (feed, url) = (checked.request.feed, checked.request.url)
    let subscription = feed.subscription
    var state = decision.state
    var check = FeedCheck(
      name: subscription.name, podcast: subscription.podcast, feedURL: url, result: .read)
    var batch: PlannedBatch?
    switch decision.result {
    case .failed(let problem):
      return await fail(checked, checked.error(of: problem), decision, now)
    case .deferred(let deferral):
      check.result = .deferred
      check.notBefore = deferral.until
    case .gone: check.result = .gone
    case .unchanged:
      check.result = .unchanged
      state.record(newEpisodes: 0, at: now)
    case .read:
      guard let document = checked.response.document, let identified,
        let planned = await plan(
          document, identified, items, at: places, checked, &state, &check, now)
      else { return }
      batch = planned
    }
    state.waiting = state.listed.waitingCount
    check.waiting = max(state.waiting, check.newlyWaiting)
    check.remindsOfWaiting = !around.options.asksDueOnly
    await move(&state, &check, decision, checked, now)
    state.nextCheck = pace(of: feed.subscription).nextCheck(
      after: decision.result, state: state, address: url, now: now)
    remember(state, of: subscription.firstURL)
    around.report(.checked(check))
    if decision.result == .gone { report(.gone, of: subscription, at: url) }
    let line = Self.line(subscription.firstURL, state, after: checked.request.state)
    var listing: ListedStore.Listing?
    if let identified, [.read, .unchanged].contains(check.result) {
      listing = self.listing(identified, at: places, checked, state)
    }
    if [.read, .unchanged].contains(check.result) {
      await continueBelongings(of: checked, identified, besides: batch?.plans ?? [])
    }
    guard var batch, !batch.plans.isEmpty else { return await store(line, listing) }
    let keys = batch.plans.map(\.key)
    let (key, before) = (subscription.firstURL, checked.request.state)
    batch.whenRecorded = { [writer, listing, isDryRun = around.isDryRun] isRecorded in
      if !isRecorded {
        await self.forget(key, before)
      } else if !isDryRun {
        await writer.add(line, plans: keys, listing: listing)
      }
    }
    pass(batch)
  }

  /// Plans what a feed that was read has to download; nil when the run was cancelled, or nothing can
  /// be planned, which is reported. The state then stays as it was: the next sync sees the same news.
  func plan(
    _ document: FeedDocument, _ identified: IdentifiedListing, _ items: [ListedItem],
    at places: [Int?], _ checked: CheckedFeed, _ state: inout FeedState, _ check: inout FeedCheck,
    _ now: Date
  ) async -> PlannedBatch? {
    let (feed, before) = (checked.request.feed, checked.request.state)
    let episodes = document.episodes
    let hasNewSettings = before.settingsDigest != feed.settingsDigest
    // A regular expression may take forever: a thread that may be left behind tries it.
    let found = await around.disk.look {
      let looksKnown = episodes.map { identified.locals[$0] != nil }
      return NewEpisodes(
        in: episodes, items, at: places, looksKnown: looksKnown, state: before, filter: feed.filter,
        hasNewSettings: hasNewSettings, takesArchive: feed.takesArchive, most: feed.mostNew,
        mostAccepted: feed.mostAccepted, now: now)
    }
    guard let chosen = found else { return nil }
    var batch: PlannedBatch
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
    addBelongings(to: &batch, of: document, feed)
    for address in batch.plans.flatMap(\.addresses) {
      around.credentials.adopt(address, from: checked.request.credentials)
    }
    await releaseListed(episodes, identified, checked, besides: batch)
    check.podcast = identified.listing.podcast
    check.olderAdded = chosen.olderAddedCount
    check.newEpisodes = batch.plans.count { identified.locals[$0.episode] == nil }
    check.newlyWaiting = chosen.newlyWaitingCount
    state.listed.setWaiting(chosen.waiting, released: chosen.released)
    // What waits may be on further pages, and a stale copy may lack it.
    if document.nextPage == nil, checked.response.pagesError == nil {
      check.unlistedWaiting = max(0, state.listed.waitingCount - chosen.listedWaitingCount)
    }
    if feed.isOverridden, before.lastRead != nil { leave(chosen.passedOver, to: before, &state) }
    if case .success(let answer) = checked.response.answer {
      state.bodyBytes = answer.fingerprint?.bytes
    }
    state.record(newEpisodes: check.newEpisodes, at: now)
    if let note = DownloadPlanner.note(about: identified.listing, limit: 0) {
      around.report(.note(note))
    }
    if let error = checked.response.pagesError {
      state.needsFullAnswer = true
      if hasNewSettings {
        // All pages are wanted again.
        state.settingsDigest = nil
      } else {
        // Otherwise the next sync would stop at the page that was read.
        (state.listed, state.newest) = (before.listed, before.newest)
        state.bodyDigest = nil
      }
      // What was read counts all the same.
      let subscription = feed.subscription
      around.report(.feedFailed(subscription.name, subscription.podcast, error))
    }
    return batch
  }

  /// Continues what is unfinished of a feed that was read, at the addresses that it lists now.
  private func releaseListed(
    _ episodes: [Episode], _ identified: IdentifiedListing, _ checked: CheckedFeed,
    besides batch: PlannedBatch
  ) async {
    let key = checked.request.feed.subscription.firstURL
    let keys = keepHeld(key, besides: Set(batch.plans.map(\.key)))
    guard !keys.isEmpty else { return }
    let listed = episodes.filter { episode in
      identified.locals[episode].map { keys.contains($0.plan.key) } ?? false
    }
    let plans = try? await library.plans(
      for: listed, of: identified, checked.request.feed, reportsKnown: false)
    release(key, checked, listed: plans?.plans ?? [])
  }

  /// Options of one run must not hide episodes from the next one. Leaves episodes to the next run,
  /// which has the settings of the last one: it reads the complete feed again, and sees them as this
  /// run did.
  private func leave(
    _ passed: Set<ListedItem>, to before: FeedState, _ state: inout FeedState
  ) {
    state.settingsDigest = before.settingsDigest
    guard !passed.isEmpty else { return }
    state.listed.remove(passed)
    state.newest = before.newest
    state.needsFullAnswer = true
    state.bodyDigest = nil
  }

  /// Forgets an answer whose episodes could not be recorded.
  private func forget(_ key: String, _ before: FeedState) { remember(before, of: key) }

  func store(_ line: FeedLine, _ listing: ListedStore.Listing? = nil) async {
    if !around.isDryRun { await writer.add(line, listing: listing) }
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
    _ checked: CheckedFeed, _ error: PodgetError, _ decision: AnswerDecision, _ now: Date
  ) async {
    let feed = checked.request.feed
    var state = decision.state
    state.lastError = error
    state.waitingMove = checked.refusedMove ?? state.waitingMove
    state.nextCheck = pace(of: feed.subscription).nextCheck(
      after: decision.result, state: state, address: feed.subscription.feedURL, now: now)
    // People read each failure of a sync that they start.
    let isNews = !around.options.asksDueOnly || checked.request.state.isNews(error, at: now)
    if isNews { state.failureReported = now }
    let failure = NetworkFailures.Failure(
      feed: feed, error: error, state: state, isNews: isNews,
      isFirst: checked.request.state.failures == 0)
    guard checked.unanswered == nil || !failures.take(failure) else { return }
    await report(failure)
  }

  /// Reports what has changed about a feed. A dry run changes nothing.
  func report(_ kind: FeedChange.Kind, of subscription: Subscription, at url: FeedURL) {
    guard !around.isDryRun else { return }
    around.report(
      .feedChanged(
        FeedChange(
          name: subscription.name, podcast: subscription.podcast,
          feedURL: FeedURL(url.withoutCredentials) ?? url, kind: kind)))
  }

  func report(_ failure: NetworkFailures.Failure) async {
    let key = failure.feed.subscription.firstURL
    remember(failure.state, of: key)
    around.report(failure.event)
    if failure.isFirst {
      let subscription = failure.feed.subscription
      report(.failing(failure.error), of: subscription, at: subscription.feedURL)
    }
    await store(FeedLine(key, failure.state))
  }

  /// Reports failures of the network: as one, if no host answered.
  func settleFailures() async {
    if failures.isNetworkDown(at: around.now()) {
      if let event = failures.event { around.report(event) }
    } else {
      for failure in failures.failures { await report(failure) }
    }
  }
}
