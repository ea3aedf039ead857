import FoundationEssentials
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// How a sync asks one feed.
extension SyncStage {
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
    let isAwaited = state.waiting > 0 && (feed.accepts || around.isAskedFor)
    if isAwaited || unlisted.contains(subscription.firstURL) {
      // The list is needed, also if it has not changed: what waited may be there by now, and lists may
      // have been deleted.
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
}

extension SyncStage.Surroundings {
  /// Logs in, and asks, within the time that a feed has.
  func perform(
    _ request: FeedRequest, in place: FeedPlace
  ) async -> FeedRequest.Response {
    let limit = options.feedTimeout
    var (response, isLate) = await Deadline.run(limit, clock: clock) {
      await performAlone(request, in: place)
    }
    if isLate { response.endLate(after: limit, isAnswered: place.hasAnswer) }
    return response
  }

  private func performAlone(
    _ request: FeedRequest, in place: FeedPlace
  ) async -> FeedRequest.Response {
    let subscription = request.feed.subscription
    do throws(PodgetError) {
      if subscription.settings[.passwordCommand] != nil {
        // Other feeds need not wait for its command.
        try await place.aside { () async throws(PodgetError) in
          _ = try await logins.logIn(
            to: subscription, isTrusted: isTrusted, request.credentials)
        }
      }
    } catch {
      return FeedRequest.Response(
        answer: .failure(FetchFailure(error: error, isTransient: false)), isAsked: false)
    }
    var request = request
    request.feeds = request.feeds.asking(in: place)
    return await request.perform(at: now())
  }
}
