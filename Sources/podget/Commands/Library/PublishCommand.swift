import ArgumentParser
import PodcastKit

/// `podget publish`: feeds and pages of the library for a web server.
struct PublishCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Write feeds and pages of the library for a web server, so that a phone plays it.",
    usage: "podget publish [<options>] <dir> --base-url <url> [<source> ...]",
    discussion: """
      The folder gets a feed and a page for each podcast, index.html, subscriptions.opml, and the \
      complete episodes as hard links, which take no space. It must be outside the library, \
      whose records are not for others. Run it again after each sync: only what has changed is \
      written, and what is not in the library any more is removed. Other files there are left alone.

      Who knows an address can read what it has, private podcasts included. Feeds ask directories \
      not to list them, unless --index is given.
        podget publish /srv/www/podcasts --base-url https://example.org/podcasts/
      """)

  @Argument(help: "The folder that the web server serves.", completion: .directory)
  var dir: String

  @Argument(help: SourceArguments.help("Only these podcasts"))
  var sources: [String] = []

  @Option(help: ArgumentHelp("The address of the folder, by http or https.", valueName: "url"))
  var baseURL: String

  @Option(
    help: ArgumentHelp(
      "Take artwork from this folder: PNG or JPEG files named by the podcasts' titles, as podget "
        + "artwork --export writes them.", valueName: "dir"),
    completion: .directory)
  var artwork: String?

  @Flag(help: "Let directories and search engines list the podcasts.")
  var index = false

  @Flag(help: "Copy the episodes, for a folder on another disk.")
  var copy = false

  @Flag(help: "Copy them, and read all earlier copies too, to replace damaged ones.")
  var verify = false

  @Flag(help: "Publish also if most or all of what was published goes, or is of another library.")
  var allowEmpty = false

  @Flag(help: "Show what would be published, and write nothing.")
  var dryRun = false

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Output") var output: BriefOutputOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    if dir.isEmpty { throw ValidationError("The name of the folder is empty.") }
    if artwork?.isEmpty == true { throw ValidationError("--artwork is empty.") }
    guard PublicationBase(baseURL) != nil else {
      throw ValidationError(
        "--base-url takes an address like https://example.org/podcasts/, without a password and "
          + "without ? and #.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let settings = try context.settings()
    let path = try library.resolved(settings)
    let output = ListingOutput(try output.resolved(settings), context)
    return try await output.reporting {
      let selection = LibrarySelection(output: output, library: path)
      let library = try selection.open()
      let reading = library.locatedReading(recording: false)
      // What cannot be read now would vanish from the feeds.
      try output.require(noneOf: reading.errors + reading.emptied.map(\.error))
      try await output.working(on: reading) { local in
        let names = try await SourceArguments.expanded(sources, from: context.input)
        let chosen = try selection.episodes(
          of: names, among: local.filter { $0.status != .removed })
        let plan = PublicationPlan(chosen, of: local, try selection.podcasts(of: local))
        guard let base = PublicationBase(baseURL) else { return }
        if plan.isEmpty, !allowEmpty { throw nothing(of: names, in: path) }
        let report = try PublicationRun(library, at: base, options).publish(plan, into: dir)
        try output.writeResults(whenQuiet: dryRun) {
          try output.write(
            report.podcasts.map { JSONForms.servedPodcast($0) }, lines: report.podcasts.map(line)
          )
        } then: {
          for note in report.notes { output.note(note) }
          summarize(report, to: output)
          try output.require(noneOf: report.errors)
        }
      }
    }
  }

  private var options: PublicationRun.Options {
    var options = PublicationRun.Options()
    options.isListed = index
    options.copiesFiles = copy
    options.verifiesCopies = verify
    options.artworkFolder = artwork
    options.removesMost = allowEmpty
    options.isDryRun = dryRun
    return options
  }

  /// Why nothing is published: a disk that is not mounted must not take everything out of the feeds.
  private func nothing(of names: [String]?, in path: String) -> PodgetError {
    let sentence =
      switch names {
      case nil: "The library \(path) has no complete episode: its disk may not be mounted."
      case []?: "There is no source on standard input."
      case .some: "None of the podcasts has a complete episode."
      }
    return PodgetError(.notFound, sentence, remedy: .publishAnyway)
  }

  private func line(_ published: PublicationRun.Published) -> ResultLine {
    let episodes = EventText.episodes(published.episodes)
    return ResultLine(
      verb: dryRun ? "would publish" : "published",
      name: "\(published.podcast.shownTitle): \(episodes), "
        + "\(ByteText.size(published.bytes)), \(published.feed)")
  }

  private func summarize(_ report: PublicationRun.Report, to output: ListingOutput) {
    let podcasts = report.podcasts.count == 1 ? "1 podcast" : "\(report.podcasts.count) podcasts"
    let verb = dryRun ? " to be" : ""
    output.summarize(
      "\(podcasts): \(EventText.files(report.written))\(verb) written, "
        + "\(report.removed)\(verb) removed")
  }
}
