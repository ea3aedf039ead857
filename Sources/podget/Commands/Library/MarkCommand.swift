import ArgumentParser
import PodcastKit

/// `podget mark`: what was played, and where playing continues.
struct MarkCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Mark episodes as played or unplayed, or set where playing continues.",
    usage: "podget mark [<options>] <episode> ...",
    discussion: """
      podget list --unplayed lists what was not played, and podget prune --played removes what was. \
      Episodes that are marked as played or unplayed begin at their start.
        podget mark --played 'green monk'
        podget mark --position 12:30 1000596286323
      """)

  @OptionGroup var episodes: EpisodeArguments

  @Flag(help: "They were played.")
  var played = false

  @Flag(help: "They were not played.")
  var unplayed = false

  @Option(
    help: ArgumentHelp(
      "Where playing continues: 12:30, 1:02:03 or seconds; 0 is the start.", valueName: "time"))
  var position: String?

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    try episodes.requireNames()
    _ = try mark()
  }

  func run(in context: CommandContext) async throws -> Outcome {
    try await MarkedEpisodes(mark: try mark(), library: library, context: context)
      .run(on: episodes, output)
  }

  private func mark() throws -> EpisodeMark {
    switch (played, unplayed, position) {
    case (true, false, nil): return .played(true)
    case (false, true, nil): return .played(false)
    case (false, false, let position?):
      do throws(OptionValueError) {
        let time = try Duration(option: position)
        guard time <= .seconds(31 * 86_400) else {
          throw OptionValueError("A position is at most 31 days.")
        }
        return .position(time > .zero ? time : nil)
      } catch {
        throw ValidationError("\(error)")
      }
    default: throw ValidationError("Give one of --played, --unplayed and --position.")
    }
  }
}

/// What `star`, `unstar` and `mark` have in common.
struct MarkedEpisodes {
  let mark: EpisodeMark
  let library: LibraryOptions
  let context: CommandContext

  func run(
    on arguments: EpisodeArguments, _ options: BriefOutputOptions
  ) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try options.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      try library.requireWritable()
      let arguments = try await arguments.expanded(from: context.input)
      let reading = library.withPlanned(
        library.merged(library.reading(arguments.query, isEnough: arguments.areNames(of:))))
      try await output.working(on: reading) { local in
        let chosen = try selection.episodes(arguments, among: local)
        if case .starred = mark {
          try output.require(
            noneOf: chosen.filter { $0.status == .removed }.map {
              PodgetError(
                .notFound, "\($0.title) was removed; podget restore brings it back.")
            })
        }
        let changed = try library.mark(
          mark, of: chosen, emptied: reading.emptied, at: context.now())
        try output.writeResults {
          try output.write(
            changed.map { JSONValue($0) },
            lines: changed.map {
              ResultLine(verb: verb, name: $0.title)
            })
        }
      }
    }
  }

  /// What was done, for people.
  private var verb: String {
    switch mark {
    case .starred(let isStarred): isStarred ? "starred" : "unstarred"
    case .played(let isPlayed): isPlayed ? "played" : "unplayed"
    case .position(let position):
      position.map { "at \(DurationText.clock($0))" } ?? "at the start"
    }
  }
}
