import ArgumentParser
import PodcastKit

/// The options for transfers.
struct TransferOptions: ParsableArguments {
  /// The settings of transfers.
  struct Settings: Equatable {
    /// The maximum number of transfers at the same time.
    var jobs: Int
    /// The maximum number of them to one host.
    var jobsPerHost: Int
    /// The maximum number of bytes per second for all transfers of episodes together; nil is no
    /// limit.
    var bytesPerSecond: Int64?
    /// Whether to skip an episode that another podget is downloading, instead of waiting.
    var skipsBusyEpisodes: Bool
    /// Whether an equal length and overlap are enough to continue a file without a validator.
    var resumesByOverlap: Bool
    /// Whether the SHA-256 of each file is computed.
    var takesChecksums: Bool
  }

  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp("Download N episodes at the same time (default: 4).", valueName: "n"))
  var jobs: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "At most N from one host (default: 2, or the value of --jobs).", valueName: "n"))
  var jobsPerHost: Int?

  @Option(
    help: ArgumentHelp(
      "Limit all transfers together to this many bytes per second: 500K, 2M.",
      valueName: "rate"))
  var limitRate: String?

  @Flag(help: "Skip what another podget is downloading, and exit with status 1.")
  var noWait = false

  @Flag(help: "Continue a file that has no validator if its length and 64 KiB of overlap match.")
  var resumeByOverlap = false

  @Flag(help: "Do not compute SHA-256 checksums.")
  var noChecksum = false

  func validate() throws {
    try Self.check(jobs, "--jobs")
    try Self.check(jobsPerHost, "--jobs-per-host")
    _ = try limitRate.map { try Self.rate($0, "--limit-rate") }
  }

  /// The settings: the options, otherwise PODGET_JOBS and PODGET_JOBS_PER_HOST, otherwise the
  /// defaults.
  ///
  /// --jobs alone sets the jobs per host to the same number; jobs per host never exceed the jobs.
  func resolved(environment: [String: String]) throws -> Settings {
    let environment = Environment(environment)
    let jobs = try jobs ?? environment.number("PODGET_JOBS")
    let jobsPerHost = try jobsPerHost ?? environment.number("PODGET_JOBS_PER_HOST")
    try Self.check(jobs, "PODGET_JOBS")
    try Self.check(jobsPerHost, "PODGET_JOBS_PER_HOST")
    let rate = try limitRate.map { try Self.rate($0, "--limit-rate") }
    let inheritedRate = try environment.text("PODGET_LIMIT_RATE").map {
      try Self.rate($0, "PODGET_LIMIT_RATE")
    }
    return Settings(
      jobs: jobs ?? 4, jobsPerHost: min(jobsPerHost ?? jobs ?? 2, jobs ?? 4),
      bytesPerSecond: rate ?? inheritedRate,
      skipsBusyEpisodes: noWait, resumesByOverlap: resumeByOverlap, takesChecksums: !noChecksum)
  }

  private static func rate(_ text: String, _ name: String) throws -> Int64 {
    let bytes = (try? ByteSize(option: text))?.bytes ?? 0
    try ValidationError.require(bytes > 0, name, "bytes a second, such as 500K or 2M")
    return bytes
  }

  private static func check(_ jobs: Int?, _ name: String) throws {
    try ValidationError.require((1...256).contains(jobs ?? 1), name, "a number from 1 to 256")
  }
}
