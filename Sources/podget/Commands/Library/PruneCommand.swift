import ArgumentParser
import PodcastKit

/// `podget prune`: remove episodes by rules.
struct PruneCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove episodes that match any rule.",
    usage: "podget prune [<options>] [<sources> ...]",
    discussion: """
      Starred and incomplete episodes stay. Removed files go to the library's trash, and podget \
      restore brings them back. For --max-size copies count, and what is in the \
      trash does not.
        podget prune --keep 10 --older-than 1y --dry-run
      """)

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @OptionGroup(title: "Rules") var rules: RetentionOptions

  @Flag(help: "Explain the decision about each episode, and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Trash") var trash: TrashOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let now = context.now()
    let policy = try rules.policy(now: now)
    let keptUntil = try trash.keptUntil(now: now, settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      if !dryRun { try library.requireWritable() }
      let reading = library.locatedReading(recording: !dryRun)
      try await output.working(on: reading) { local in
        let chosen = try selection.episodes(
          of: try await SourceArguments.expanded(sources, from: context.input),
          among: local.filter { $0.status != .removed })
        let decisions = PruneDecision.decisions(
          ListOrder().sorted(chosen), copies: reading.copies,
          of: try selection.podcasts(of: local), by: policy)
        if let excess = PruneDecision.excess(decisions, over: policy.maximumBytes) {
          output.note(excess)
        }
        guard !dryRun else {
          let table = PruneTable(
            policy: policy, window: output.window, style: output.style)
          return try output.write(
            decisions.map { JSONForms.prunedEpisode($0) }, table: table.text(decisions))
        }
        let removed = decisions.filter(\.isRemoved).map(\.local)
        let copies = reading.copies(of: removed)
        let remover = EpisodeRemover(
          library: library, removesStarred: false, keptUntil: keptUntil, now: now)
        let report = RemovalReport(
          of: removed, copies: copies, remover.remove(removed, copies: copies), by: remover)
        try report.write(
          report.applied(to: decisions).map { JSONForms.prunedEpisode($0) }, to: output)
      }
    }
  }
}
