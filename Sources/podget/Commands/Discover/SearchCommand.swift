import ArgumentParser
import PodcastKit

/// `podget search`: podcasts by words.
struct SearchCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search Apple's catalog for podcasts.",
    usage: "podget search [<options>] <term> ...",
    discussion: "podget download and podget show accept the id of a result.")

  @Argument(help: ArgumentHelp("Words of the title or the author.", valueName: "term"))
  var terms: [String]

  @Option(help: ArgumentHelp("Show at most N podcasts, 1 to 200.", valueName: "n"))
  var limit = 20

  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try ValidationError.require((1...200).contains(limit), "--limit", "a number from 1 to 200")
    if terms.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("The search term is empty.")
    }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let sources = try context.settings()
    let network = try network.resolved(sources)
    let settings = try directory.resolved(sources)
    let choices = try output.resolved(sources)
    let term = terms.joined(separator: " ")
    let output = ListingOutput(choices, context)
    return try await output.reporting {
      let configuration = network.session(naming: settings.namedURLs)
      let found = try await output.withTransport(configuration) { session in
        try await ITunesDirectory(transport: session, settings: settings, network: network)
          .search(term: term, limit: limit)
      }
      // A directory may return more than requested.
      let podcasts = Array(found.prefix(limit))
      if podcasts.isEmpty { output.note("Apple's catalog has no podcast for \"\(term)\".") }
      try output.write(
        podcasts.map { JSONForms.foundPodcast($0) },
        table: FoundPodcastTable(window: output.window, style: output.style).text(podcasts))
    }
  }
}
