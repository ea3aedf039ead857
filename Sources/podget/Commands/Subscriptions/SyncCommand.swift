import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget sync`: check the subscriptions and download what is new.
struct SyncCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Download the new episodes of the podcasts that are followed.",
    usage: "podget sync [<options>] [<subscription> ...]",
    discussion: """
      For each subscription it downloads the newest episodes \(SettingTable.latest.defaultNote) at \
      the first sync and after a change of its settings, and at every sync each episode that the feed \
      has not listed within the last year. Unfinished downloads continue; what was removed stays \
      removed. Options override the settings of the subscriptions for this run.

      If a feed has more than \(SettingTable.maxNew.defaultText) new episodes at once (--max-new), \
      they wait: it is more often a mistake of the host. podget sync NAME --accept downloads them, \
      and with --latest N the newest N of them.

      After the downloads it removes what keep, older-than, max-size and played of the subscriptions \
      and the configuration say, but nothing that is starred. Removed files go to the trash.

      With --watch it repeats until a signal ends it: each feed at its own pace, between 15 minutes \
      and a day. SIGHUP makes it read the configuration and the subscriptions again.
      """)

  @Argument(help: SourceArguments.help("Only these podcasts", valueName: "subscription"))
  var names: [String] = []

  @Flag(
    help: "Download the new episodes of the named podcasts that wait because they are very many.")
  var accept = false

  @Flag(
    help: ArgumentHelp(
      "Forget what servers said of the named podcasts, and read their whole feeds.",
      discussion: """
        Validators, redirects, failures and the end of a feed are forgotten, and the feed is taken as \
        that of the podcast, whatever it lists. What was listed before is not new again.
        """))
  var refresh = false

  @Option(
    help: ArgumentHelp(
      "Let new episodes of a podcast wait if there are more at once; none lets none wait.",
      valueName: "n"))
  var maxNew: String?

  @Option(
    help: ArgumentHelp(
      "Leave for later what is more than this in the run, and with --watch in a day: 2G, or none.",
      valueName: "size"))
  var maxBytes: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Download files again that were deleted without podget.")
  var refetchMissing: Bool?

  @Flag(help: "Repeat until a signal ends it.")
  var watch = false

  @Flag(help: "Succeed also if the library follows no podcast.")
  var allowEmpty = false

  @Flag(help: "Check only the feeds that are due, as --watch does; for timers and cron.")
  var due = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Only the podcasts in this folder of the subscriptions; may be repeated.", valueName: "name"))
  var category: [String] = []

  @Option(
    help: ArgumentHelp(
      "With --watch or --due, check every podcast this often: 30m, 1h.", valueName: "duration"),
    transform: { try SettingTable.interval.parse(option: $0) ?? .zero })
  var interval: Duration?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Give up on a feed that takes longer than this, with retries and further pages "
        + "\(SettingTable.feedTimeout.defaultNote).",
      valueName: "seconds"))
  var feedTimeout: Double?

  @Option(
    help: ArgumentHelp(
      "Take only this part of the subscriptions, for several processes or machines: 2/5.",
      valueName: "k/n"),
    transform: { try Shard(option: $0) })
  var shard: Shard?

  @Option(
    name: .customLong("status"),
    help: ArgumentHelp(
      "Write what podget status --json shows into this file after each round of checks.",
      valueName: "file"), completion: .file())
  var statusFile: String?

  @Option(
    help: ArgumentHelp(
      "Write the same for the textfile collector of Prometheus: a file that ends in .prom.",
      valueName: "file"), completion: .file())
  var metrics: String?

  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Selection") var media: MediaOptions
  @OptionGroup(title: "Names") var template: TemplateOptions
  @OptionGroup(title: "Names") var layout: LayoutOptions
  @OptionGroup(title: "Hooks") var hooks: HookOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Transfers") var transfers: TransferOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var passwords: PasswordOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var run: RunOptions

  func validate() throws {
    try ValidationError.requireNames(names)
    try SettingTable.feedTimeout.require(feedTimeout)
    _ = try mostNew
    _ = try maxBytes.map(SettingTable.maxBytes.parse)
    if interval != nil, !watch, !due {
      throw ValidationError("--interval requires --watch or --due.")
    }
    if statusFile?.isEmpty == true { throw ValidationError("--status is empty.") }
    if metrics?.isEmpty == true { throw ValidationError("--metrics is empty.") }
    if category.contains(where: \.isEmpty) { throw ValidationError("--category is empty.") }
    if accept, names.isEmpty {
      throw ValidationError("--accept requires the names of subscriptions.")
    }
    if refresh, names.isEmpty {
      throw ValidationError("--refresh requires the names of subscriptions.")
    }
    if refresh, watch { throw ValidationError("--refresh and --watch cannot be used together.") }
    if refresh, due { throw ValidationError("--refresh and --due cannot be used together.") }
    if accept, watch { throw ValidationError("--accept and --watch cannot be used together.") }
    if watch, run.dryRun { throw ValidationError("--watch and --dry-run cannot be used together.") }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let options = try options(configured, at: context.now())
    var session = DownloadSession(settings: try settings(configured), context: context)
    session.checksFeeds = true
    let watcher = SyncWatcher(self, options, in: session)
    if watch {
      session.rounds = DownloadSession.Rounds(
        next: { watcher.next() }, readAgain: { watcher.readAgain() })
    }
    async let _: Void = watcher.live()
    var outcome = await session.run(names, refreshesAddresses: false) { run, names in
      await watcher.check(run, names)
    }
    if watcher.lacksStatus { outcome.hasFailed = true }
    return outcome
  }

  /// The settings of a run.
  func settings(_ sources: SettingSources) throws -> DownloadSession.Settings {
    var settings = try DownloadSession.Settings(
      sources, library: library, transfers: transfers, network: network, directory: directory,
      passwords: passwords, output: output, run: run)
    settings.downloads.maximumBytes = try sources.find(
      SettingTable.maxBytes, option: try maxBytes.map(SettingTable.maxBytes.parse)
    ).value
    settings.hooks = try hooks.resolved(sources)
    settings.accountInterval = try sources.value(SettingTable.accountInterval)
    settings.remedyWithoutLibrary = allowEmpty ? nil : .followOneOrNone
    return settings
  }

  /// What is wanted of the podcasts, and how their feeds are checked.
  func options(_ sources: SettingSources, at now: Date) throws -> SyncOptions {
    // Two that contradict each other are an error of each feed, unless no subscription has its own.
    _ = try selection.filter(now: now, sources)
    var options = SyncOptions()
    options.overrides.episodes = selection.choice
    if template.template != nil || layout.layout != nil {
      options.overrides.template = try template.given(sources, layout)
    }
    options.overrides.mostNew = try mostNew
    options.overrides.preference = try media.given
    options.overrides.belongings = try media.belongings
    options.overrides.writesTags = transfers.tag
    options.rules = try FollowingRules(sources, options.overrides)
    options.overrides.accepts = accept
    options.maximumSize = try sources.find(SettingTable.maxSize).value
    options.trashDays = try sources.value(SettingTable.trashDays)
    options.reportsKnown = try output.resolved(sources).verbose
    options.asksDueOnly = due
    options.refreshes = refresh
    options.categories = category
    options.countedSettings = network.counted.subtracting(media.replaced)
    if maxBytes != nil { options.countedSettings.remove(.maxBytes) }
    options.usesOwnIntervals = interval == nil
    options.refetchesMissing = refetchMissing
    options.usuallyRefetchesMissing = try sources.value(
      SettingTable.refetchMissing, option: refetchMissing)
    options.interval = try sources.value(SettingTable.interval, option: interval)
    options.shard = shard
    options.allowsEmpty = allowEmpty
    options.feedTimeout = .seconds(
      try sources.value(SettingTable.feedTimeout, option: feedTimeout))
    return options
  }

  /// The value of --max-new; nil if it is not given.
  private var mostNew: Int?? {
    get throws { try maxNew.map(SettingTable.maxNew.parse(option:)) }
  }
}

extension FollowingRules {
  /// What the settings say of every podcast that is followed. Those that an option takes the place of
  /// are not read.
  init(_ settings: SettingSources, _ given: FollowingOverrides) throws {
    self.init()
    episodes = try given.episodes.settled(settings)
    if let template = try given.template ?? FilenameTemplate(settings) { self.template = template }
    mostNew = try settings.find(SettingTable.maxNew, option: given.mostNew).value
    preference = try settings.find(SettingTable.prefer, option: given.preference).value
    belongings = try settings.value(SettingTable.with, option: given.belongings)
    writesTags = try settings.value(SettingTable.tag, option: given.writesTags)
    keep = try settings.find(SettingTable.keep).value
    olderThan = try settings.find(SettingTable.olderThan).value
    removesPlayed = try settings.value(SettingTable.played)
  }
}
