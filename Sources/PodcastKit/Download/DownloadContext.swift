import FoundationEssentials
import PodcastLibrary
import PodcastModel
public import PodcastTransfer

/// The options of downloads; the same for all of a run.
public struct DownloadOptions: Sendable, Hashable {
  /// How often and how soon a failed attempt is retried.
  public var retries = RetryPolicy()
  /// How long a transfer that was so slow that others took its place waits before its next attempt.
  public var slowDelay = Duration.seconds(300)
  /// The maximum number of transfers at the same time.
  public var jobs = 4
  /// The maximum number of transfers at the same time to one host (scheme, host and port).
  public var jobsPerHost = 2
  /// Whether a redirect may lead from https to http.
  public var allowsInsecureRedirects = false
  /// Whether, without a strong validator, an equal length and an equal overlap of 64 KiB are enough
  /// to continue a file.
  public var resumesByOverlap = false
  /// The longest body in bytes whose length the server does not announce; nil is no limit. A longer
  /// one may have no end.
  public var longestUnknownLength: Int64? = 4 << 30
  /// Which file of an episode is downloaded if a feed offers several; nil for the publisher's.
  public var preference: MediaPreference?
  /// What is stored beside episodes.
  public var belongings = Belongings.none
  /// Whether a person asks for that in this run: then what was deleted comes back.
  package var asksForBelongings = false
  /// Whether the SHA-256 of each file is computed during the download.
  public var computesChecksums = true
  /// Whether files get missing tags, for podcasts whose subscriptions do not say it.
  public var writesTags = false
  /// Whether a person says now that files get no tags, also those that were planned with them.
  public var forbidsTags = false
  /// The path of podget, beside which the program that writes tags is; nil for that of the running
  /// program.
  package var program: String?
  /// Whether to wait for an episode that another podget is downloading.
  public var waitsForOthers = true
  /// Whether episodes that the library has are downloaded again.
  public var isForced = false
  /// How many bytes may arrive in a run, in each day if it has no end, before no other download begins;
  /// nil is no limit. What has begun is finished.
  public var maximumBytes: Int64?
  /// What arrived in the run that this one takes the place of; nil if there was none.
  package var arrivedBefore: ArrivedBytes?
  /// How many bytes stay free on the disk of the library; nil is no limit. A download that would take
  /// of them by its announced length does not begin.
  public var keptFreeBytes: Int64?
  /// For how many days a file that a new download replaces stays in the trash; 0 deletes it at once.
  public var trashDays = 7
  /// The settings of subscriptions that count for their podcasts: no option was given instead.
  package var countedSettings = SubscribedSettings.all
  /// How long a pause keeps its connection open.
  public var pauseGrace = Duration.seconds(15)

  /// Creates the default options.
  public init() {}
}

/// Finds the current address of an episode whose stored one was refused; nil when there is none.
public typealias AddressRefresh = @Sendable (DownloadPlan) async -> String?

/// What all downloads of a run share.
struct DownloadContext: Sendable {
  let library: Library
  private(set) var partials: PartialFolder
  let transport: any Transport
  let options: DownloadOptions
  let gate: HostGate
  private(set) var committer: Committer
  let disk: DiskPool
  let blocks: BlockPool
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  let refresh: AddressRefresh?
  let subscribed: SubscribedSettings
  /// Writes tags into files that have been received; nil if none gets any.
  var tags: DownloadTags?

  /// Keeps partial files in another folder from now on.
  mutating func use(_ partials: PartialFolder) {
    self.partials = partials
    committer = Committer(
      library: library, partials: partials, trashDays: options.trashDays,
      keptFree: options.keptFreeBytes, now: now)
  }

  /// What performs requests for episodes of a podcast.
  func transport(for podcast: Podcast) -> any Transport {
    guard let agent = subscribed.own(of: podcast).userAgent else { return transport }
    return UserAgentTransport(transport, agent)
  }
}
