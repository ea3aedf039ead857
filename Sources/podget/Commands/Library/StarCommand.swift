import ArgumentParser
import PodcastKit

/// `podget star`: star episodes.
struct StarCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "star",
    abstract: "Star episodes of the library: podget prune never removes them.",
    usage: "podget star [<options>] <episode> ...",
    discussion: "podget list --starred shows them.")

  @OptionGroup var episodes: EpisodeArguments
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws { try episodes.requireNames() }

  func run(in context: CommandContext) async throws -> Outcome {
    try await StarChange(isStarred: true, library: library, context: context)
      .run(on: episodes, output)
  }
}

/// `podget unstar`: unstar episodes.
struct UnstarCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "unstar", abstract: "Remove the star of episodes.",
    usage: "podget unstar [<options>] <episode> ...")

  @OptionGroup var episodes: EpisodeArguments
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws { try episodes.requireNames() }

  func run(in context: CommandContext) async throws -> Outcome {
    try await StarChange(isStarred: false, library: library, context: context)
      .run(on: episodes, output)
  }
}

/// What `star` and `unstar` have in common.
private struct StarChange {
  let isStarred: Bool
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
        try output.require(
          noneOf: chosen.filter { $0.status == .removed }.map {
            PodgetError(
              .notFound, "\($0.title) was removed; podget restore brings it back.")
          })
        let changed = try library.setStars(
          isStarred, of: chosen, emptied: reading.emptied, at: context.now())
        try output.writeResults {
          try output.write(
            changed.map { JSONValue($0) },
            lines: changed.map {
              ResultLine(verb: isStarred ? "starred" : "unstarred", name: $0.title)
            })
        }
      }
    }
  }
}
