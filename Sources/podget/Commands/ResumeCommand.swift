import ArgumentParser
import PodcastKit

/// `podget resume`: finish what was planned and is not finished.
struct ResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Finish every download that was cut, cancelled or never begun.",
    discussion: """
      What failed for good, such as an episode that the server no longer has, is tried again only \
      when its podcast is named.
      """)

  @Argument(help: "Only these podcasts: ids, links or titles.")
  var sources: [String] = []

  @OptionGroup var common: CommonOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run() async throws { try await run(in: .process) }

  func run(in context: CommandContext) async throws {
    let settings = try common.settings(context)
    let isRecording = !common.run.dryRun
    let sources = sources
    try await DownloadRun(settings: settings, context: context).run(
      sources, refreshesAddresses: true
    ) { names, library, _, display in
      let reading = await BlockingWork.run {
        let unfinished = library.unfinished()
        // What somebody moved inside the library need not be fetched again.
        if !unfinished.isEmpty { _ = library.locatedEpisodes(recording: isRecording) }
        return (plans: unfinished, refused: library.refusedPlans())
      }
      guard let (all, refused) = reading else { return [] }
      for (path, error) in refused { await display.sourceFailed(path, error) }
      var plans: [DownloadPlan] = []
      if names == nil {
        plans = all.filter { $0.failure == nil }.map(\.plan)
      }
      for name in names ?? [] {
        do throws(PodgetError) {
          let source = try Source.parse(name)
          let unfinished = all.map(\.plan).filter { source.names($0) }
          if unfinished.isEmpty {
            await display.note("Nothing of \(AddressRedaction.shown(name)) is unfinished.")
          }
          plans += unfinished
        } catch {
          await display.sourceFailed(name, error)
        }
      }
      for (podcast, count) in Self.podcasts(of: plans) {
        await display.listing(podcast, episodes: count)
      }
      return plans
    }
  }

  /// The podcasts of some plans with the number of their episodes, in the plans' order.
  private static func podcasts(of plans: [DownloadPlan]) -> [(Podcast, Int)] {
    var podcasts: [(Podcast, Int)] = []
    for plan in plans {
      if let place = podcasts.firstIndex(where: { $0.0 == plan.podcast }) {
        podcasts[place].1 += 1
      } else {
        podcasts.append((plan.podcast, 1))
      }
    }
    return podcasts
  }
}
