import ArgumentParser
import BrowseScreen
import Glibc
import PodcastKit

/// `podget browse`: podcasts and the library on a full screen.
struct BrowseCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Browse podcasts and your library on a full screen.",
    discussion: """
      There are four tabs: Catalog has your subscriptions and what you search in Apple's catalog, \
      Library has your episodes, New has what podget new lists, Downloads has what runs or waits. Press ? for the keys, q to quit.

      Podcasts and episodes have their artwork in windows of at least 60 columns and 20 rows. With \
      --images auto the terminal is asked what it can show: images by kitty's protocol, sixels, or \
      half blocks. tmux and screen get half blocks.

      The keys keys and theme of the configuration give other keys to actions and other colors to \
      what is shown; podget config init writes examples.
      """)

  @Argument(help: SourceArguments.help("The podcast to open", isList: false))
  var source: String?

  @Option(
    help: ArgumentHelp(
      "How to show images: auto, kitty, sixel, blocks or none \(SettingTable.images.defaultNote).",
      valueName: "how"))
  var images: ImageChoice?

  @Flag(
    inversion: .prefixedNo,
    help: "Use the mouse, or leave it to the terminal, for selecting text (default: --mouse).")
  var mouse: Bool?

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup(title: "Trash") var trash: TrashDaysOption
  @OptionGroup(title: "Transfers") var transfers: TransferOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var passwords: PasswordOptions

  @Option(
    help: ArgumentHelp(
      "When to use colors \(SettingTable.color.defaultNote).", valueName: "when"))
  var color: ColorChoice?

  func validate() throws {
    try ValidationError.requireNames(source.map { [$0] } ?? [])
    if source == SourceArguments.standardInput {
      throw ValidationError("podget browse reads keys from standard input, so it takes no -.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try self.settings(context)
    let output = ListingOutput(OutputSettings(), context)
    let isKnown = try await output.reporting { try Self.requireSource(in: settings, output) }
    guard isKnown == .success else { return isKnown }
    guard context.input.isTerminal, context.output.window != nil,
      !["", "dumb"].contains(context.environment["TERM"] ?? "")
    else {
      throw ValidationError(
        "podget browse needs a terminal; podget list and podget show write text.")
    }
    let hasKittyImages = TerminalEnvironment(context.environment).mayHaveKittyImages(
      settings.images)
    return await BrowseChild(deletesImages: hasKittyImages).run(settings, context)
  }

  /// Makes sure that there is what the source names, before the screen is used.
  private static func requireSource(
    in settings: BrowseSettings, _ output: ListingOutput
  ) throws {
    guard let source = settings.source else { return }
    do throws(PodgetError) {
      guard case .name = try Source.parse(source), !AbsolutePath.exists(source) else { return }
      let library = try Library.open(settings.library, creating: false)
      let sources = try SubscribedSources([source], in: library, warn: output.warn)
      if sources.feeds == [source] { throw PodgetError.unknownSource(source) }
    } catch {
      throw PodgetError(error.code, error.sentence, of: source)
    }
  }

  /// What the full screen needs to know.
  private func settings(_ context: CommandContext) throws -> BrowseSettings {
    let sources = try context.settings()
    var counted = network.counted
    if names.template != nil { counted.remove(.template) }
    let network = try network.resolved(sources)
    let transfers = try transfers.resolved(sources)
    let directory = try directory.resolved(sources)
    let style = TerminalStyle(
      environment: context.environment,
      color: try sources.value(SettingTable.color, option: color))
    var settings = BrowseSettings()
    settings.library = try library.resolved(sources)
    settings.source = source
    settings.directoryURL = directory.baseURL
    settings.country = directory.country
    settings.jobs = transfers.jobs
    settings.jobsPerHost = transfers.jobsPerHost
    settings.bytesPerSecond = transfers.bytesPerSecond ?? 0
    settings.retries = network.retries.retries
    settings.retryDelay = network.retries.baseDelay / .seconds(1)
    settings.stallTimeout = network.stallTimeout / .seconds(1)
    settings.passwordTimeout = try passwords.limit(sources) / .seconds(1)
    settings.certificates = network.certificates
    settings.userAgent = network.userAgent ?? "podget/\(Podget.programVersion)"
    settings.allowsInsecureRedirects = network.allowsInsecureRedirects
    settings.skipsBusyEpisodes = transfers.skipsBusyEpisodes
    settings.resumesByOverlap = transfers.resumesByOverlap
    settings.longestUnknownLength = transfers.longestUnknownLength ?? 0
    settings.keptFreeBytes = transfers.keptFreeBytes ?? 0
    settings.takesChecksums = transfers.takesChecksums
    settings.writesTags = transfers.writesTags
    // Read once here, so that a mistake is said before the screen is used.
    _ = try names.given(sources)
    settings.template = try sources.given(SettingTable.template, option: names.template)?.value
    settings.replaced = SubscribedSettings.all.subtracting(counted).map(\.rawValue).sorted()
    settings.preference = try sources.find(SettingTable.prefer).value?.text
    settings.belongings = try sources.value(SettingTable.with).text
    settings.trashDays = try sources.value(SettingTable.trashDays, option: trash.trashDays)
    settings.afterDownload = try sources.find(SettingTable.afterDownload).value
    settings.hookTimeout = try sources.value(SettingTable.hookTimeout, option: nil)
    settings.player = try sources.find(SettingTable.player).value
    settings.keys = try sources.find(SettingTable.keys).value
    settings.theme = try sources.find(SettingTable.theme).value
    settings.hasColor = style.hasColor
    settings.isUTF8 = style.isUTF8
    settings.images = try sources.value(SettingTable.images, option: images)
    settings.usesMouse = try !sources.value(SettingTable.noMouse, option: mouse.map(!))
    return settings
  }
}
