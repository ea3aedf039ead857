import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget edit`: correct what a feed says of an episode.
struct EditCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Correct the title or the date of an episode of the library.",
    usage: "podget edit [<options>] <episode>",
    discussion: """
      The file keeps its name; podget rename names it by its new title. What the feed says is not \
      lost: --undo takes the corrections back.
        podget edit 1000596286323 --title 'Green Monk' --date 2023-01-27
      """)

  @OptionGroup var episodes: EpisodeArguments

  @Option(help: ArgumentHelp("Its title.", valueName: "title"))
  var title: String?

  @Option(
    help: ArgumentHelp(
      "When it was published: 2023-01-27, or with a time 2023-01-27T18:00:00Z.", valueName: "date"))
  var date: String?

  @Flag(help: "Take back all corrections.")
  var undo = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    guard episodes.episodes.count == 1, !episodes.all, episodes.episodes != ["-"] else {
      throw ValidationError("Name one episode.")
    }
    _ = try correction()
  }

  func run(in context: CommandContext) async throws -> Outcome {
    try await MarkedEpisodes(
      mark: .edited(try correction()), library: library, context: context
    ).run(on: episodes, output)
  }

  /// What is corrected; nil takes all back.
  private func correction() throws -> EpisodeCorrection? {
    guard undo == (title == nil && date == nil) else {
      throw ValidationError("Give --title, --date or both, or --undo.")
    }
    guard !undo else { return nil }
    let title = self.title?.trimmingWhitespace()
    if let title, !Self.isVisible(title) || title.utf8.count > EpisodeCorrection.longestTitle {
      throw ValidationError(
        "--title takes 1 to \(EpisodeCorrection.longestTitle) bytes that can be seen, without control or "
          + "format characters.")
    }
    return EpisodeCorrection(title: title, date: try date.map(Self.date))
  }

  /// Whether a title says something, and has no character that only changes how a terminal shows it.
  private static func isVisible(_ title: String) -> Bool {
    var isVisible = false
    for properties in title.unicodeScalars.lazy.map(\.properties) {
      switch properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: return false
      // Emoji and some scripts need joiners.
      case .format where !properties.isJoinControl: return false
      default: break
      }
      if !properties.isWhitespace, !properties.isDefaultIgnorableCodePoint { isVisible = true }
    }
    return isVisible
  }

  private static func date(_ text: String) throws -> Date {
    guard let date = Date(timestamp: text) ?? Date(timestamp: "\(text)T00:00:00Z") else {
      throw ValidationError("--date takes a day such as 2023-01-27, or 2023-01-27T18:00:00Z.")
    }
    return date
  }
}
