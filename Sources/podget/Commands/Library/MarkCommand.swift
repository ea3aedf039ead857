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
      Episodes that are marked as played or unplayed begin at their start. Those that podget new \
      lists can be marked as played without a download.
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
    case (false, false, .some):
      let time = try ValidationError.naming("--position", position) {
        text throws(OptionValueError) in
        let time = try Duration(option: text)
        guard time <= EpisodeMark.longestPosition else {
          throw OptionValueError("A position is at most 31 days.")
        }
        return time
      }
      return .position(time == .zero ? nil : time)
    default: throw ValidationError("Give one of --played, --unplayed and --position.")
    }
  }
}
