import ArgumentParser
import PodcastKit

/// `podget download`: download episodes, by default the latest ones.
struct DownloadCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "download",
    abstract: "Download the latest episodes of podcasts (default: 5).",
    discussion: """
      Partial downloads continue; what the library has is not downloaded again. Removed episodes \
      are skipped unless --episode, a link to the episode, or --force asks for them.
        podget download 1386867488 --all --since 2023-01-01 --match 'psalms|icons'
      """)

  /// How many episodes are downloaded by default.
  private static let standardLimit = 5

  @Argument(
    help: "Apple Podcasts ids or links, feed addresses or files; - reads them from standard input.")
  var sources: [String]

  @Flag(help: "Download again what the library has.")
  var force = false

  @OptionGroup(title: "Selection") var selection: SelectionOptions
  @OptionGroup(title: "Names") var names: TemplateOptions
  @OptionGroup var common: CommonOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run(in context: CommandContext) async throws -> Outcome {
    let filter = try selection.filter(now: context.now(), standardLimit: Self.standardLimit)
    let settings = try common.settings(context, isForced: force)
    let template = try names.given(environment: context.environment) ?? .standard
    return await DownloadSession(settings: settings, context: context).run(
      sources, refreshesAddresses: false
    ) { run, sources in
      await run.download(sources ?? [], filter: filter, template: template)
    }
  }
}
