import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget edit`: correct what a feed says of an episode or a podcast.
struct EditCommand: ArrangingCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Correct an episode or a podcast of the library.",
    usage: """
      podget edit [<options>] <episode> [--title <title>] [--date <date>]
      podget edit [<options>] <podcast> [--title <title>] [--folder <name>]
      podget edit [<options>] --undo <episode or podcast>
      """,
    discussion: """
      The file of an episode keeps its name; podget rename names it by its new title. What the feed \
      says is not lost: --undo takes the corrections back.

      A podcast is named by its subscription, its id, its address or its title. Lists and the names of \
      new files have its new title. --folder moves its files too, and new ones go there; --undo moves \
      them back.
        podget edit 1000596286323 --title 'Green Monk' --date 2023-01-27
        podget edit 1386867488 --title 'Symbols' --folder Symbols
      """)

  @Argument(
    help: ArgumentHelp(
      "The episode: an id, a guid, a path, or a part of its title; or the podcast.",
      valueName: "episode or podcast"))
  var names: [String] = []

  @Option(
    name: .customLong("source"), parsing: .singleValue,
    help: SourceArguments.help(
      "May be repeated: only an episode of this podcast", isList: false, valueName: "source"))
  var sources: [String] = []

  @Option(help: ArgumentHelp("The title.", valueName: "title"))
  var title: String?

  @Option(
    help: ArgumentHelp(
      "When an episode was published: 2023-01-27, or with a time 2023-01-27T18:00:00Z.",
      valueName: "date"))
  var date: String?

  @Option(
    help: ArgumentHelp(
      "The folder of a podcast's files, in place of its title.", valueName: "name"))
  var folder: String?

  @Flag(help: "Take back all corrections.")
  var undo = false

  @Flag(help: "Show which files of a podcast would move, and change nothing.")
  var dryRun = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    guard names.count == 1, names != ["-"], names != [""] else {
      throw ValidationError("Name one episode or podcast.")
    }
    try episodes.validate()
    guard undo == (title == nil && date == nil && folder == nil) else {
      throw ValidationError("Give --title, --date or --folder, or --undo.")
    }
    if folder != nil, date != nil || !sources.isEmpty {
      throw ValidationError("--folder is for podcasts; --date and --source are for episodes.")
    }
    if dryRun, folder == nil, !undo {
      throw ValidationError("--dry-run is for --folder and --undo.")
    }
    _ = try correction()
    _ = try podcastCorrection()
  }

  func run(in context: CommandContext) async throws -> Outcome {
    guard date == nil, sources.isEmpty else { return try await editEpisode(in: context) }
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let usual = try FilenameTemplate(settings) ?? .standard
    let change = try podcastCorrection().map(PodcastEdit.Change.correct) ?? .undo
    let output = ListingOutput(try output.resolved(settings), context)
    var isEpisode = false
    let outcome = try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      if !dryRun { try library.requireWritable() }
      let reading = library.withPlanned(library.locatedReading(recording: !dryRun))
      let name = names[0]
      let named = try NamedPodcasts(
        [name], among: reading.episodes, in: library, warn: output.warn)
      guard let podcast = try podcast(name, named, among: reading.episodes, path) else {
        isEpisode = true
        return
      }
      try await output.working(on: reading) { _ in
        guard reading.errors.isEmpty else { throw ReportedFailure() }
        let template = try podcast.subscription?.settings[.template].map {
          try FilenameTemplate(parsing: $0)
        }
        try PodcastEdit(
          change: change, podcast: podcast, named: named, library: library, reading: reading,
          path: path, template: template ?? usual, output: output, isDryRun: dryRun
        ).run(in: context)
      }
    }
    return isEpisode ? try await editEpisode(in: context) : outcome
  }

  /// What names an episode for every command that does.
  private var episodes: EpisodeArguments {
    var episodes = EpisodeArguments()
    (episodes.episodes, episodes.sources, episodes.all) = (names, sources, false)
    return episodes
  }

  /// The podcast that is meant; nil if an episode is.
  ///
  /// - Throws: a ``PodgetError`` when a name is that of an episode and of a podcast.
  private func podcast(
    _ name: String, _ named: NamedPodcasts, among local: [LocalEpisode], _ library: String
  ) throws(PodgetError) -> NamedPodcast? {
    let reference = EpisodeReference(name, library: library, folder: AbsolutePath.currentFolder)
    var table = EpisodeTable(local)
    let found = folder == nil ? reference.exact(in: &table) : []
    let podcast: NamedPodcast?
    do throws(PodgetError) {
      podcast = try named.podcast(at: 0)
    } catch {
      if !found.isEmpty { return nil }
      throw PodgetError(error.code, error.sentence, of: name)
    }
    guard let podcast else {
      if folder != nil { return try named.required(at: 0) }
      return nil
    }
    guard let episode = found.first else { return podcast }
    let own = episode.name ?? episode.path
    let typed = [named.typed(podcast), own].compactMap(\.self).filter { $0 != name }
    throw PodgetError(
      .notFound,
      "A podcast and an episode have this name; name one of them by its id or address: "
        + typed.map { ShellText.quoted($0) }.joined(separator: ", ") + ".", of: name)
  }

  private func editEpisode(in context: CommandContext) async throws -> Outcome {
    if dryRun { throw ValidationError("--dry-run is for podcasts, and this is an episode.") }
    return try await MarkedEpisodes(
      mark: .edited(try correction()), library: library, context: context
    ).run(on: episodes, output)
  }

  /// What is corrected of a podcast; nil takes all back.
  private func podcastCorrection() throws -> PodcastCorrection? {
    guard !undo else { return nil }
    if let folder, !PodcastCorrection.isFolder(folder) {
      let legal = PodcastCorrection.folder(like: folder)
      throw ValidationError(
        "--folder takes the name of one folder that every file system can have"
          + (legal.map { ", such as \"\($0)\"." } ?? "."))
    }
    return PodcastCorrection(title: try checkedTitle(), folder: folder)
  }

  /// What is corrected; nil takes all back.
  private func correction() throws -> EpisodeCorrection? {
    guard !undo else { return nil }
    return EpisodeCorrection(title: try checkedTitle(), date: try date.map(Self.date))
  }

  private func checkedTitle() throws -> String? {
    let title = self.title?.trimmingWhitespace()
    if let title, !Self.isVisible(title) || title.utf8.count > EpisodeCorrection.longestTitle {
      throw ValidationError(
        "--title takes 1 to \(EpisodeCorrection.longestTitle) bytes that can be seen, without control or "
          + "format characters.")
    }
    return title
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
