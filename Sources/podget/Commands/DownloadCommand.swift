import ArgumentParser
import PodcastKit

/// `podget download`: fetch episodes, the latest ones unless told otherwise.
struct DownloadCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "download",
    abstract: "Download the latest episodes of podcasts: 5 unless told otherwise.",
    discussion: """
      What was begun before is continued; what the library holds is not fetched again. What was \
      removed is skipped unless --episode, a link to it, or --force asks for it.
        podget download 1386867488 --all --since 2023-01-01 --match 'psalms|icons'
      """)

  /// How many episodes are fetched when nothing else is said.
  private static let standardLimit = 5

  @Argument(
    help: "Apple Podcasts ids or links, feed addresses or files; - reads them from standard input.")
  var sources: [String]

  @Flag(help: "Fetch again what the library holds.")
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
