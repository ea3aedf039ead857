import ArgumentParser
import FoundationEssentials
import PodcastKit

/// `podget artwork`: fetch the artwork of podcasts.
struct ArtworkCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "artwork",
    abstract: "Fetch the artwork of podcasts into the library's cache.",
    usage: "podget artwork [<options>] [<source> ...]",
    discussion: """
      Without a source it takes all podcasts that are followed and all that the library has. Each \
      image is reported when it has arrived; only a thumbnail is kept. JPEG, PNG and WebP are \
      supported, up to 10 MiB and 6000 pixels on a side.
      """)

  @Argument(help: SourceArguments.help("Only these podcasts", valueName: "source"))
  var sources: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Make thumbnails of at most this many pixels on a side (default: 300).", valueName: "n"))
  var size: Int?

  @Option(
    help: ArgumentHelp(
      "Write the thumbnails into this folder too, as PNG files.", valueName: "dir"),
    completion: .directory)
  var export: String?

  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var login: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try ValidationError.requireNames(sources)
    if let size {
      try ValidationError.require(
        (1...Thumbnail.longestSide).contains(size), "--size",
        "a number from 1 to \(Thumbnail.longestSide)")
    }
    if export?.isEmpty == true { throw ValidationError("--export is empty.") }
  }

  func run(in context: CommandContext) async throws -> Outcome {
    let configured = try context.settings()
    let limit = try login.passwords.limit(configured)
    let path = try library.resolved(configured)
    let counted = network.counted
    let network = try network.resolved(configured)
    let directory = try directory.resolved(configured)
    let choices = try output.resolved(configured)
    let output = ListingOutput(choices, context)
    return try await output.reportingOutcome {
      let decoder = ThumbnailDecoder(
        program: context.program, size: size ?? 300, processes: Processors.count)
      let library = try Library.open(path, creating: false)
      let named = try await SourceArguments.expanded(sources, from: context.input)
      let report = ArtworkReport(output, folder: try export.map(ArtworkExport.init))
      let wanted =
        try named.map { WantedArtwork(sources: $0) }
        ?? WantedArtwork(allIn: library, warn: output.warn)
      let subscribed = try SubscribedSources(wanted.sources, in: library, warn: output.warn)
      let settings = SubscribedSettings(of: library, counting: counted)
      let credentials = OriginCredentials()
      do throws(PodgetError) {
        try await subscribed.logIn(credentials, with: SubscriptionLogins(limit: limit))
      } catch {
        // Other podcasts need no login; those without theirs are reported as refused.
        guard named == nil else { throw error }
        output.note(failure: error.sentence)
      }
      try await login.apply(to: credentials, for: subscribed.feeds, limit: limit)
      let configuration = network.session(naming: directory.namedURLs + subscribed.named)
      return try await output.withTransport(configuration) { transport in
        let resolver = SourceResolver(
          transport: transport, settings: directory, network: network,
          // The first page says what the podcast is.
          filter: EpisodeFilter(limit: 0), credentials: credentials, subscribed: settings)
        let cache = ArtworkCache(
          transport: AuthorizingTransport(transport, credentials), decoder: decoder,
          folder: Self.folder(of: library), retries: network.retries,
          allowsInsecureRedirects: network.allowsInsecureRedirects)
        return try await ArtworkRun(
          cache: cache, resolver: resolver, subscribed: settings, report: report,
          signals: context.signals
        ).run(
          wanted.known, sources: subscribed.feeds)
      }
    }
  }

  /// The folder of the cache; nil without a library, or if it cannot be made: then nothing is kept.
  private static func folder(of library: Library?) -> ArtworkFolder? {
    let folder = try? library?.ownFolder(named: ArtworkFolder.name, creating: true)
    return folder.map { ArtworkFolder($0) }
  }
}
