package import FoundationEssentials

/// What the answer to a feed's request means, and what is remembered after it.
package struct AnswerDecision: Sendable, Hashable {
  /// The minimum time between the two answers 410 that end a feed: a mistake of a day is corrected.
  package static let goneTime: Double = 24 * 3600
  /// How many equal bodies in answer to validators lead to the next step of ``ValidatorUse``.
  package static let equalBodyLimit = 2

  /// What the check brought.
  package private(set) var result: FeedResult
  /// What is remembered, except for the news and the next check, which follow from the episodes.
  package private(set) var state: FeedState
  /// Whether the answer is a feed that shares an episode with what is known; for ``FeedMove``.
  package private(set) var sharesEpisode = false
  /// When the feed was asked before.
  private let lastChecked: Date?

  /// Decides about an answer.
  ///
  /// - Parameters:
  ///   - answer: the answer after redirects and retries.
  ///   - request: what was asked.
  ///   - state: what was remembered before.
  package init(
    _ answer: FeedAnswer, to request: ConditionalRequest, state: FeedState, now: Date
  ) {
    self.state = state
    lastChecked = state.lastChecked
    result = .unchanged
    self.state.lastChecked = now
    switch answer.status {
    case 304: notModified(answer, request, now)
    case 200..<300: success(answer, request, now)
    default: refusal(answer, now)
    }
  }

  /// Decides about a request without an answer.
  package init(noAnswer error: PodgetError, state: FeedState, now: Date) {
    self.state = state
    lastChecked = state.lastChecked
    result = .unchanged
    self.state.lastChecked = now
    fail(.noAnswer(error), now)
  }

  /// Whether the feed is known to be as it should be.
  package var isGood: Bool {
    switch result {
    case .unchanged, .read: true
    case .deferred, .gone, .failed: false
    }
  }
}

extension AnswerDecision {
  private mutating func notModified(
    _ answer: FeedAnswer, _ request: ConditionalRequest, _ now: Date
  ) {
    guard request.isConditional else {
      state.validators = FeedValidators()
      fail(.notModifiedUnasked, now)
      return
    }
    // RFC 9111, 4.3.4: a 304 updates what it has, and the rest stays.
    state.validators.etag = answer.validators.etag ?? state.validators.etag
    state.validators.lastModified = answer.validators.lastModified ?? state.validators.lastModified
    state.equalBodies = 0
    unchanged(answer)
  }

  private mutating func success(
    _ answer: FeedAnswer, _ request: ConditionalRequest, _ now: Date
  ) {
    switch answer.body {
    case .none: failUnread(.emptyBody, now)
    case .broken: failUnread(.broken, now)
    case .webPage: failUnread(.webPage, now)
    case .same:
      countEqualBody(request, now)
      bringValidators(answer, now)
      unchanged(answer)
    case .feed(let contents):
      if contents.items.isEmpty, !state.listed.isEmpty || contents.known > 0 {
        failUnread(.noEpisodes, now)
      } else if let evidence = evidence(for: contents) ?? (request.isTrusted ? .person : nil) {
        sharesEpisode = evidence == .sharedEpisode || contents.lookAlikes > 0
        bringValidators(answer, now)
        state.equalBodies = 0
        state.settingsDigest = request.settingsDigest
        take(contents, now)
        succeed(answer)
        result = .read(evidence)
      } else {
        failUnread(.anotherPodcast, now)
      }
    }
  }

  private mutating func refusal(_ answer: FeedAnswer, _ now: Date) {
    let deferral = Deferral(
      status: answer.status, retryAfter: answer.retryAfter, url: answer.url, now: now)
    if let deferral {
      state.notBefore = deferral.until
      state.deferredOrigin = deferral.origin
      state.move = nil
      result = .deferred(deferral)
      return
    }
    switch answer.status {
    case 401: fail(.passwordRequired, now)
    case 410: seeGone(now)
    default: fail(.refused(status: answer.status), now)
    }
  }

