import ArgumentParser
import PodcastKit

/// `podget resume`: finish what was planned and is not finished.
struct ResumeCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Finish every download that was interrupted, cancelled or not started.",
    discussion: """
      Permanent failures, such as an episode that the server no longer has, are retried only if \
      you name the podcast.
      """)

  @Argument(help: "Only these podcasts: ids, links or titles.")
  var sources: [String] = []

  @OptionGroup(title: "Hooks") var hooks: HookOptions
  @OptionGroup var common: CommonOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    var settings = try common.settings(configured)
    settings.hooks = try hooks.resolved(configured)
    settings.hooks.afterSync = []
    var session = DownloadSession(settings: settings, context: context)
    session.names = .titles
    return await session.run(sources, refreshesAddresses: true) { run, sources in
      await run.continueUnfinished(of: sources)
    }
  }
}
