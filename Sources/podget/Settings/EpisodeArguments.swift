import ArgumentParser
import PodcastKit

/// The arguments that name episodes of the library.
struct EpisodeArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Episodes: ids, guids, paths, or parts of titles; - reads them from standard input.",
      valueName: "episode"))
  var episodes: [String] = []

  @Option(
    name: .customLong("source"), parsing: .singleValue,
    help: SourceArguments.help(
      "May be repeated: only episodes of this podcast", isList: false, valueName: "source"))
  var sources: [String] = []

  @Flag(help: "All episodes of the podcasts that --source names.")
  var all = false

  /// Makes sure that some are named. A command may know other ways to name them.
  func requireNames() throws {
    if all {
      guard episodes.isEmpty, !sources.isEmpty else {
        throw ValidationError("--all takes podcasts with --source, and no episodes.")
      }
    } else if episodes.isEmpty {
      throw ValidationError("Name episodes, or a whole podcast with --source and --all.")
    }
  }

  func validate() throws {
    if episodes.contains("") { throw ValidationError("The name of an episode is empty.") }
    if sources.contains("") { throw ValidationError("--source is empty.") }
  }
}

extension EpisodeArguments {
  /// The same, with `-` replaced by the episodes on standard input.
  func expanded(from input: StandardInput) async throws(PodgetError) -> EpisodeArguments {
    var arguments = self
    arguments.episodes = try await SourceArguments.expanded(episodes, from: input) ?? []
    return arguments
  }

  /// The first query to a library: most episodes are named by their ids.
  var query: EpisodeQuery { sources.isEmpty ? .named(episodes) : .all }

  /// Whether every name is the track id or the guid of one of the episodes, which has priority over
  /// other meanings.
  func areNames(of local: [LocalEpisode]) -> Bool {
    var table = EpisodeTable(local)
    return episodes.allSatisfy { !table.named($0).isEmpty }
  }
}
