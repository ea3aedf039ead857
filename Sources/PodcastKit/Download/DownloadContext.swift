import FoundationEssentials
import PodcastLibrary
import PodcastModel
public import PodcastTransfer

/// How downloads behave; the same for all of a run.
public struct DownloadOptions: Sendable {
  /// How often and how soon a failed attempt is followed by another.
  public var retries = RetryPolicy()
  /// How many transfers run at once, in all.
  public var jobs = 4
  /// How many transfers run at once to one host (scheme, host and port).
  public var jobsPerHost = 2
  /// Whether a redirect may lead from https to http.
  public var allowsInsecureRedirects = false
  /// Whether, without a strong validator, an equal length and an equal overlap of 64 KiB are enough
  /// to continue a file.
  public var resumesByOverlap = false
  /// Whether the SHA-256 of each file is computed while it arrives.
  public var computesChecksums = true
  /// Whether an episode that another podget is fetching is waited for.
  public var waitsForOthers = true
  /// Whether episodes that the library holds are fetched again.
  public var isForced = false
  /// How long a pause holds its connection before it lets it go.
  public var pauseGrace = Duration.seconds(15)

  /// Makes the usual options.
  public init() {}
}

/// Finds the present address of an episode whose stored one was refused; nil when there is none.
public typealias AddressRefresh = @Sendable (DownloadPlan) async -> String?

/// What every download of a run shares.
struct DownloadContext: Sendable {
  let library: Library
  let partials: PartialFolder
  let transport: any Transport
  let options: DownloadOptions
  let gate: HostGate
  let committer: Committer
  let disk: DiskPool
  let blocks: BlockPool
  let clock: any Clock<Duration>
  let now: @Sendable () -> Date
  let refresh: AddressRefresh?

  /// How often, five times a second, a download waits for file descriptors when it runs alone.
  static let descriptorPatience = 25
}
