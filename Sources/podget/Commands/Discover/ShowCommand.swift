import ArgumentParser
import PodcastKit

/// `podget show`: a podcast and its episodes as published, with their status in the library.
struct ShowCommand: PodgetCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a podcast and its latest 5 episodes as published.",
    discussion: """
      Each episode is shown with its state in the library; nothing is downloaded.

      --details adds the description, link, chapters, transcripts and persons of each episode, as the \
      podcast's feed has them, and the files that are stored beside it.
      """)

  /// How many episodes are shown by default.
  private static let standardLimit = 5

  @Argument(help: SourceArguments.help("The podcast", isList: false))
  var source: String

  @Flag(help: "Show descriptions, links, chapters, transcripts and persons too.")
  var details = false

  @OptionGroup(title: "Selection") var selection: EpisodeSelectionOptions
  @OptionGroup(title: "Library") var library: LibraryOptions
  @OptionGroup(title: "Network") var network: NetworkOptions
  @OptionGroup(title: "Catalog") var directory: DirectoryOptions
  @OptionGroup(title: "Private feeds") var login: CredentialOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try ValidationError.requireNames([source]) }

  func run(in context: CommandContext) async throws -> Outcome {
    let sources = try context.settings()
    let limit = try login.passwords.limit(sources)
    let path = try library.resolved(sources)
    let filter = try selection.filter(now: context.now(), standardLimit: Self.standardLimit)
    let (counted, preference) = (network.counted, try sources.find(SettingTable.prefer).value)
    let network = try network.resolved(sources)
    let settings = try directory.resolved(sources)
    let choices = try output.resolved(sources)
    let output = ListingOutput(choices, context)
    return try await output.reporting {
      let library = try Library.open(path, creating: false)
      let sources = try SubscribedSources(
        try await SourceArguments.expanded([source], from: context.input) ?? [], in: library,
        warn: output.warn)
      guard let source = sources.feeds.first, sources.feeds.count == 1 else {
        throw ValidationError("podget show takes one source, not \(sources.feeds.count).")
      }
      let credentials = OriginCredentials()
      try await sources.logIn(credentials, with: SubscriptionLogins(limit: limit))
      try await login.apply(to: credentials, for: [source], limit: limit)
      let configuration = network.session(naming: settings.namedURLs + sources.named)
      let result = try await output.withTransport(configuration) { session in
        await SourceResolver(
          transport: session, settings: settings, network: network, filter: filter,
          details: details ? .ofAll : choices.json ? .ofFeedsInShort : .none,
          credentials: credentials, preference: preference,
          subscribed: SubscribedSettings(of: library, counting: counted)
        ).resolve(source)
      }
      switch result {
      case .failure(let error):
        // What is stored needs no network.
        if details, !choices.json, error.isOfNetwork, let library,
          let text = StoredEpisodesText(style: output.style).text(
            of: self.source, limit: filter.limit, in: library)
        {
          try output.write([], table: text)
        }
        throw PodgetError(error.code, error.sentence, of: source)
      case .success(let found):
        let (listing, episode) = (found.listing, found.episode)
        let chosen = try chosen(from: listing, naming: episode, by: filter)
        // The library is read last, so that its state is not older than the lookup.
        let reading = try Library.open(path, creating: false).map { library in
          library.withPlanned(
            library.locatedReading(of: .podcast(listing.podcast), recording: false))
        }
        try await output.working(on: reading) { local in
          let facts = reading?.facts ?? PodcastFacts()
          // Comparing a long feed with a library that has none of it takes a fifth of the command.
          let locals =
            local.isEmpty ? [:] : EpisodeLookup(local, facts: facts).identify(listing).locals
          let podcast = facts.corrected(listing.podcast)
          let known = chosen.compactMap { locals[$0] }
          let stored = details ? library?.belongings(of: known) ?? [:] : [:]
          let episodes = chosen.map { episode in
            PublishedEpisode(
              podcast: podcast, episode: episode, local: locals[episode],
              details: found.details[episode],
              stored: locals[episode].flatMap { stored[$0.key] } ?? [])
          }
          let table = PublishedEpisodeTable(
            status: output.status, window: output.window, style: output.style)
          let more = EpisodeDetailsText(style: output.style)
          let text = details ? more.text(found.about) + more.text(episodes) : ""
          try output.write(
            episodes.map { JSONForms.publishedEpisode(($0, details ? found.about : nil)) },
            table: table.text(podcast, episodes) + text)
          if let note = DownloadPlanner.note(about: listing, limit: filter.limit) {
            output.note(note)
          }
          if let note = DownloadPlanner.moveNote(about: found) { output.note(note) }
          if let problem = found.problem {
            throw PodgetError(problem.code, problem.sentence, of: source)
          }
        }
      }
    }
  }

  /// The wanted episodes, the newest first, or all that match in the source's order.
  private func chosen(
    from listing: PodcastListing, naming episode: Int64?, by filter: EpisodeFilter
  ) throws -> [Episode] {
    var filter = filter
    if let episode {
      filter.episodes.append(String(episode))
      filter.limit = nil
    }
    if let unknown = filter.unknownEpisodes(among: listing.episodes).first {
      throw PodgetError(
        .notFound, "\(listing.podcast.title) lists no episode with the id \(unknown).")
    }
    return filter.limit == nil
      ? filter.matching(listing.episodes) : filter.select(from: listing.episodes)
  }
}
