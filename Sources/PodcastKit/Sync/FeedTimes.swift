import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// When the feeds of a run are asked.
extension SyncStage {
  /// Reads what is remembered of the feeds, as far as it was not read before.
  ///
  /// - Returns: what was read; nil if the run was cancelled.
  func readStates() async -> FeedStateMemory.Change? {
    let (library, states) = (around.library, states)
    let result = await around.disk.look {
      Result { () throws(DiskError) in try states.read(of: library) }
    }
    switch result {
    case nil: return nil
    case .success(let change)?: return change
    case .failure(let error)?:
      // What is not remembered costs full requests, and nothing else.
      around.report(.note(error.podgetError.message))
      return .all
    }
  }

  /// Remembers a state, which is stored by the caller.
  func remember(_ state: FeedState, of feed: String) {
    states[feed] = state
    deferrals.set(feed, state)
  }

  /// Gives feeds their times: all of them, or those that have changed.
  func plan(after change: FeedStateMemory.Change, isFresh: Bool) {
    let now = around.now()
    // A clock that was set back would let them wait.
    let isBack = lastRound.map { now < $0 } ?? true
    lastRound = now
    let list = around.list
    guard !isFresh, !isBack, around.options.asksDueOnly, case .feeds(let feeds) = change else {
      deferrals = Deferrals(states.all)
      timetable = FeedTimetable()
      for subscription in list.chosen { giveTime(to: subscription) }
      return
    }
    var mayAskEarlier = false
    for feed in feeds {
      if deferrals.set(feed, states[feed] ?? FeedState()) { mayAskEarlier = true }
    }
    // Another process has asked a feed, and its server lets the others of the origin be asked too.
    for subscription in mayAskEarlier ? list.chosen : feeds.compactMap({ list[$0] }) {
      giveTime(to: subscription)
    }
  }

  private func giveTime(to subscription: Subscription) {
    timetable.set(
      subscription.firstURL, isDue(subscription) ? .distantPast : nextCheck(of: subscription))
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
    // A time beyond any pace comes from a clock that was wrong, and does not count.
    if let next = state.nextCheck, next > now, !pace(of: subscription).isDue(state, now: now) {
      return next
    }
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

  /// Whether a feed is to be asked in this round.
  func isDue(_ subscription: Subscription) -> Bool {
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
}
