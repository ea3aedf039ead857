import FoundationEssentials
import PodcastFeeds
import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// How a sync moves subscriptions whose feeds have moved.
extension SyncStage {
  /// Moves the subscription when the answer says so.
  func move(
    _ state: inout FeedState, _ check: inout FeedCheck, _ decision: AnswerDecision,
    _ checked: CheckedFeed, _ now: Date
  ) async {
    guard case .success(let answer) = checked.response.answer else { return }
    let subscription = checked.request.feed.subscription
    let url = checked.request.url
    guard subscription.settings[.move] == nil else {
      (state.move, state.waitingMove) = (nil, nil)
      return
    }
    let move = FeedMove(
      from: url, through: answer.hops, decision: decision, hasLogin: subscription.hasLogin,
      now: now)
    // A move counts as made when the file with the subscriptions has it.
    state.move =
      move.note ?? (move.address == decision.state.move?.address ? decision.state.move : nil)
    var target = move.address
    var waiting = move.waiting
    var keepsValidators = true
    if let announced = decision.state.announcement?.address,
      checked.request.waitsToMove(to: announced)
    {
      waiting = waiting ?? announced
    } else if let announced = move.check {
      state.announcement?.lastAsked = now
      let keepsLogin = subscription.hasLogin && FeedMove.changesOrigin(from: url, to: announced)
      var isSame = keepsLogin && checked.response.announcedWantsLogin
      if let document = checked.response.announced,
        let found = await library.identify(document, of: subscription)
      {
        isSame = checked.list(document, found, digest: "", now: now)
          .sharesEpisode(with: decision.state)
      }
      if isSame, keepsLogin {
        waiting = announced
      } else if isSame {
        target = announced
        keepsValidators = false
      }
    }
    var reason = WaitingReason.login
    let wanted = target ?? (waiting == nil ? keptMove(decision, checked) : nil)
    if let wanted, isOtherFollowed(at: wanted, than: subscription) {
      (target, waiting, reason) = (nil, wanted, .merge)
      // What was seen long enough stays so.
      state.move = move.note ?? decision.state.move.flatMap { $0.address == wanted ? $0 : nil }
    } else if let wanted, wanted != url, subscription.staysAwayFrom(wanted) {
      (target, waiting, reason) = (nil, wanted, .back)
      state.move = move.note ?? decision.state.move.flatMap { $0.address == wanted ? $0 : nil }
    }
    wait(toMoveTo: waiting, subscription, reason, &state, &check)
    guard let target, target != url else { return }
    // If the move cannot be written, the next sync asks again.
    if target == state.announcement?.address { state.announcement?.lastAsked = nil }
    moves.add(subscription, to: target)
    if !keepsValidators { state.validators = FeedValidators() }
    check.movedTo = target
    check.feedURL = target
  }

  /// The announced address that waited for the user before, and was not asked this time.
  private func keptMove(_ decision: AnswerDecision, _ checked: CheckedFeed) -> FeedURL? {
    guard checked.response.announced == nil, decision.isGood,
      let waiting = decision.state.waitingMove,
      waiting == decision.state.announcement?.address
    else { return nil }
    return waiting
  }

  /// Whether another podcast is followed at an address, or moves there in this round.
  private func isOtherFollowed(at target: FeedURL, than subscription: Subscription) -> Bool {
    let there = [around.list.subscription(at: target), moves.subscription(movedTo: target)]
    return there.contains { other in
      guard let other, other.name != subscription.name else { return false }
      return !subscription.isOnePodcast(as: other)
    }
  }

  /// Leaves a move to the user, and says so once.
  private func wait(
    toMoveTo target: FeedURL?, _ subscription: Subscription, _ reason: WaitingReason,
    _ state: inout FeedState, _ check: inout FeedCheck
  ) {
    let isKnown = state.waitingMove == target
    state.waitingMove = target
    check.waitingMove = target
    guard let target, !isKnown || around.isAskedFor else { return }
    let (title, name) = (subscription.title, subscription.name)
    let accept = "podget subscribe --accept-move \(name)"
    switch reason {
    case .merge:
      around.report(
        .note(
          "\(title) says that it has moved to \(target), where a podcast with another "
            + "title is followed. Both stay as they are. If they are one podcast, \(accept) makes them "
            + "one subscription."))
    case .login:
      around.report(
        .note(
          "\(title) has moved to \(target), and its login is for another server. It stays "
            + "where it is until \(accept) takes both there."))
    case .back:
      around.report(
        .note(
          "\(title) says that it has moved back to \(target), where it was before. It stays where it "
            + "is until \(accept) takes it there."))
    }
  }

  /// Writes the moves into the file with the subscriptions. What is lost of them is seen again at the
  /// next sync.
  func settleMoves(in file: SubscriptionFile) async {
    let written: [(subscription: Subscription, target: FeedURL)]
    do throws(PodgetError) {
      written = try await moves.store(in: file, around.disk)
    } catch {
      around.report(.note("Subscriptions could not be moved: \(error.message)"))
      return
    }
    for (subscription, target) in written {
      report(.moved(from: subscription.feedURL), of: subscription, at: target)
      guard var state = states[subscription.firstURL] else { continue }
      state.recordMove(keepsValidators: true)
      remember(state, of: subscription.firstURL)
      await store(FeedLine(subscription.firstURL, state))
    }
  }
}

/// Why a move waits for the user.
private enum WaitingReason {
  /// The login is for another origin.
  case login
  /// Another podcast is followed there.
  case merge
  /// The subscription was there before: two feeds may announce each other.
  case back
}
