package import PodcastModel

/// A subscription with what one run wants of it: options of the command line, its own settings and
/// the configuration are settled.
package struct FollowedFeed: Sendable {
  /// The subscription.
  package var subscription: Subscription
  /// Which episodes are wanted.
  package var filter: EpisodeFilter
  /// How new files are named.
  package var template: FilenameTemplate
  /// Differs when other episodes may be wanted of the same feed.
  package var settingsDigest: String
  /// The User-Agent of requests for its feed and its episodes; nil for the usual one.
  package var userAgent: String?
  /// Which file of an episode is wanted; nil for what the run prefers.
  package var preference: MediaPreference?
  /// What is stored beside its episodes.
  package var belongings = Belongings.none
  /// Whether its files get missing tags.
  package var writesTags = false
  /// How many new episodes come at once; more of them wait. Nil if a person accepts all that wait.
  package var mostNew: Int? = NewEpisodes.usualMost
  /// How many of those that wait a person accepts, the newest ones; nil if not a number of them.
  package var mostAccepted: Int?
  /// Whether the subscription's own settings take every episode, without a limit.
  package var takesArchive = false
  /// Whether options of this run alone choose episodes: the next run must see what they leave out.
  package var isOverridden = false

  /// Creates a followed feed.
  package init(
    _ subscription: Subscription, filter: EpisodeFilter, template: FilenameTemplate,
    settingsDigest: String, userAgent: String? = nil
  ) {
    self.subscription = subscription
    self.filter = filter
    self.template = template
    self.settingsDigest = settingsDigest
    self.userAgent = userAgent
  }

  /// Whether what the feed says of its episodes besides is needed.
  var needsDetails: Bool { belongings.needDetails || writesTags }

  /// Whether a person accepts episodes that wait.
  var accepts: Bool { mostNew == nil || mostAccepted != nil }

  /// The host that is asked, as limits count it.
  var origin: String { subscription.host }
}
