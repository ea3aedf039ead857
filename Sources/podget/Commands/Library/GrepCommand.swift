public import ArgumentParser
public import PodcastKit

extension FoundText.Part: ExpressibleByArgument {}

/// `podget grep`: words in titles, notes and transcripts of the library.
struct GrepCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "grep",
    abstract: "Find words in titles, notes and transcripts of the library.",
    usage: "podget grep [<options>] <regex> [<source> ...]",
    discussion: """
      Notes and transcripts are found if they are stored beside their episodes: podget download and \
      podget sync store them --with notes,transcripts. Case is ignored. A line of a transcript begins \
      with the time in the episode and the speaker, as far as the transcript has them. The exit status \
      is 1 if nothing is found, as that of grep.
        podget grep 'climate.*policy' --in transcript --since 1y
      """)

  @Argument(
    help: ArgumentHelp("What to find.", valueName: "regex"), transform: { try TitlePattern($0) })
  var pattern: TitlePattern

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @Option(
    name: .customLong("in"), parsing: .singleValue,
    help: ArgumentHelp("Look only here; may be repeated.", valueName: "part"))
  var parts: [FoundText.Part] = []

  @OptionGroup(title: "Selection") var selection: EpisodeSelectionOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try ValidationError.requireNames(sources) }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let filter = try selection.filter(now: context.now(), standardLimit: nil)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reportingOutcome {
      let selection = LibrarySelection(output: output, library: path, onlyReads: true)
      let library = try selection.open()
      let reading = library.withPlanned(library.locatedReading(recording: false))
      var count = 0
      try await output.working(on: reading) { local in
        let named = try selection.episodes(
          of: try await SourceArguments.expanded(sources, from: context.input),
          among: local.filter { $0.status != .removed })
        try output.require(
          noneOf: filter.unknownEpisodes(among: named.lazy.map { $0.episode }).map {
            PodgetError(.notFound, "The library \(path) has no episode with the id \($0).")
          })
        let matching = ListOrder().sorted(filter.matching(named) { $0.episode })
        let episodes = filter.limit.map { Array(matching.prefix($0)) } ?? matching
        let search = EpisodeSearch(
          of: library, for: pattern, in: Set(parts.isEmpty ? FoundText.Part.allCases : parts))
        let problems = try output.writeGradually(JSONForms.foundText) { write throws(PodgetError) in
          var lines = FoundTextLines(
            style: output.style, window: output.window, isDetailed: output.isVerbose)
          return try search.run(episodes) { found throws(PodgetError) in
            count += found.count
            try write(found) { lines.text(found) }
          }
        }
        try output.require(noneOf: problems)
        if count == 0 {
          output.note("Nothing matches in \(EventText.episodes(episodes.count)).")
        }
      }
      return count == 0 ? .failure : .success
    }
  }
}
