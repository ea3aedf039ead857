public import FoundationEssentials
package import PodcastModel
package import PodcastTransfer

/// What a sync wants of the podcasts that are followed, and how it checks their feeds.
public struct SyncOptions: Sendable {
  /// What is wanted of a podcast, where its subscription does not say.
  public var rules = FollowingRules()
  /// What counts in this run before the settings of subscriptions.
  package var overrides = FollowingOverrides()
  /// The most bytes of all podcasts together that have no limit of their own; the oldest episodes are
  /// removed first. Nil, and a number below 1, for no limit.
  public var maximumSize: Int64?
  /// How many days what is removed by rule stays in the trash; 0 deletes it immediately, and a number
  /// below 0 counts as 7.
  public var trashDays = 7
  /// Whether episodes are reported that the library has already.
  public var reportsKnown = false
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
  public var refetchesMissing: Bool?
  /// The same for subscriptions that do not say.
  package var usuallyRefetchesMissing = false
  /// How often each feed is checked by ``DownloadRun/watch(_:_:)``; nil for a pace of its own between 15
  /// minutes and a day. Less than a second counts as one.
  public var interval: Duration?
  /// Whether feeds whose login was refused are due: somebody may have given another one.
  package var retriesLogins = false
  /// What earlier rounds remember of the network.
  package var network = NetworkMemory()
  /// Whether a library that follows no podcast is no failure.
  public var allowsEmpty = false
  /// How long the check of one feed may take: with redirects, retries, waits and further pages.
  public var feedTimeout = Duration.seconds(600)
  /// Whether an earlier round of the same run has checked feeds.
  package var isLaterRound = false
  /// The folders whose subscriptions are taken, with those in folders in them; empty for all.
  public var categories: [String] = []
  /// The part of the subscriptions that is taken; nil for all.
  package var shard: Shard?

  /// Creates the usual options.
  public init() {}

  /// Whether there is a rule for what is removed besides those of subscriptions.
  var hasRetention: Bool {
    maximumSize != nil || rules.keep != nil || rules.olderThan != nil || rules.removesPlayed
  }

  /// When feeds are due again.
  var pace: CheckPace { CheckPace(interval: interval.map { max($0, .seconds(1)) }) }

  /// Whether files of a podcast that were deleted without podget are downloaded again.
  func refetchesMissing(of subscription: Subscription) -> Bool {
    refetchesMissing ?? subscription.settings[.refetchMissing].map { $0 == "true" }
      ?? usuallyRefetchesMissing
  }
}

/// One round of checks.
package struct SyncRound: Sendable {
  /// What is wanted, and how feeds are checked.
  package var options: SyncOptions
  /// Logs in to feeds; another round asks for passwords again.
  package var logins = SubscriptionLogins()
  /// The origins that a person named: those of the addresses first subscribed are added.
  package var namedOrigins = NamedOrigins()

  /// Creates a round.
  package init(_ options: SyncOptions = SyncOptions()) { self.options = options }
}

/// What came of a round of checks.
public struct SyncOutcome: Sendable {
  /// Whether every host that was asked failed without an answer.
  public package(set) var isNetworkDown = false
  /// What the next round needs to know of the network.
  package var network = NetworkMemory()
  /// What the servers that answered say about the clock of this machine.
  var serverClock = ServerClock.silent
  /// Whether the run cannot go on: there is nothing to check.
  public package(set) var cannotGoOn = false
  /// The subscriptions, and what is remembered of their feeds; nil if they could not be read.
  package var following: (subscriptions: [Subscription], states: FeedStateMemory)?
  /// When the first feed is due again (UTC); nil for never.
  public package(set) var nextCheck: Date?

  /// The outcome of a round in which nothing happened.
  package init() {}
}
