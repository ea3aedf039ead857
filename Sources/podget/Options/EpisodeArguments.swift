import ArgumentParser
import PodcastKit

/// The arguments that name episodes of the library.
struct EpisodeArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Episodes: ids, guids, paths, or parts of titles; - reads them from standard input.",
      valueName: "episode"))
  var episodes: [String]

  @Option(
    name: .customLong("source"), parsing: .singleValue,
    help: ArgumentHelp(
      "Look only among this podcast's: an id, a link or a title; may be repeated.",
      valueName: "source"))
  var sources: [String] = []

  func validate() throws {
    if episodes.contains("") { throw ValidationError("An episode has no empty name.") }
    if sources.contains("") { throw ValidationError("--source names no podcast.") }
  }
}
