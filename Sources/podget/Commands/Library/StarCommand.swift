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
    try await MarkedEpisodes(mark: .starred(true), library: library, context: context)
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
    try await MarkedEpisodes(mark: .starred(false), library: library, context: context)
      .run(on: episodes, output)
  }
}
