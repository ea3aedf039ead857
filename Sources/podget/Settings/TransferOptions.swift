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
    /// The longest file in bytes whose length is not announced; nil is no limit.
    var longestUnknownLength: Int64?
    /// How many bytes stay free on the disk; nil is no limit.
    var keptFreeBytes: Int64?
    /// Whether to skip an episode that another podget is downloading, instead of waiting.
    var skipsBusyEpisodes: Bool
    /// Whether an equal length and overlap are enough to continue a file without a validator.
    var resumesByOverlap: Bool
    /// Whether the SHA-256 of each file is computed.
    var takesChecksums: Bool
    /// Whether files get missing tags.
    var writesTags: Bool
    /// Whether the option says that files get none.
    var forbidsTags: Bool
  }

  @Option(
    name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "Download N episodes at the same time \(SettingTable.jobs.defaultNote).",
      valueName: "n"))
  var jobs: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "At most N of them from one host (default: "
        + "\(SettingTable.jobsPerHost.example), or the value of --jobs).",
      valueName: "n"))
  var jobsPerHost: Int?

  @Option(
    help: ArgumentHelp(
      "Limit all transfers together to this many bytes per second: 500K, 2M.",
      valueName: "rate"))
  var limitRate: String?

  @Option(
    help: ArgumentHelp(
      "Accept at most this many bytes if the server announces no length: 500M, 4G, none "
        + "\(SettingTable.maxUnknownLength.defaultNote).", valueName: "size"))
  var maxUnknownLength: String?

  @Option(
    help: ArgumentHelp(
      "Leave for later what would not leave this much free on the disk: 10G, or none.",
      valueName: "size"))
  var keepFree: String?

  @Flag(
    inversion: .prefixedNo,
    help: """
      Wait for what another podget is downloading, or skip it and exit with status 1 (default: --wait).
      """)
  var wait: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: """
      Continue a file without a strong ETag or Last-Modified if its length and 64 KiB of overlap match.
      """)
  var resumeByOverlap: Bool?

  @Flag(inversion: .prefixedNo, help: "Compute SHA-256 checksums (default: --checksum).")
  var checksum: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "Write missing tags into each file that was downloaded, as podget tag does.")
  var tag: Bool?

  /// The settings of subscriptions that the options replace.
  var replaced: Set<SubscriptionSettings.Name> { tag == nil ? [] : [.tag] }

  func validate() throws {
    try SettingTable.jobs.require(jobs)
    try SettingTable.jobsPerHost.require(jobsPerHost)
    _ = try limitRate.map(SettingTable.limitRate.parse)
    _ = try maxUnknownLength.map(SettingTable.maxUnknownLength.parse)
    _ = try keepFree.map(SettingTable.keepFree.parse)
  }

  /// The settings of transfers.
  ///
  /// Jobs alone set the jobs per host to the same number; jobs per host never exceed the jobs.
  func resolved(_ settings: SettingSources) throws -> Settings {
    let jobs = try settings.given(SettingTable.jobs, option: jobs)
    let perHost = try settings.given(SettingTable.jobsPerHost, option: jobsPerHost)
    let most = try jobs?.value ?? settings.value(SettingTable.jobs)
    return Settings(
      jobs: most,
      jobsPerHost: min(
        try perHost?.value ?? jobs?.value ?? settings.value(SettingTable.jobsPerHost), most),
      bytesPerSecond: try settings.value(
        SettingTable.limitRate,
        option: try limitRate.flatMap(SettingTable.limitRate.parse)),
      longestUnknownLength: try settings.find(
        SettingTable.maxUnknownLength,
        option: try maxUnknownLength.map(SettingTable.maxUnknownLength.parse)
      ).value,
      keptFreeBytes: try settings.find(
        SettingTable.keepFree, option: try keepFree.map(SettingTable.keepFree.parse)
      ).value,
      skipsBusyEpisodes: try settings.value(SettingTable.noWait, option: wait.map(!)),
      resumesByOverlap: try settings.value(
        SettingTable.resumeByOverlap, option: resumeByOverlap),
      takesChecksums: try !settings.value(SettingTable.noChecksum, option: checksum.map(!)),
      writesTags: try settings.value(SettingTable.tag, option: tag), forbidsTags: tag == false)
  }
}
