import ArgumentParser
import PodcastKit

/// `podget download`: download episodes, by default the latest ones.
struct DownloadCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "download",
    abstract:
      "Download the latest episodes of podcasts \(SettingTable.latest.defaultNote).",
    discussion: """
      Partial downloads continue; what the library has is not downloaded again. Removed episodes \
      are skipped unless --episode, a link to the episode, or --force asks for them.
        podget download 1386867488 --all --since 2023-01-01 --match 'psalms|icons'
      """)

  @Argument(help: SourceArguments.help("The podcasts"))
  var sources: [String]

  @Flag(help: "Download again what the library has.")
  var force = false

  @OptionGroup(title: "Selection") var selection: EpisodeSelectionOptions
  @OptionGroup(title: "Selection") var media: MediaOptions
  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup(title: "Names") var layout: LayoutOptions
  @OptionGroup(title: "Hooks") var hooks: HookOptions
  @OptionGroup var common: CommonOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let filter =
      try Self.nameEpisodes(sources)
      ? selection.filter(now: context.now(), standardLimit: nil)
      : selection.filter(now: context.now(), configured)
    var settings = try common.settings(configured, media: media, isForced: force)
    settings.hooks = try hooks.resolved(configured)
    (settings.hooks.afterSync, settings.hooks.afterFeed) = ([], [])
    let template = try names.given(configured, layout) ?? .standard
    var session = DownloadSession(settings: settings, context: context)
    session.names = .feeds
    return await session.run(
      sources, refreshesAddresses: false
    ) { run, sources in
      await run.download(sources ?? [], filter: filter, template: template)
    }
  }

  /// Whether every source is a link to one episode, which is wanted whatever the configuration says.
  private static func nameEpisodes(_ sources: [String]) -> Bool {
    sources.allSatisfy { source in
      guard case .apple(_, _, let episode)? = try? Source.parse(source) else { return false }
      return episode != nil
    }
  }
}
