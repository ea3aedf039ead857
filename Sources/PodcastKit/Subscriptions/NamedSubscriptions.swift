package import PodcastLibrary
import PodcastModel
import PodcastTransfer

/// What is done with subscriptions that are named: nothing is asked for.
extension Subscriber {
  /// Stops following podcasts; their files stay.
  ///
  /// - Parameters:
  ///   - names: short names, titles, ids, links or addresses of subscriptions.
  ///   - library: follows them.
  ///   - isKept: whether they can be brought back with their settings: no person has removed them.
  ///   - spellings: other addresses under which these can be brought back too, by their names; of other
  ///     hosts none counts.
  ///   - warn: gets a sentence about each thing in the file that has no effect.
  /// - Returns: a result for each name, in order.
  /// - Throws: a ``PodgetError`` when the file cannot be read or written; nothing changes then.
  package static func unsubscribe(
    _ names: [String], from library: Library, isKept: Bool = false,
    spellings: [String: [FeedURL]] = [:],
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) -> [SubscriptionChange] {
    try keepAddresses(of: names, in: library)
    var changes: [SubscriptionChange] = []
    defer { forget(changes.compactMap(\.subscription), in: library) }
    try SubscriptionFile(library, warn: warn).update { list throws(PodgetError) in
      // Each is looked up in the list as it was: with thousands of names, a list that changes for each
      // takes minutes.
      var removed: Set<String> = []
      changes = names.map { name in
        guard let subscription = list.subscription(named: name),
          removed.insert(subscription.name).inserted
        else { return SubscriptionChange(name, .failed, error: notFollowed(name, list)) }
        return SubscriptionChange(name, .unsubscribed, subscription)
      }
      for (name, addresses) in spellings where removed.contains(name) {
        guard var subscription = list.named(name) else { continue }
        let hosts = Set(subscription.addresses.map { $0.parts?.host })
        subscription.remember(addresses.filter { hosts.contains($0.parts?.host) })
        list.replace(subscription)
      }
      list.remove(removed, isKept: isKept)
    }
    return changes
  }

  /// Follows a podcast again as it was followed, with its login and its settings.
  ///
  /// - Throws: a ``PodgetError`` with the code `notFound` if somebody follows it already, or when the
  ///   file cannot be read or written; nothing changes then.
  package static func followAgain(
    _ subscription: Subscription, in library: Library
  ) throws(PodgetError) {
    try SubscriptionFile(library).update { list throws(PodgetError) in
      if let known = list.subscription(of: subscription) {
        throw PodgetError(.notFound, "\(known.title) is followed as \(known.name).")
      }
      var again = subscription
      if list.hasName(again.name) { again.name = list.freeName(for: again.title) }
      // A person has chosen the name, perhaps.
      list.add(again, hasName: true)
    }
  }

  /// Lets podcasts rest, or not any more.
  ///
  /// - Parameters:
  ///   - names: short names, titles, ids, links or addresses of subscriptions.
  ///   - isPaused: whether they rest from now on.
  ///   - library: follows them.
  ///   - warn: gets a sentence about each thing in the file that has no effect.
  /// - Returns: a result for each name, in order.
  /// - Throws: a ``PodgetError`` when the file cannot be read or written; nothing changes then.
  package static func pause(
    _ names: [String], _ isPaused: Bool, in library: Library,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) -> [SubscriptionChange] {
    try change(names, in: library, warn) { subscription, list in
      subscription.settings[.paused] = isPaused ? "true" : nil
      list.replace(subscription)
      return nil
    }
  }

  /// Takes podcasts, and their logins, back to the addresses that they had before they moved.
  ///
  /// - Parameters:
  ///   - names: short names, titles, ids, links or addresses of subscriptions.
  ///   - library: follows them.
  ///   - warn: gets a sentence about each thing in the file that has no effect.
  /// - Returns: a result for each name, in order.
  /// - Throws: a ``PodgetError`` when the file cannot be read or written, or the states of the feeds
  ///   cannot.
  package static func undoMoves(
    of names: [String], in library: Library,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) -> [SubscriptionChange] {
    let changes = try change(names, in: library, warn) { subscription, list in
      guard let earlier = subscription.earlierURLs.first else {
        return PodgetError(.notFound, "It has had no other address.")
      }
      if let other = list.subscription(feed: earlier), other.name != subscription.name {
        return PodgetError(
          .notFound, "\(other.title) is followed at its earlier address.")
      }
      list.move(subscription.name, from: subscription.feedURL, to: earlier, .follows)
      subscription = list.subscription(feed: earlier) ?? subscription
      return nil
    }
    do throws(DiskError) {
      let states = try FeedStateLog.states(of: library)
      let lines = changes.compactMap { change -> FeedLine? in
        guard change.status == .updated, let key = change.subscription?.firstURL,
          var state = states[key]
        else { return nil }
        state.recordMove(keepsValidators: false)
        state.nextCheck = nil
        return FeedLine(key, state)
      }
      try FeedStateLog(library).append(lines)
    } catch {
      throw error.podgetError
    }
    return changes
  }

  /// Notes for podcasts that have moved which addresses they had: their subscriptions, which know that,
  /// are about to go, and each podcast would be several.
  private static func keepAddresses(
    of names: [String], in library: Library
  ) throws(PodgetError) {
    var list = try SubscriptionFile(library).read()
    let moved = names.compactMap { list.subscription(named: $0) }.filter { !$0.earlierURLs.isEmpty }
    guard !moved.isEmpty else { return }
    let facts = try library.podcastFacts()
    let podcasts = LibraryPodcasts(
      library.reading().episodes.lazy.map(\.podcast), subscriptions: list.subscriptions)
    let lines = moved.compactMap { subscription -> PodcastFact? in
      let known = podcasts.podcasts(of: .subscription(subscription.name))
      guard Set(known.compactMap { PodcastIdentity($0).feed }).count > 1,
        let key = facts.key(for: known)
      else { return nil }
      return PodcastFact(key, names: known)
    }
    try library.say(lines, after: facts)
  }

  /// Changes subscriptions.
  ///
  /// - Parameter change: changes one of them in the list; an error is the result for its name.
  private static func change(
    _ names: [String], in library: Library, _ warn: @escaping @Sendable (String) -> Void,
    _ change: (inout Subscription, inout SubscriptionList) -> PodgetError?
  ) throws(PodgetError) -> [SubscriptionChange] {
    var changes: [SubscriptionChange] = []
    try SubscriptionFile(library, warn: warn).update { list throws(PodgetError) in
      changes = names.map { name in
        guard let before = list.subscription(named: name) else {
          return SubscriptionChange(name, .failed, error: notFollowed(name, list))
        }
        var after = before
        if let error = change(&after, &list) {
          return SubscriptionChange(name, .failed, before, error: error)
        }
        return SubscriptionChange(name, after == before ? .unchanged : .updated, after)
      }
    }
    return changes
  }

  /// Forgets what feeds listed, but not when their servers want to be asked again: who follows a
  /// podcast later wants its newest episodes, and not all since then.
  private static func forget(_ subscriptions: [Subscription], in library: Library) {
    guard !subscriptions.isEmpty, let states = try? FeedStateLog.states(of: library) else { return }
    let lines = subscriptions.compactMap { subscription -> FeedLine? in
      guard let state = states[subscription.firstURL] else { return nil }
      var forgotten = FeedState()
      forgotten.notBefore = state.notBefore
      forgotten.deferredOrigin = state.deferredOrigin
      return FeedLine(subscription.firstURL, forgotten)
    }
    // A state that stays costs a download too many at most.
    try? FeedStateLog(library).append(lines)
  }
}