  private mutating func seeGone(_ now: Date) {
    let since = state.goneSince.map { min($0, now) } ?? now
    state.validators = FeedValidators()
    fail(.refused(status: 410), now)
    state.goneSince = since
    if now.timeIntervalSince(since) >= Self.goneTime {
      state.isGone = true
      result = .gone
    }
  }
}

extension AnswerDecision {
  /// Why a list is one of the same podcast; nil if it is another one.
  private func evidence(for contents: ListedFeed) -> FeedResult.Evidence? {
    if state.listed.isEmpty {
      // The state may be lost: the library knows the podcast all the same.
      let isOther =
        contents.known > 0 && contents.lookAlikes == 0 && !contents.hasTitle
        && !contents.hasPodcastGUID
      return isOther ? nil : .firstTime
    }
    if state.listed.shares(contents.items, at: contents.places) { return .sharedEpisode }
    // Only the newest few of a long list may be known, and only the end of a long library listed.
    let half = (min(contents.items.count, contents.known) + 1) / 2
    if half > 0, contents.lookAlikes >= half { return .lookAlikes }
    if contents.hasPodcastGUID { return .podcastGUID }
    if contents.hasTitle, let oldest = contents.oldest, let newest = state.newest, oldest > newest {
      return .rolledOver
    }
    return nil
  }

  private mutating func take(_ contents: ListedFeed, _ now: Date) {
    state.bodyDigest = contents.digest
    state.listed.merge(
      contents.items, places: contents.places, at: now, lastChecked: lastChecked)
    // A copy that is older than the last one must not make its news new again.
    state.newest = [state.newest.map { min($0, now) }, contents.newest].compactMap(\.self).max()
    state.rhythm = contents.rhythm
    state.isComplete = contents.isComplete
    state.ttl = contents.ttl
    if state.announcement?.address != contents.announcement {
      state.announcement = contents.announcement.map { FeedState.Announcement(address: $0) }
    }
    state.lastRead = now
  }

  private mutating func bringValidators(_ answer: FeedAnswer, _ now: Date) {
    state.validators = answer.validators
    state.validatorsSince = now
    state.needsFullAnswer = false
  }

  private mutating func countEqualBody(_ request: ConditionalRequest, _ now: Date) {
    guard request.isConditional else { return }
    let use = ConditionalRequest.use(state, now: now)
    if use != state.validatorUse {
      state.validatorUse = use
      state.equalBodies = 0
    }
    state.equalBodies = min(max(state.equalBodies, 0), 99) + 1
    guard state.equalBodies >= Self.equalBodyLimit else { return }
    state.equalBodies = 0
    state.validatorUse = use.next(for: state.validators)
    state.validatorUseSince = now
  }

  private mutating func unchanged(_ answer: FeedAnswer) {
    sharesEpisode = !state.listed.isEmpty
    succeed(answer)
    result = .unchanged
  }

  private mutating func succeed(_ answer: FeedAnswer) {
    state.maxAge = answer.lifetime
    state.failures = 0
    state.lastError = nil
    state.failingSince = nil
    state.failureReported = nil
    state.notBefore = nil
    state.deferredOrigin = nil
    state.goneSince = nil
  }

  /// After an unreadable body a server may answer 304 to its validators, or to older ones, and so
  /// hide the episodes that it had.
  private mutating func failUnread(_ problem: FeedProblem, _ now: Date) {
    state.needsFullAnswer = true
    fail(problem, now)
  }

  private mutating func fail(_ problem: FeedProblem, _ now: Date) {
    state.failures = min(max(state.failures, 0), 999_999) + 1
    state.lastError = problem.error
    state.failingSince = state.failingSince ?? now
    state.notBefore = nil
    state.deferredOrigin = nil
    // A move needs every sync to see it.
    state.move = nil
    result = .failed(problem)
  }
}
