import ArgumentParser
import PodcastKit

/// `podget resume`: finish what was planned and is not finished.
struct ResumeCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Finish every download that was interrupted, cancelled or not started.",
    discussion: """
      Permanent failures, such as an episode that the server no longer has, are retried only if \
      you name the podcast.

      With --forget podget downloads nothing and deletes the plans of these downloads, and what \
      arrived of them. podget sync does not plan them again; podget download does when you ask.
      """)

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @Flag(help: "Forget the downloads instead of finishing them, and delete what arrived of them.")
  var forget = false

  @OptionGroup(title: "Transfers") var media: MediaOptions
  @OptionGroup(title: "Hooks") var hooks: HookOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    guard media.with == nil else {
      throw ValidationError(
        "podget resume stores what was planned; --with is an option of podget download and sync.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    var settings = try common.settings(configured, media: media)
    settings.hooks = try hooks.resolved(configured)
    (settings.hooks.afterSync, settings.hooks.afterFeed) = ([], [])
    var session = DownloadSession(settings: settings, context: context)
    session.names = .podcasts
    return await session.run(sources, refreshesAddresses: true) { run, sources in
      if forget {
        await run.forgetUnfinished(of: sources)
      } else {
        await run.continueUnfinished(of: sources)
      }
    }
  }
}
