package import FoundationEssentials
package import PodcastLibrary
package import PodcastModel
import PodcastTransfer

/// A subscription with what is remembered of its feed.
package struct FollowedPodcast: Sendable {
  /// How it is with the feed; the raw values are the contract with scripts.
  package enum Status: String, Sendable, Hashable, CaseIterable {
    /// It is asked at each sync.
    case active
    /// It has ended, and is not asked until it is subscribed again.
    case gone
    /// The last check failed.
    case failing
    /// The user lets it rest: it is asked only when it is named.
    case paused
  }

  /// The subscription.
  package var subscription: Subscription
  /// How it is with the feed.
  package var status: Status
  /// When the feed was last asked (UTC).
  package var lastChecked: Date?
  /// When it last had a new episode (UTC).
  package var lastNew: Date?
  /// Why the last check failed; nil after a good one.
  package var lastError: PodgetError?
  /// How many new episodes wait until a person accepts them.
  package var waiting: Int
  /// The address to which the feed has moved, while the subscription waits for the user because of its
  /// login, or because another podcast is followed there.
  package var waitingMove: FeedURL?
  /// When `sync --watch` and `sync --due` ask it again (UTC); nil for at once, and for never.
  package var nextCheck: Date?
  /// The first of the failed checks in a row (UTC); nil after a good one.
  package var failingSince: Date?
  /// How many checks in a row have failed.
  package var failures: Int
  /// Until when its server wants no request (UTC); nil if it may be asked.
  package var deferredUntil: Date?
  /// The address that it had before; nil if it never moved.
  package var movedFrom: FeedURL?
  /// The first of the answers that it has ended (UTC); nil without one.
  package var goneSince: Date?

  /// All subscriptions of a library, in order. It blocks on the disk.
  ///
  /// - Parameters:
  ///   - now: the time of day.
  ///   - warn: gets a sentence about each thing in the file that has no effect.
  /// - Throws: a ``PodgetError`` when the file with the subscriptions cannot be read.
  package static func all(
    in library: Library, at now: Date = Date(),
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(PodgetError) -> [FollowedPodcast] {
    let subscriptions = try SubscriptionFile(library, warn: warn).read().subscriptions
    // What is not remembered is not known; the subscriptions are.
    let states = (try? FeedStateLog.states(of: library)) ?? [:]
    return all(subscriptions, states, at: now)
  }

  /// Subscriptions in order, with what is remembered of their feeds.
  ///
  /// - Parameters:
  ///   - states: by the addresses first subscribed.
  ///   - now: the time of day.
  package static func all(
    _ subscriptions: [Subscription], _ states: [String: FeedState], at now: Date
  ) -> [FollowedPodcast] {
    let deferrals = Deferrals(states)
    return subscriptions.map { subscription in
      let state = states[subscription.firstURL] ?? FeedState()
      let isPaused = subscription.settings[.paused] != nil
      let address = FeedURL(subscription.feedURL.withoutCredentials) ?? subscription.feedURL
      return FollowedPodcast(
        subscription: subscription,
        status: state.isGone
          ? .gone : isPaused ? .paused : state.failures > 0 ? .failing : .active,
        lastChecked: state.lastChecked, lastNew: state.lastNew, lastError: state.lastError,
        waiting: state.waiting, waitingMove: subscription.waitingMove(in: state),
        nextCheck: state.isGone || isPaused ? nil : state.nextCheck,
        failingSince: state.failingSince, failures: state.failures,
        deferredUntil: deferrals.notBefore(address, state: state, now: now),
        movedFrom: subscription.earlierURLs.first, goneSince: state.goneSince)
    }
  }
}
