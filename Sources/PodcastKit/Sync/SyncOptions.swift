package import FoundationEssentials
package import PodcastModel

/// How feeds are checked.
package struct SyncOptions: Sendable {
  /// Whether episodes are reported that the library has already.
  package var reportsKnown = false
  /// Whether only feeds are asked whose next check is due, as `--watch` does.
  package var asksDueOnly = false
  /// The settings of subscriptions that count: the user gave no option instead for this run.
  package var countedSettings = SubscribedSettings.all
  /// Whether subscriptions may have an interval of their own: the user gave none for this run.
  package var usesOwnIntervals = true
  /// Whether what servers have said of the feeds is forgotten first, and their lists are believed.
  package var refreshes = false
  /// Whether files that were deleted without podget are downloaded again, for all subscriptions; nil
  /// for what each wants.
  package var refetchesMissing: Bool?
  /// The same for subscriptions that do not say.
  package var usuallyRefetchesMissing = false
  /// When feeds are due again.
  package var pace = CheckPace()
  /// Whether feeds whose login was refused are due: somebody may have given another one.
  package var retriesLogins = false
  /// What earlier rounds remember of the network.
  package var network = NetworkMemory()
  /// Whether a library that follows no podcast is no failure.
  package var allowsEmpty = false
  /// How long the check of one feed may take: with redirects, retries, waits and further pages.
  package var feedTimeout = Duration.seconds(600)
  /// Whether an earlier round of the same run has checked feeds.
  package var isLaterRound = false
  /// The folders whose subscriptions are taken, with those in folders in them; empty for all.
  package var categories: [String] = []
  /// The part of the subscriptions that is taken; nil for all.
  package var shard: Shard?

  /// Creates the usual options.
  package init() {}

  /// Whether files of a podcast that were deleted without podget are downloaded again.
  func refetchesMissing(of subscription: Subscription) -> Bool {
    refetchesMissing ?? subscription.settings[.refetchMissing].map { $0 == "true" }
      ?? usuallyRefetchesMissing
  }
}

/// One round of checks.
package struct SyncRound: Sendable {
  /// How feeds are checked.
  package var options: SyncOptions
  /// Logs in to feeds; another round asks for passwords again.
  package var logins = SubscriptionLogins()
  /// What is removed by rule after the downloads; nil for nothing.
  package var retention: SyncRetention?
  /// What the run wants of a subscription; an error is one of its feed.
  package var follow: @Sendable (Subscription) throws(PodgetError) -> FollowedFeed

  /// Creates a round.
  package init(
    options: SyncOptions = SyncOptions(),
    follow: @escaping @Sendable (Subscription) throws(PodgetError) -> FollowedFeed
  ) {
    self.options = options
    self.follow = follow
  }
}

/// What `--watch` needs to know of a round.
package struct SyncOutcome: Sendable {
  /// Whether every host that was asked failed without an answer.
  package var isNetworkDown = false
  /// What the next round needs to know of the network.
  package var network = NetworkMemory()
  /// What the servers that answered say about the clock of this machine.
  var serverClock = ServerClock.silent
  /// Whether the run cannot go on: there is nothing to check.
  package var cannotGoOn = false
  /// The subscriptions, and what is remembered of their feeds; nil if they could not be read.
  package var following: (subscriptions: [Subscription], states: FeedStateMemory)?
  /// When the first feed is due again; nil for never.
  package var nextCheck: Date?

  /// The outcome of a round in which nothing happened.
  package init() {}
}
