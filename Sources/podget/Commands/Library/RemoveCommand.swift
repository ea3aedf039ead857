import ArgumentParser
import PodcastKit

/// `podget remove`: remove the named episodes, and record that.
struct RemoveCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove episodes; they are not downloaded again unless you name them.",
    usage: "podget remove [<options>] <episode> ...",
    discussion: """
      The files go to the library's trash, and podget restore brings them back. Partial downloads \
      are deleted immediately. With --now, episodes that were removed before are deleted from \
      the trash.

      Name an episode by its id, its guid, its path, its title or a part of its title. If a name \
      matches several episodes, nothing is removed, and podget lists them:
        podget remove 1000596286323 'green monk'
      """,
    aliases: ["rm"])

  @OptionGroup var episodes: EpisodeArguments

  @Flag(help: "Remove starred episodes too.")
  var force = false

  @Flag(help: "Show what would be removed, and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Trash") var trash: TrashOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws { try episodes.requireNames() }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let now = context.now()
    let keptUntil = try trash.keptUntil(now: now, settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      if !dryRun { try library.requireWritable() }
      let episodes = try await episodes.expanded(from: context.input)
      let reading = library.withPlanned(
        library.locatedReading(
          of: episodes.query, recording: !dryRun, isEnough: episodes.areNames(of:)))
      let remover = EpisodeRemover(
        library: library, removesStarred: force, keptUntil: keptUntil, now: now)
      try await output.working(on: reading) { local in
        let chosen = try selection.episodes(episodes, among: local)
        try output.require(
          noneOf: chosen.filter { $0.isStarred && $0.status != .removed && !force }.map {
            PodgetError(
              .notFound,
              "\($0.title) is starred; unstar it first, or remove it with --force.")
          })
        if dryRun {
          return try output.write(
            chosen.map { JSONForms.localEpisode($0) },
            lines: chosen.map { RemovalText.line("would remove", $0) }
              + reading.copies(of: chosen).map { RemovalText.line("would remove", copyOf: $0) })
        }
        if keptUntil == nil { library.deleteFromTrash(chosen) }
        let copies = reading.copies(of: chosen)
        let report = RemovalReport(
          of: chosen, copies: copies, remover.remove(chosen, copies: copies), by: remover)
        try report.write(report.episodes.map { JSONForms.localEpisode($0) }, to: output)
      }
    }
  }
}
