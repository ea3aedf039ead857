import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// One feed's request with what came, and what that means.
struct CheckedFeed: Sendable {
  var request: FeedRequest
  var response: FeedRequest.Response

  /// The feed, if one came that does not break off.
  var completeDocument: FeedDocument? {
    response.document.flatMap { $0.error == nil ? $0 : nil }
  }

  /// The error of a request without any answer; nil if one arrived, or nothing was asked.
  var unanswered: PodgetError? {
    guard case .failure(let failure) = response.answer, failure.answer == nil,
      response.isAsked, !response.isAnswered
    else { return nil }
    return failure.error
  }

  /// What the answer means.
  ///
  /// - Parameters:
  ///   - identified: the complete feed, looked up in the library; nil if there is none.
  ///   - items: its episodes as they are remembered.
  ///   - places: for each of them the place of the remembered one that it is.
  func decision(
    _ identified: IdentifiedListing?, _ items: [ListedItem], at places: [Int?], now: Date
  ) -> AnswerDecision {
    let (head, url, body): (ResponseHead, String, FeedAnswer.Body)
    switch response.answer {
    case .failure(let failure):
      guard let answer = failure.answer else {
        return AnswerDecision(noAnswer: failure.error, state: request.state, now: now)
      }
      (head, url, body) = (answer.head, answer.url, .none)
    case .success(let answer):
      (head, url) = (answer.head, answer.url)
      if let document = completeDocument, let identified {
        let digest = answer.fingerprint?.sha256 ?? ""
        var list = list(document, identified, items, digest: digest, now: now)
        list.places = places
        body = .feed(list)
      } else {
        body = Self.body(answer)
      }
    }
    return AnswerDecision(
      FeedAnswer(head, url: FeedURL(url) ?? request.url, body: body, now: now),
      to: request.request, state: request.state, now: now)
  }

  /// The error of a problem. The transport knows which host it was, and which part of the feed is
  /// broken.
  func error(of problem: FeedProblem) -> PodgetError {
    switch response.answer {
    case .failure(let failure) where problem != .passwordRequired: return failure.error
    case .failure(let failure): return loginElsewhere(failure) ?? problem.error
    case .success(let answer) where problem == .broken:
      if let error = response.document?.error { return error }
      if case .failure(let error) = answer.content { return error }
    default: break
    }
    return problem.error
  }

  /// Where the feed has moved to, if the server there wants a login and the subscription has one for
  /// another origin.
  var refusedMove: FeedURL? {
    guard case .failure(let failure) = response.answer, failure.answer?.head.status == 401,
      request.feed.subscription.hasLogin
    else { return nil }
    return FeedMove.refused(from: request.url, through: failure.hops)
  }

  /// The error of an answer 401 from an origin that the subscription's login was not given for; nil if
  /// it was.
  private func loginElsewhere(_ failure: FetchFailure) -> PodgetError? {
    let subscription = request.feed.subscription
    guard subscription.hasLogin, let answered = failure.answer.flatMap({ FeedURL($0.url) }),
      let here = request.url.parts?.origin, let there = answered.parts?.origin
    else { return nil }
    let given = subscription.settings[.passwordCommand] == nil ? here : subscription.loginOrigin
    guard given != there else { return nil }
    let login = given.map { "the login that was given for \($0)" } ?? "a login"
    let remedy = PodgetError.Remedy.acceptMove(subscription.name)
    if let target = refusedMove {
      return PodgetError(
        .httpStatus, "The feed has moved to \(target.withoutCredentials), which wants \(login).",
        httpStatus: 401, remedy: remedy)
    }
    return PodgetError(
      .httpStatus, "\(there) wants \(login).", httpStatus: 401,
      remedy: there == here ? remedy : nil)
  }

  /// What decisions need of a list.
  ///
  /// - Parameters:
  ///   - document: the feed at the subscription's address, or at one that it announces.
  ///   - identified: the same, looked up in the library.
  ///   - items: its episodes as they are remembered; nil if they are not made yet.
  ///   - digest: the SHA-256 of the body.
  func list(
    _ document: FeedDocument, _ identified: IdentifiedListing, _ items: [ListedItem]? = nil,
    digest: String, now: Date
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
    var list = ListedFeed(
      digest: digest, episodes: document.episodes, items: items, lookAlikes: lookAlikes,
      known: identified.knownCount, now: now)
    list.hasPodcastGUID = document.podcastGUID.map { $0 == subscription.guid } ?? false
    list.hasTitle = PodcastIdentity(document.podcast).title == own.title
    list.isComplete = document.isComplete
    list.ttl = document.ttl
    list.announcement = document.newFeedURL
    return list
  }

  private static func body(_ answer: FeedCatalog.Answer) -> FeedAnswer.Body {
    switch answer.content {
    case .success(.notModified): .none
    case .success(.sameBody): .same
    case .success(.read(.webPage)): .webPage
    case .success(.read(.feed)), .failure: answer.fingerprint?.bytes == 0 ? .none : .broken
    }
  }
}
