import ArgumentParser
import PodcastKit

/// The options that `download` and `resume` share, in one group.
struct CommonOptions: ParsableArguments {
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Transfers") var transfers: TransferOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var credentials: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var run: RunOptions

  /// The settings of a run.
  func settings(
    _ sources: SettingSources, media: MediaOptions, isForced: Bool = false
  ) throws -> DownloadSession.Settings {
    try DownloadSession.Settings(
      sources, library: library, transfers: transfers, media: media, network: network,
      directory: directory, passwords: credentials.passwords, credentials: credentials,
      output: output, run: run, isForced: isForced)
  }
}

extension DownloadSession.Settings {
  /// The settings of a run from its options and their settings.
  init(
    _ sources: SettingSources, library: LibraryOptions, transfers: TransferOptions,
    media: MediaOptions? = nil, network: NetworkOptions, directory: DirectoryOptions,
    passwords: PasswordOptions,
    credentials: CredentialOptions? = nil, output: OutputOptions, run: RunOptions,
    isForced: Bool = false
  ) throws {
    let counted = network.counted.subtracting(media?.replaced ?? [])
      .subtracting(transfers.replaced)
    let network = try network.resolved(sources)
    let transfers = try transfers.resolved(sources)
    var downloads = DownloadOptions()
    downloads.isForced = isForced
    downloads.countedSettings = counted
    downloads.preference = try sources.find(SettingTable.prefer, option: media?.given ?? nil).value
    downloads.belongings = try sources.value(SettingTable.with, option: try media?.belongings)
    downloads.asksForBelongings = try media?.belongings != nil
    downloads.retries = network.retries
    downloads.jobs = transfers.jobs
    downloads.jobsPerHost = transfers.jobsPerHost
    downloads.allowsInsecureRedirects = network.allowsInsecureRedirects
    downloads.resumesByOverlap = transfers.resumesByOverlap
    downloads.longestUnknownLength = transfers.longestUnknownLength
    downloads.keptFreeBytes = transfers.keptFreeBytes
    downloads.computesChecksums = transfers.takesChecksums
    downloads.waitsForOthers = !transfers.skipsBusyEpisodes
    downloads.writesTags = transfers.writesTags
    downloads.forbidsTags = transfers.forbidsTags
    downloads.trashDays = try sources.value(SettingTable.trashDays)
    let directory = try directory.resolved(sources)
    var session = network.session(naming: directory.namedURLs)
    session.bytesPerSecond = transfers.bytesPerSecond
    self.init(
      libraryPath: try library.resolved(sources),
      directory: directory, network: network,
      session: session, downloads: downloads, output: try output.resolved(sources),
      options: try run.resolved(sources), credentials: credentials,
      passwordLimit: try passwords.limit(sources))
  }
}
